// JSON wire values as store values: variables, claims, literals, cursor columns and key texts all
// become what stores compare with (spec §3.5.3).
//
//   "42" of type I64 ──to_value──▶ Int 42        "Jedi" of type Episode ──▶ Text "Jedi"
//
// A value that does not fit its type becomes Null, which equals nothing: claims come from outside
// and a gate must fail closed on them.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/arena.h"
#include "base/json.h"
#include "schema/schema.h"
#include "store/value.h"

namespace lattice::exec {

// How a type's values are held, decided once a plan.
struct ScalarForm {
  schema::WireForm wire = schema::WireForm::Text;
  bool is_float = false;  // F32, F64: always Double
  bool is_jcs = false;    // of type Json: RFC 8785
};
ScalarForm scalar_form(const schema::Type& type, const schema::Schema& schema);

// Text is viewed where `json` holds it, so `json` must outlive the value; what has to be made lives
// in `arena`.
store::Value to_value(const Json& json, ScalarForm form, Arena& arena);

// The wire value of a stored scalar (cursors). Null becomes null.
Json to_wire(const store::Value& value, ScalarForm form);

// The value of one key field from its text in a ref or URL; nullopt when the text is no value of
// `type`.
std::optional<store::Value> parse_key_text(std::string_view text, const schema::Type& type,
                                           const schema::Schema& schema, Arena& arena);

}  // namespace lattice::exec
