#include <algorithm>
#include <map>

#include "base/base64url.h"
#include "base/blake3.h"
#include "plan/draft.h"
#include "plan/identity.h"
#include "schema/print.h"

namespace lattice::plan {

std::string plan_id(std::string_view canonical, std::string_view declarations) {
  Blake3 hasher;
  hasher.update(canonical);
  hasher.update(std::string_view("\0", 1));
  hasher.update(declarations);
  return "pl_" + base64url_encode(hasher.finish(12));
}

namespace {

// Declarations by sort name ("entity Post"), and the named types that they reach.
class Pertinent {
 public:
  explicit Pertinent(const schema::Schema& schema) : schema_(schema) {}

  void add_entity(const schema::Entity& entity) {
    if (!add("entity " + entity.name, entity)) return;
    for (const schema::Field& field : entity.fields) {
      add_type(field.type);
      for (const schema::Parameter& argument : field.arguments) add_type(argument.type);
    }
    if (entity.co_key != schema::Entity::CoKey::None) {
      add_entity(*schema_.find_entity(entity.base));
    }
  }
  void add_root(const schema::Root& root) {
    add("root " + root.name, root);
    for (const schema::Parameter& parameter : root.parameters) add_type(parameter.type);
  }
  void add_fragment(const schema::Fragment& fragment) {
    add("fragment " + fragment.name, fragment);
    for (const schema::Parameter& parameter : fragment.parameters) add_type(parameter.type);
  }
  void add_interface(const schema::Interface& interface) {
    add("interface " + interface.name, interface);
    for (const schema::Field& field : interface.fields) {
      add_type(field.type);
      for (const schema::Parameter& argument : field.arguments) add_type(argument.type);
    }
  }
  // A claim shows through the named types of its type. One without any would leave no trace, and a
  // changed type must move the plan (§7.3), so it stands for itself.
  void add_claim(const schema::Claim& claim) {
    if (!add_type(claim.type)) {
      declarations_.emplace("claim " + claim.name,
                            "claim " + claim.name + ": " + schema::print_type(claim.type));
    }
  }
  void add_schema_cache();

  std::string print() const {
    std::string out;
    for (const auto& [name, text] : declarations_) {
      if (!out.empty()) out += '\n';
      out += text;
    }
    return out;
  }

 private:
  template <class Declaration>
  bool add(std::string name, const Declaration& declaration) {
    const auto [found, is_new] = declarations_.emplace(std::move(name), std::string());
    if (is_new) found->second = schema::print_pertinent(declaration, schema_);
    return is_new;
  }
  // True when the type names a declared one.
  bool add_type(const schema::Type& type);

  const schema::Schema& schema_;
  std::map<std::string, std::string> declarations_;
};

bool Pertinent::add_type(const schema::Type& type) {
  bool is_named = false;
  for (const schema::Type& argument : type.arguments) is_named |= add_type(argument);
  if (type.kind != schema::Type::Kind::Named) return is_named;
  const schema::TypeDeclaration* declaration = schema_.find_type(type.name);
  if (declaration == nullptr) return is_named;
  if (!add("type " + type.name, *declaration)) return true;
  add_type(declaration->underlying);
  for (const schema::Constructor& constructor : declaration->constructors) {
    for (const schema::DataField& field : constructor.fields) add_type(field.type);
  }
  return true;
}

// A deployment-wide cache default is the baseline of every query (§10.9).
void Pertinent::add_schema_cache() {
  const schema::CachePolicy& cache = schema_.cache;
  if (!cache.declared) return;
  std::string text = "schema cache";
  if (cache.store == schema::CachePolicy::Storability::NoStore) text += " no-store";
  if (cache.store == schema::CachePolicy::Storability::Private) text += " private";
  if (cache.revalidate) text += " revalidate";
  if (cache.max_age_seconds) text += " max-age " + std::to_string(*cache.max_age_seconds);
  if (cache.immutable) text += " immutable";
  if (cache.no_tenure) text += " no-tenure";
  declarations_.emplace("schema", std::move(text));
}

}  // namespace

std::string pertinent_declarations(const Draft& draft) {
  const schema::Schema& schema = draft.schema;
  Pertinent pertinent(schema);
  for (const EntityIndex entity : draft.touched.entities)
    pertinent.add_entity(draft.entity(entity));
  for (const std::string& name : draft.touched.roots) pertinent.add_root(*schema.find_root(name));
  for (const std::string& name : draft.touched.fragments) {
    pertinent.add_fragment(*schema.find_fragment(name));
  }
  for (const std::string& name : draft.touched.interfaces) {
    pertinent.add_interface(*schema.find_interface(name));
  }
  for (const std::string& name : draft.touched.claims)
    pertinent.add_claim(*schema.find_claim(name));
  pertinent.add_schema_cache();
  return pertinent.print();
}

void assign_identity(Draft& draft) {
  draft.plan.plan_id = plan_id(draft.plan.canonical, pertinent_declarations(draft));
}

}  // namespace lattice::plan
