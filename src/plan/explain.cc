#include <algorithm>
#include <map>
#include <set>

#include "plan/document.h"
#include "plan/plan.h"

namespace lattice::plan {
namespace {

Json json_names(const std::vector<std::string>& names) {
  Json list{Json::Array{}};
  for (const std::string& name : names) list.push_back(Json(name));
  return list;
}

std::string join(const std::vector<std::string>& words, std::string_view separator) {
  std::string out;
  for (const std::string& word : words) {
    if (!out.empty()) out += separator;
    out += word;
  }
  return out;
}

// What a store reads of one type over all slices.
struct Columns {
  std::set<std::string> names;
  bool whole_rows = false;
};
std::map<std::string, Columns> columns_by_type(const Plan& plan) {
  std::map<std::string, Columns> types;
  for (const SliceProgram& program : plan.slices) {
    for (const Projection& projection : program.projections) {
      const schema::Entity& entity = plan.schema->entities[projection.entity];
      Columns& columns = types[entity.name];
      columns.whole_rows |= projection.whole_rows;
      for (const FieldIndex field : projection.fields) {
        columns.names.insert(entity.fields[field].name);
      }
    }
  }
  return types;
}

Json elements_json(const Plan& plan) {
  Json elements{Json::Array{}};
  for (const Element& element : plan.elements) {
    Json entry{Json::Object{}};
    entry.set("path", element.path);
    if (!element.type.empty()) entry.set("type", element.type);
    entry.set("derivation", element.derivation);
    entry.set("slice", slice_name(element.slice));
    elements.push_back(std::move(entry));
  }
  return elements;
}

Json rounds_json(const Plan& plan) {
  Json rounds{Json::Array{}};
  for (size_t round = 0; round < plan.loaders.size(); ++round) {
    Json loaders{Json::Array{}};
    for (const Plan::Loader& loader : plan.loaders[round]) {
      Json entry{Json::Object{}};
      entry.set("loader", loader.name);
      entry.set("fanout", loader.fanout_max);
      if (loader.collection != nullptr) {
        entry.set("collection", loader.collection_tag);
        entry.set("grouping", json_names(loader.collection->grouping));
      }
      loaders.push_back(std::move(entry));
    }
    Json entry{Json::Object{}};
    entry.set("round", static_cast<uint64_t>(round));
    entry.set("loaders", std::move(loaders));
    rounds.push_back(std::move(entry));
  }
  return rounds;
}

Json keys_json(const Plan& plan) {
  Json keys{Json::Array{}};
  for (const KeyFamily& family : plan.key_families) {
    Json entry{Json::Object{}};
    entry.set("collection", family.collection);
    entry.set("grouping", json_names(family.grouping));
    entry.set("producer", family.producer);
    keys.push_back(std::move(entry));
  }
  return keys;
}

struct BudgetRow {
  std::string_view name;
  uint32_t used, limit;
};
std::vector<BudgetRow> budget_rows(const Plan& plan) {
  return {{"roots", plan.used.roots, plan.budgets.roots_max},
          {"depth", plan.used.depth, plan.budgets.depth_max},
          {"rounds", plan.used.rounds, plan.budgets.rounds_max},
          {"roundFanout", plan.used.round_fanout, plan.budgets.round_fanout_max}};
}

Json budgets_json(const Plan& plan) {
  Json budgets{Json::Object{}};
  for (const BudgetRow& row : budget_rows(plan)) {
    Json entry{Json::Object{}};
    entry.set("used", row.used);
    entry.set("limit", row.limit);
    budgets.set(row.name, std::move(entry));
  }
  return budgets;
}

// The span skeleton of one slice execution (§19.2): one load span a loader, whatever the result
// size.
Json spans_json(const Plan& plan) {
  Json rounds{Json::Array{}};
  for (size_t round = 0; round < plan.loaders.size(); ++round) {
    Json loads{Json::Array{}};
    for (const Plan::Loader& loader : plan.loaders[round]) {
      Json load{Json::Object{}};
      load.set("span", "lattice.load");
      load.set("loader", loader.name);
      loads.push_back(std::move(load));
    }
    Json entry{Json::Object{}};
    entry.set("span", "lattice.round[" + std::to_string(round) + "]");
    entry.set("children", std::move(loads));
    rounds.push_back(std::move(entry));
  }
  Json execute{Json::Object{}};
  execute.set("span", "lattice.execute");
  execute.set("children", std::move(rounds));
  return Json(Json::Array{std::move(execute)});
}

Json projections_json(const Plan& plan) {
  Json projections{Json::Object{}};
  for (const auto& [type, columns] : columns_by_type(plan)) {
    if (columns.whole_rows) {
      projections.set(type, "*");
    } else {
      projections.set(type, json_names({columns.names.begin(), columns.names.end()}));
    }
  }
  return projections;
}

std::string_view store_name(schema::CachePolicy::Storability store) {
  switch (store) {
    case schema::CachePolicy::Storability::Shared:
      return "shared";
    case schema::CachePolicy::Storability::Private:
      return "private";
    case schema::CachePolicy::Storability::NoStore:
      return "no-store";
  }
  return "no-store";
}

Json cache_json(const CacheMeet& cache) {
  Json entry{Json::Object{}};
  entry.set("store", store_name(cache.store));
  if (cache.baseline_seconds) entry.set("baselineSeconds", *cache.baseline_seconds);
  if (cache.cap_seconds) entry.set("capSeconds", *cache.cap_seconds);
  if (cache.revalidate) entry.set("revalidate", true);
  if (cache.immutable) entry.set("immutable", true);
  if (cache.no_tenure) entry.set("noTenure", true);
  return entry;
}

Json messages_json(const std::vector<Diagnostic>& diagnostics) {
  Json list{Json::Array{}};
  for (const Diagnostic& diagnostic : diagnostics) list.push_back(Json(diagnostic.message));
  return list;
}

}  // namespace

Json explain_json(const Plan& plan) {
  Json explain{Json::Object{}};
  explain.set("plan", plan.plan_id);
  explain.set("query", plan.query_hash);
  explain.set("elements", elements_json(plan));
  explain.set("rounds", rounds_json(plan));
  explain.set("surrogateKeys", keys_json(plan));
  explain.set("budgets", budgets_json(plan));
  explain.set("slices", slices_json(plan));
  explain.set("spans", spans_json(plan));
  explain.set("projections", projections_json(plan));
  Json caches{Json::Object{}};
  for (size_t i = 0; i < kSliceCount; ++i) {
    if (!plan.slices[i].is_empty) {
      caches.set(slice_name(static_cast<Slice>(i)), cache_json(plan.slices[i].cache));
    }
  }
  explain.set("cache", std::move(caches));
  if (!plan.warnings.empty()) explain.set("warnings", messages_json(plan.warnings));
  if (!plan.unsupported.empty()) explain.set("unsupported", messages_json(plan.unsupported));
  return explain;
}

// --- For a person ---

namespace {

void append_slices(std::string& out, const Plan& plan) {
  out += "slices\n";
  for (size_t i = 0; i < kSliceCount; ++i) {
    const SliceProgram& program = plan.slices[i];
    if (program.is_empty) continue;
    out += "  " + std::string(slice_name(static_cast<Slice>(i)));
    if (static_cast<Slice>(i) == Slice::Pub) out += "   anybody, shared caches";
    if (static_cast<Slice>(i) == Slice::Ctx)
      out += "   callers with the same claims, shared caches";
    if (static_cast<Slice>(i) == Slice::Priv) out += "  the caller alone";
    if (!program.claims.empty()) out += "; claims " + join(program.claims, ", ");
    out += program.roots.empty() ? "; lists no root" : "; lists " + join(program.roots, ", ");
    out += '\n';
  }
}

std::string padded(std::string text, size_t width) {
  size_t shown = 0;
  for (const char c : text) shown += (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  if (shown < width) text.append(width - shown, ' ');
  return text;
}

void append_elements(std::string& out, const Plan& plan) {
  out += "\nwhy each element is where it is\n";
  size_t width = 0;
  const auto label = [](const Element& element) {
    return element.type.empty() ? element.path : element.path + " (" + element.type + ")";
  };
  for (const Element& element : plan.elements) {
    width = std::max(width, std::min<size_t>(label(element).size(), 48));
  }
  for (const Element& element : plan.elements) {
    out += "  " + padded(std::string(slice_name(element.slice)), 4) + "  " +
           padded(label(element), width) + "  " + element.derivation + '\n';
  }
}

void append_rounds(std::string& out, const Plan& plan) {
  out += "\nrounds\n";
  for (size_t round = 0; round < plan.loaders.size(); ++round) {
    for (const Plan::Loader& loader : plan.loaders[round]) {
      out += "  " + std::to_string(round) + "  " + loader.name + "  at most " +
             std::to_string(loader.fanout_max) + (loader.fanout_max == 1 ? " row" : " rows");
      const bool is_scan = loader.node != kNone && loader.collection != nullptr;
      if (is_scan && !loader.collection->keyset.empty()) {
        out += ", by";
        for (const schema::OrderColumn& column : loader.collection->keyset) {
          out += " " + column.field + (column.descending ? " desc" : " asc");
        }
      }
      out += '\n';
    }
  }
}

// "Post.comments:{orgId},{postId}"
std::string print_family(const KeyFamily& family) {
  std::string out = family.collection + ":";
  for (size_t i = 0; i < family.grouping.size(); ++i) {
    out += (i > 0 ? ",{" : "{") + family.grouping[i] + "}";
  }
  return out;
}

// The entity types whose keys a response of this plan can carry.
std::vector<std::string> loaded_types(const Plan& plan) {
  std::vector<std::string> names;
  for (const auto& [type, columns] : columns_by_type(plan)) names.push_back(type);
  return names;
}

void append_keys(std::string& out, const Plan& plan) {
  out += "\nwhat purges this\n";
  for (const std::string& type : loaded_types(plan)) {
    out += "  " + type + ":{key}  a write to a row of " + type + " in the response\n";
  }
  for (const KeyFamily& family : plan.key_families) {
    out += "  " + print_family(family) + "  a write to a member, before or after (" +
           family.producer + ")\n";
  }
  out += "  plan:" + plan.plan_id + "  another plan takes over\n";
}

void append_columns(std::string& out, const Plan& plan) {
  out += "\ncolumns read, beside key and version\n";
  for (const auto& [type, columns] : columns_by_type(plan)) {
    out += "  " + type + "  ";
    if (columns.whole_rows) {
      out += "whole rows (a field with arguments is computed)";
    } else if (columns.names.empty()) {
      out += "none";
    } else {
      out += join({columns.names.begin(), columns.names.end()}, ", ");
    }
    out += '\n';
  }
}

void append_cache(std::string& out, const Plan& plan) {
  for (size_t i = 0; i < kSliceCount; ++i) {
    const CacheMeet& cache = plan.slices[i].cache;
    const bool is_default = cache.store == schema::CachePolicy::Storability::Shared &&
                            !cache.baseline_seconds && !cache.cap_seconds && !cache.revalidate &&
                            !cache.immutable && !cache.no_tenure;
    if (plan.slices[i].is_empty || is_default) continue;
    out += "\ncache " + std::string(slice_name(static_cast<Slice>(i))) + "  " +
           std::string(store_name(cache.store));
    if (cache.baseline_seconds) out += ", " + std::to_string(*cache.baseline_seconds) + " s";
    if (cache.cap_seconds) out += ", at most " + std::to_string(*cache.cap_seconds) + " s";
    if (cache.revalidate) out += ", revalidated on every use";
    if (cache.immutable) out += ", immutable";
    if (cache.no_tenure) out += ", without the introductory ramp";
    out += '\n';
  }
}

}  // namespace

std::string print_keys(const Plan& plan) {
  std::string out;
  for (const std::string& type : loaded_types(plan)) out += type + ":{key}\n";
  for (const KeyFamily& family : plan.key_families) {
    out += print_family(family) + "  " + family.producer + '\n';
  }
  return out;
}

std::string explain_text(const Plan& plan) {
  std::string out = "plan " + plan.plan_id;
  if (!plan.query_hash.empty()) out += " of query " + plan.query_hash;
  out += "\n\n";
  append_slices(out, plan);
  append_elements(out, plan);
  append_rounds(out, plan);
  append_keys(out, plan);
  append_columns(out, plan);
  append_cache(out, plan);
  out += "\nbudgets\n";
  for (const BudgetRow& row : budget_rows(plan)) {
    out += "  " + padded(std::string(row.name), 11) + "  " + std::to_string(row.used) + " of " +
           std::to_string(row.limit) + '\n';
  }
  for (const Diagnostic& warning : plan.warnings) out += "\nwarning: " + warning.message;
  for (const Diagnostic& feature : plan.unsupported) {
    out += "\nnot supported yet: " + feature.message;
  }
  if (out.back() != '\n') out += '\n';
  return out;
}

}  // namespace lattice::plan
