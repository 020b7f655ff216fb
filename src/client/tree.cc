#include "client/tree.h"

#include "exec/wire_key.h"

namespace lattice::client {

namespace {

using plan::FieldPart;
using plan::Node;
using plan::Output;
using plan::TypePart;

class Builder {
 public:
  Builder(const plan::Plan& plan, const exec::Bindings& bindings, const EntityStore& store)
      : plan_(plan), bindings_(bindings), store_(store) {}

  Result<Json> build() {
    Json out = Json::object();
    for (const Node& node : plan_.nodes) {
      if (node.parent != plan::kNone) continue;
      const std::vector<std::string>* refs = store_.find_root(node.name);
      if (!refs) continue;
      Json items = Json::array();
      for (const std::string& ref : ordered(node, *refs)) {
        LATTICE_TRY(Json item, entity(node, ref));
        items.push_back(std::move(item));
      }
      out.set(node.name, is_single(node) ? first_or_null(std::move(items)) : std::move(items));
    }
    return out;
  }

 private:
  // A `get` root has at most one member.
  static bool is_single(const Node& node) {
    return !node.is_root_list && node.access.kind != plan::Access::Kind::Nodes;
  }
  static Json first_or_null(Json items) {
    return items.as_array().empty() ? Json() : std::move(items.as_array().front());
  }

  const Json* value_of(plan::SlotIndex index) const {
    const plan::Slot& slot = plan_.slots[index];
    if (slot.kind == plan::Slot::Kind::Literal) return &slot.literal;
    if (slot.kind != plan::Slot::Kind::Variable) return nullptr;
    for (size_t i = 0; i < plan_.variables.size(); ++i) {
      if (plan_.variables[i].name != slot.name) continue;
      return bindings_.values[i] ? &*bindings_.values[i] : nullptr;
    }
    return nullptr;
  }

  // The members of `nodes` come slice by slice, each a part of the order that was asked for.
  std::vector<std::string> ordered(const Node& node, const std::vector<std::string>& refs) const {
    if (node.access.kind != plan::Access::Kind::Nodes) return refs;
    std::vector<std::string> out;
    auto take = [&](const Json& ref) {
      bool is_member =
          ref.is_string() && std::find(refs.begin(), refs.end(), ref.as_string()) != refs.end();
      bool is_taken = is_member && std::find(out.begin(), out.end(), ref.as_string()) != out.end();
      if (is_member && !is_taken) out.push_back(ref.as_string());
    };
    for (plan::SlotIndex index : node.access.ref_slots) {
      const Json* value = value_of(index);
      if (value && value->is_array()) {
        for (const Json& ref : value->as_array()) take(ref);
      } else if (value) {
        take(*value);
      }
    }
    return out;
  }

  Result<Json> entity(const Node& node, std::string_view ref) {
    if (++values_ > kTreeValuesMax) return too_large();
    auto parts = split_ref(ref);
    const StoredEntity* stored = store_.find(ref);
    schema::EntityIndex index = parts ? plan_.schema->entity_index(parts->first) : schema::kNone;
    const TypePart* type = index == schema::kNone ? nullptr : node.type_of(index);
    if (!stored || !type || type->parts.empty()) return Json::object({{"$ref", ref}});
    Json out = Json::object();
    if (node.is_abstract) out.set("$type", parts->first);
    for (const FieldPart& part : type->parts) {
      const Output& output = plan_.outputs_of(index)->outputs[part.output];
      std::string key = wire_key(output);
      const Json* value = stored->fields.find(key);
      if (!value) continue;
      if (++values_ > kTreeValuesMax) return too_large();
      if (part.child == plan::kNone) {
        out.set(key, *value);
      } else {
        LATTICE_TRY(Json below, edge(plan_.nodes[part.child], *value));
        out.set(key, std::move(below));
      }
    }
    return out;
  }

  Result<Json> edge(const Node& node, const Json& value) {
    if (node.kind != schema::Relationship::Kind::Many) {
      auto ref = ref_of(value);
      if (!ref) return value;
      return entity(node, *ref);
    }
    auto refs = refs_of(value);
    if (!refs) return value;
    Json items = Json::array();
    for (std::string_view ref : *refs) {
      LATTICE_TRY(Json item, entity(node, ref));
      items.push_back(std::move(item));
    }
    const Json* page = value.find("$page");
    if (!page) return items;
    Json out = *page;
    out.set("items", std::move(items));
    return out;
  }

  std::string wire_key(const Output& output) const {
    return exec::print_wire_key(output, [this](plan::SlotIndex slot) { return value_of(slot); });
  }

  static std::unexpected<Error> too_large() {
    return fail(Code::PayloadTooLarge, "the tree would hold more than " +
                                           std::to_string(kTreeValuesMax) +
                                           " values; look at the stream instead");
  }

  const plan::Plan& plan_;
  const exec::Bindings& bindings_;
  const EntityStore& store_;
  size_t values_ = 0;
};

}  // namespace

Result<Json> build_tree(const plan::Plan& plan, const exec::Bindings& bindings,
                        const EntityStore& store) {
  return Builder(plan, bindings, store).build();
}

}  // namespace lattice::client
