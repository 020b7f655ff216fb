// canon, hash, plan, explain: the language tools, all offline.
#include "base/json.h"
#include "cli/commands.h"
#include "cli/document.h"
#include "cli/flags.h"
#include "cli/sources.h"
#include "plan/plan.h"
#include "query/query.h"

namespace lattice::cli {
namespace {

struct Inputs {
  std::string query, schema;
  bool as_json = false;
};

// The flags that the four commands share; an exit code when they ended it.
std::optional<int> parse_inputs(std::string_view command, std::string_view summary,
                                const Arguments& arguments, Inputs& inputs) {
  Flags flags(command, summary);
  flags.positional("QUERY", "a file, `-` for standard input, or the text itself", inputs.query);
  flags.option("--schema", "F", "the schema document", inputs.schema, true);
  flags.flag("--json", "print JSON, errors too", inputs.as_json);
  return flags.parse(arguments);
}

// Compiles the query of `inputs` and hands it to `show`, which prints.
template <class Show>
int with_query(const Inputs& inputs, Show show) {
  auto schema = load_schema_file(inputs.schema);
  if (!schema) return report(schema.error().error, &schema.error().document, inputs.as_json);
  auto document = read_query(inputs.query);
  if (!document) return report(document.error(), nullptr, inputs.as_json);
  auto query = compile_document(*document, *schema->schema);
  if (!query) return report(query.error(), &*document, inputs.as_json);
  report_warnings(query->warnings, *document);
  return show(*query, schema->schema, *document);
}

template <class Show>
int with_plan(const Inputs& inputs, Show show) {
  return with_query(inputs, [&](const query::Query& query, const schema::SchemaPtr& schema,
                                const Document& document) {
    auto plan = plan::plan_query(query, schema);
    if (!plan) return report(plan.error(), &document, inputs.as_json);
    return show(**plan);
  });
}

}  // namespace

int run_canon(const Arguments& arguments) {
  Inputs inputs;
  if (auto exit = parse_inputs("lattice canon", "Prints the canonical text of a query (§5.1).",
                               arguments, inputs)) {
    return *exit;
  }
  return with_query(inputs, [&](const query::Query& query, const auto&, const auto&) {
    if (inputs.as_json) {
      print(to_json(Json::object({{"canonical", query.canonical}, {"hash", query.hash}})) + "\n");
    } else {
      print(query.canonical + "\n");
    }
    return kExitOk;
  });
}

int run_hash(const Arguments& arguments) {
  Inputs inputs;
  if (auto exit = parse_inputs("lattice hash", "Prints the hash of a query (§5.1).", arguments,
                               inputs)) {
    return *exit;
  }
  return with_query(inputs, [&](const query::Query& query, const auto&, const auto&) {
    print(inputs.as_json ? to_json(Json::object({{"hash", query.hash}})) + "\n"
                         : query.hash + "\n");
    return kExitOk;
  });
}

int run_plan(const Arguments& arguments) {
  Inputs inputs;
  if (auto exit = parse_inputs(
          "lattice plan", "Prints the compiled plan of a query as data (§20.2).", arguments,
          inputs)) {
    return *exit;
  }
  return with_plan(inputs, [&](const plan::Plan& plan) {
    Json data = plan::explain_json(plan);
    print(inputs.as_json ? to_json(data) + "\n" : to_pretty_json(data) + "\n");
    return kExitOk;
  });
}

int run_explain(const Arguments& arguments) {
  Inputs inputs;
  if (auto exit = parse_inputs(
          "lattice explain",
          "Tells how a query is planned: why each part is in its slice, what it reads, what\n"
          "purges it (§20.2).",
          arguments, inputs)) {
    return *exit;
  }
  return with_plan(inputs, [&](const plan::Plan& plan) {
    print(inputs.as_json ? to_json(plan::explain_json(plan)) + "\n" : plan::explain_text(plan));
    return kExitOk;
  });
}

}  // namespace lattice::cli
