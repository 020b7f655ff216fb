// `lattice init` for SQLite: what inspect.h found, written as a schema with the reasons beside it.
#include <fmt/format.h>

#include <filesystem>

#include "store/sqlite/catalog.h"
#include "store/sqlite/inspect.h"
#include "store/sqlite/names.h"
#include "store/sqlite/sqlite.h"

namespace lattice::store {

namespace {

std::string quote_json(std::string_view text) {
  std::string quoted;
  append_json_string(quoted, text);
  return quoted;
}

std::string comment_of(const std::string& note) { return note.empty() ? "" : "  -- " + note; }

// "Chinook_Sqlite.sqlite" → "chinook_sqlite".
std::string schema_name(std::string_view path, const InitOptions& options) {
  if (!options.name.empty()) return options.name;
  std::string name;
  for (char c : std::filesystem::path(path).stem().string()) {
    bool is_word = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
    bool is_upper = c >= 'A' && c <= 'Z';
    if (is_upper) c = static_cast<char>(c - 'A' + 'a');
    name += is_word || is_upper ? c : '_';
  }
  if (name.empty() || (name[0] >= '0' && name[0] <= '9')) name = "db_" + name;
  return name;
}

class Writer {
 public:
  Writer(const InitModel& model, bool is_public) : model_(model), is_public_(is_public) {}
  std::string write(std::string_view name, std::string_view file);

 private:
  void line(std::string_view text) {
    out_ += text;
    out_ += '\n';
  }
  void write_head(std::string_view name, std::string_view file);
  void write_directives();
  void write_entity(const InitEntity& entity);
  void write_edges(const InitEntity& entity);
  void write_roots();

  const InitModel& model_;
  bool is_public_;
  std::string out_;
};

void Writer::write_head(std::string_view name, std::string_view file) {
  line(fmt::format("schema {}", name));
  line("");
  line(fmt::format("-- What `lattice init` found in {}. It serves that database as it is; edit it freely.", file));
  line("-- A field is a column and an entity a table, by name (snake case, singular or plural), unless");
  line("-- a directive says otherwise. `?`: the column may be null. I32 is a number on the wire; I64 and");
  line("-- Decimal are strings, which lose nothing.");
  if (is_public_) {
    line("-- Everything is public: anyone may read it, and shared caches may keep it. Say");
    line("-- `visible when caller.<claim> = <field>` or `private` where that is wrong.");
  } else {
    line("-- Everything is private, which shows nothing to anyone until you say who may see it: `public`,");
    line("-- `visible when caller.<claim> = <field>`, or `owner <field> is caller` for private parts.");
  }
  for (const std::string& left_out : model_.left_out) line("-- Left out: " + left_out + ".");
}

void Writer::write_directives() {
  bool tables = false, columns = false;
  for (const InitEntity& entity : model_.entities) {
    tables |= entity.needs_table;
    for (const InitField& field : entity.fields) columns |= field.needs_column;
  }
  if (tables || columns) line("");
  if (columns) line("directive @column(name: Text) on FIELD");
  if (tables) line("directive @table(name: Text) on ENTITY");
}

void Writer::write_edges(const InitEntity& entity) {
  if (!entity.edges.empty()) line("");
  for (const InitEdge& edge : entity.edges) {
    constexpr std::string_view kKinds[] = {"has one", "has one?", "has many"};
    std::string text = fmt::format("  {} {}: {} by {}", kKinds[static_cast<size_t>(edge.kind)], edge.name,
                                   edge.target, edge.link);
    if (edge.kind == InitEdge::Kind::Many) text += " " + edge.window;
    line(text + comment_of(edge.note));
  }
}

void Writer::write_entity(const InitEntity& entity) {
  line("");
  for (const std::string& note : entity.notes) line("-- " + note);
  if (entity.needs_table) line(fmt::format("@table(name: {})", quote_json(entity.table->name)));
  std::string key = fmt::format("{}", fmt::join(entity.key, ", "));
  if (entity.key.size() > 1) key = "(" + key + ")";
  line(fmt::format("entity {} by {} {{", entity.name, key));
  line(is_public_ ? "  visible to all by default" : "  private by default");
  line("");
  size_t width = 0;
  for (const InitField& field : entity.fields) width = std::max(width, field.name.size());
  for (const InitField& field : entity.fields) {
    if (field.needs_column) line(fmt::format("  @column(name: {})", quote_json(field.column->name)));
    std::string name = field.name + ":";
    line(fmt::format("  {:<{}} {}{}{}", name, width + 1, field.type, field.is_optional ? "?" : "",
                     comment_of(field.note)));
  }
  write_edges(entity);
  if (is_public_) {
    line("");
    line(fmt::format("  fetch by {}: public", key));
  }
  line("}");
}

void Writer::write_roots() {
  std::string policy = is_public_ ? "public" : "private";
  line("");
  line("-- One row by its key.");
  for (const InitEntity& entity : model_.entities) {
    std::string parameters;
    for (const std::string& key : entity.key) {
      parameters += fmt::format("{}{}: {}", parameters.empty() ? "" : ", ", key,
                                entity.find_field(key)->type);
    }
    line(fmt::format("get {}({}) of {} {}", entity.get_root, parameters, entity.name, policy));
  }
  line("");
  line("-- Many rows: all of the table, or with the argument that `by` names those of one group. In the");
  line("-- order of the key, which has an index.");
  for (const InitEntity& entity : model_.entities) {
    line(fmt::format("list {} of {} by {} ordered by {} page 20 max 100 {}", entity.list_root,
                     entity.name, entity.list_link, entity.list_order, policy));
  }
}

std::string Writer::write(std::string_view name, std::string_view file) {
  write_head(name, file);
  write_directives();
  if (!model_.enums.empty()) line("");
  for (const InitEnum& declared : model_.enums) {
    line(fmt::format("enum {} closed = {}{}", declared.name, fmt::join(declared.values, " | "),
                     comment_of(declared.note)));
  }
  for (const InitEntity& entity : model_.entities) write_entity(entity);
  write_roots();
  return std::move(out_);
}

}  // namespace

Result<std::string> introspect_sqlite(std::string_view path, const InitOptions& options) {
  constexpr int kBusyMs = 2000;
  LATTICE_TRY(Database database, Database::open(std::string(path), kBusyMs));
  LATTICE_TRY(Catalog catalog, read_catalog(database));
  LATTICE_TRY(InitModel model, inspect_database(database, catalog));
  if (model.entities.empty()) {
    return fail(Code::Usage, fmt::format("{} has no table with a key that could be served", path));
  }
  std::string file = std::filesystem::path(path).filename().string();
  std::string text = Writer(model, options.is_public).write(schema_name(path, options), file);
  // What we write must serve: load it and bind it before anyone else does.
  LATTICE_TRY(schema::SchemaPtr schema, schema::load_schema(text));
  LATTICE_TRY_VOID(open_sqlite(path, std::move(schema), {}));
  return text;
}

}  // namespace lattice::store
