#include "origin/parameters.h"

#include "base/check.h"
#include "base/percent.h"

namespace lattice::origin {

namespace {

constexpr std::pair<std::string_view, SliceName> kSlices[] = {
    {"plan", SliceName::Plan}, {"pub", SliceName::Pub},   {"ctx", SliceName::Ctx},
    {"priv", SliceName::Priv}, {"page", SliceName::Page},
};

constexpr std::pair<std::string_view, std::optional<std::string> Parameters::*> kReserved[] = {
    {"p", &Parameters::p},           {"vc", &Parameters::vc}, {"project", &Parameters::project},
    {"live", &Parameters::live},     {"d", &Parameters::d},   {"dv", &Parameters::dv},
    {"intent", &Parameters::intent},
};

std::optional<std::string> Parameters::*find_reserved(std::string_view name) {
  for (const auto& [reserved, member] : kReserved) {
    if (reserved == name) return member;
  }
  return nullptr;
}

Result<void> take(Parameters& out, std::string name, std::string value) {
  auto twice = [&] { return fail(Code::BadRequest, "the parameter `" + name + "` stands twice"); };
  if (name == "slice") {
    if (out.slice) return twice();
    out.slice = find_slice(value);
    if (!out.slice) {
      return fail(Code::BadRequest, "`slice` is plan, pub, ctx, priv or page, not `" + value + "`");
    }
    return {};
  }
  if (auto member = find_reserved(name)) {
    if (out.*member) return twice();
    out.*member = std::move(value);
    return {};
  }
  for (const auto& [other, unused] : out.variables) {
    if (other == name) return twice();
  }
  out.variables.emplace_back(std::move(name), std::move(value));
  return {};
}

std::vector<std::string> reserved_other_than(const Parameters& parameters,
                                             std::initializer_list<std::string_view> known) {
  auto is_known = [&](std::string_view name) {
    return std::find(known.begin(), known.end(), name) != known.end();
  };
  std::vector<std::string> out;
  for (const auto& [name, member] : kReserved) {
    if (parameters.*member && !is_known(name)) out.emplace_back(name);
  }
  if (parameters.slice && !is_known("slice")) out.emplace_back("slice");
  return out;
}

}  // namespace

std::string_view slice_text(SliceName slice) {
  for (const auto& [text, name] : kSlices) {
    if (name == slice) return text;
  }
  LATTICE_CHECK(false, static_cast<int>(slice));
  return {};
}

std::optional<SliceName> find_slice(std::string_view text) {
  for (const auto& [known, name] : kSlices) {
    if (known == text) return name;
  }
  return std::nullopt;
}

plan::Slice data_slice_of(SliceName slice) {
  switch (slice) {
    case SliceName::Pub:
      return plan::Slice::Pub;
    case SliceName::Ctx:
      return plan::Slice::Ctx;
    case SliceName::Priv:
      return plan::Slice::Priv;
    default:
      break;
  }
  LATTICE_CHECK(false, static_cast<int>(slice));
  return plan::Slice::Pub;
}

SliceName name_of(plan::Slice slice) {
  switch (slice) {
    case plan::Slice::Pub:
      return SliceName::Pub;
    case plan::Slice::Ctx:
      return SliceName::Ctx;
    case plan::Slice::Priv:
      break;
  }
  return SliceName::Priv;
}

Result<Parameters> parse_parameters(std::string_view query) {
  auto pairs = parse_url_query(query);
  if (!pairs) return fail(Code::BadRequest, "the query part of the URL: " + pairs.error().message);
  if (pairs->size() > kParametersMax) {
    return fail(Code::BadRequest, "the URL has " + std::to_string(pairs->size()) +
                                      " parameters; at most " + std::to_string(kParametersMax) +
                                      " are read");
  }
  Parameters out;
  for (auto& [name, value] : *pairs) {
    LATTICE_TRY_VOID(take(out, std::move(name), std::move(value)));
  }
  if (out.project && *out.project != "refs") {
    return fail(Code::BadRequest, "`project` can only be refs, not `" + *out.project + "`");
  }
  return out;
}

Result<void> refuse_other_than(const Parameters& parameters,
                               std::initializer_list<std::string_view> known) {
  std::vector<std::string> unknown = reserved_other_than(parameters, known);
  if (unknown.empty()) return {};
  return fail(unknown_parameters(unknown));
}

Result<void> refuse_parameters(std::string_view query) {
  LATTICE_TRY(Parameters parameters, parse_parameters(query));
  std::vector<std::string> names = reserved_other_than(parameters, {});
  for (const auto& [name, value] : parameters.variables) names.push_back(name);
  if (names.empty()) return {};
  return fail(unknown_parameters(names));
}

Error unknown_parameters(const std::vector<std::string>& names) {
  std::string list;
  for (const std::string& name : names) {
    list += list.empty() ? "`" : ", `";
    list += name + "`";
  }
  Error error{Code::BadRequest,
              names.size() == 1 ? "the parameter " + list + " means nothing here"
                                : "the parameters " + list + " mean nothing here",
              {},
              {},
              false};
  return error;
}

std::string granted_url(std::string_view hash, std::string_view plan_id, SliceName slice,
                        const std::vector<std::pair<std::string, std::string>>& variables,
                        bool refs_only) {
  std::string out = "/q/";
  out += hash;
  out += slice == SliceName::Plan ? "?" : "?p=";
  if (slice != SliceName::Plan) {
    out += plan_id;
    out += '&';
  }
  out += "slice=";
  out += slice_text(slice);
  for (const auto& [name, value] : variables) {
    out += '&';
    append_percent_encoded(out, name);
    out += '=';
    append_percent_encoded(out, value);
  }
  if (refs_only) out += "&project=refs";
  return out;
}

}  // namespace lattice::origin
