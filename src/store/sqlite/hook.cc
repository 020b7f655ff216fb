// Roots that a hook answers: SQL that gives keys, whose rows are then loaded; and a list without
// parameters and hook, which is every row of its types.
#include <fmt/format.h>
#include <sqlite3.h>

#include "base/check.h"
#include "store/sqlite/load.h"

namespace lattice::store {

namespace {

struct Reset {
  sqlite3_stmt* statement;
  ~Reset() { sqlite3_reset(statement); }
};

}  // namespace

const HookCode& Connection::hook_of(const LoadShape& root) {
  auto found = hooks_.find(root.id);
  if (found != hooks_.end()) return found->second;
  if (hooks_.size() >= kShapesMax) hooks_.clear();
  HookCode& code = hooks_[root.id];
  for (size_t t = 0; t < root.targets.size(); ++t) {
    LoadShape keys;
    keys.id = next_shape_id();
    keys.kind = LoadShape::Kind::Keys;
    keys.loader = root.loader;
    keys.entity = root.targets[t];
    keys.fields = root.target_fields[t];
    LoadShape all = keys;
    all.id = next_shape_id();
    all.kind = LoadShape::Kind::Scan;
    code.keys.push_back(std::move(keys));
    code.all.push_back(std::move(all));
  }
  return code;
}

// Binds the root's parameters, which the SQL names.
void Loader::bind_parameters(sqlite3_stmt* statement, const schema::Root& root) {
  const LoadShape& shape = *request_.shape;
  for (size_t i = 0; i < root.parameters.size(); ++i) {
    std::string name = ":" + root.parameters[i].name;
    int parameter = sqlite3_bind_parameter_index(statement, name.c_str());
    if (parameter == 0) continue;
    bool is_given = i < shape.arguments.size() && shape.arguments[i] != kNone;
    bind_cell(statement, parameter, natural_cell(is_given ? request_.frame[shape.arguments[i]] : Value()));
  }
}

// One row of the hook's answer: the key (behind the type's name when there are several types).
Result<void> Loader::load_hook_row(sqlite3_stmt* found, const HookCode& code) {
  const LoadShape& shape = *request_.shape;
  size_t target = 0;
  int column = 0;
  if (shape.targets.size() > 1) {
    std::string_view name = column_text(found, column++);
    while (target < shape.targets.size() &&
           model_.schema().entities[shape.targets[target]].name != name) {
      ++target;
    }
    if (target == shape.targets.size()) {
      return fail(Code::Internal, fmt::format("{}: its SQL gave the type `{}`, which the root has not",
                                              shape.loader, name));
    }
  }
  const SqlEntity& entity = model_.entity(shape.targets[target]);
  // Keys of several types may differ in size; the shorter ones are padded.
  int given = sqlite3_column_count(found) - column, wanted = static_cast<int>(entity.key.size());
  if (shape.targets.size() > 1 ? given < wanted : given != wanted) {
    return fail(Code::Internal, fmt::format("{}: its SQL gives {} columns of key where {} has {}",
                                            shape.loader, given,
                                            model_.schema().entities[shape.targets[target]].name,
                                            wanted));
  }
  std::vector<Value> key;
  for (const SqlColumn* part : entity.key) {
    key.push_back(decode_cell(cell_of(found, column++), part->type, model_.schema(), arena_));
  }
  LoadRequest request{.shape = &code.keys[target],
                      .frame = request_.frame,
                      .keys = key,
                      .count = 1,
                      .window = {}};
  LATTICE_TRY(LoadResult loaded, Loader(model_, connection_, request, arena_).run());
  out_.rows.insert(out_.rows.end(), loaded.rows.begin(), loaded.rows.end());
  return {};
}

Result<void> Loader::load_whole_tables(const HookCode& code) {
  for (const LoadShape& all : code.all) {
    Window window;
    window.limit = request_.window.limit - static_cast<uint32_t>(out_.rows.size());
    LoadRequest request{.shape = &all, .frame = request_.frame, .keys = {}, .count = 1, .window = window};
    LATTICE_TRY(LoadResult loaded, Loader(model_, connection_, request, arena_).run());
    out_.rows.insert(out_.rows.end(), loaded.rows.begin(), loaded.rows.end());
    out_.groups.front().overflows |= loaded.groups.front().overflows;
  }
  return {};
}

Result<void> Loader::load_hook() {
  const LoadShape& shape = *request_.shape;
  const schema::Root& root = model_.schema().roots[shape.root];
  const auto& hook = model_.mapping().hooks[shape.root];
  const HookCode& code = connection_.hook_of(shape);
  out_.groups.resize(1);
  if (!hook && root.is_list && root.parameters.empty()) {
    LATTICE_TRY_VOID(load_whole_tables(code));
  } else if (!hook) {
    return fail(Code::NotSupported, fmt::format("nothing finds the rows of root `{}`", root.name));
  } else {
    LATTICE_TRY(sqlite3_stmt * statement, connection_.hook_statement(shape.root, hook->sql));
    Reset reset{statement};
    bind_parameters(statement, root);
    int step = SQLITE_DONE;
    while ((step = sqlite3_step(statement)) == SQLITE_ROW) {
      if (out_.rows.size() == request_.window.limit) {
        out_.groups.front().overflows = true;
        break;
      }
      LATTICE_TRY_VOID(load_hook_row(statement, code));
    }
    LATTICE_TRY_VOID(finish(step));
  }
  Group& group = out_.groups.front();
  group.count = static_cast<uint32_t>(out_.rows.size());
  group.has_next = group.overflows;
  return {};
}

}  // namespace lattice::store
