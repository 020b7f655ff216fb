#include "base/diagnostic.h"

#include <fmt/format.h>
#include <utf8proc.h>

#include <algorithm>
#include <vector>

#include "base/utf8.h"

namespace lattice {
namespace {

constexpr size_t kLineBytesMax = 160;
constexpr size_t kContextBytes = 40;     // kept before the span when a long line is cut
constexpr size_t kSuggestBytesMax = 64;  // longer words are no misspelt names
constexpr std::string_view kCut = "...";

std::string_view severity_name(Severity severity) {
  switch (severity) {
    case Severity::Error:
      return "error";
    case Severity::Warning:
      return "warning";
    case Severity::Note:
      return "note";
  }
  return "error";
}

bool is_continuation(std::string_view text, size_t offset) {
  return offset < text.size() && (static_cast<uint8_t>(text[offset]) & 0xc0) == 0x80;
}

// The offset of the line feed before `offset`, plus one.
size_t line_begin(std::string_view text, size_t offset) {
  if (offset == 0) return 0;
  size_t feed = text.rfind('\n', offset - 1);
  return feed == std::string_view::npos ? 0 : feed + 1;
}

// One code point as a terminal shows it, and the columns that it takes. Controls and bytes that are
// not UTF-8 would disturb the terminal: they become U+FFFD.
struct Glyph {
  std::string_view bytes;
  size_t width = 1;
};
constexpr std::string_view kReplacement = "\xef\xbf\xbd";

Glyph next_glyph(std::string_view line, size_t& offset) {
  utf8proc_int32_t code_point = -1;
  utf8proc_ssize_t length =
      utf8proc_iterate(reinterpret_cast<const utf8proc_uint8_t*>(line.data()) + offset,
                       static_cast<utf8proc_ssize_t>(line.size() - offset), &code_point);
  if (length <= 0) {
    ++offset;
    return {kReplacement, 1};
  }
  std::string_view bytes = line.substr(offset, static_cast<size_t>(length));
  offset += static_cast<size_t>(length);
  if (code_point == '\t') return {"    ", 4};
  utf8proc_category_t category = utf8proc_category(code_point);
  bool is_control = category == UTF8PROC_CATEGORY_CC || category == UTF8PROC_CATEGORY_CF ||
                    category == UTF8PROC_CATEGORY_ZL || category == UTF8PROC_CATEGORY_ZP;
  if (is_control) return {kReplacement, 1};
  return {bytes, static_cast<size_t>(std::max(0, utf8proc_charwidth(code_point)))};
}

// The part of a line that is shown, and the span inside it as offsets into `line`.
struct Excerpt {
  std::string_view line;
  size_t span_begin = 0;
  size_t span_end = 0;
  bool cut_before = false;
  bool cut_after = false;
};

// The first line of `span`, cut around it when it is long.
Excerpt excerpt_of(std::string_view text, Span span) {
  size_t begin = std::min<size_t>(span.begin, text.size());
  size_t end = std::clamp<size_t>(span.end, begin, text.size());
  size_t first = line_begin(text, begin);
  size_t last = std::min(text.find('\n', begin), text.size());
  if (last > first && text[last - 1] == '\r') --last;
  begin = std::min(begin, last);
  end = std::min(end, last);
  Excerpt out;
  if (last - first > kLineBytesMax) {
    size_t from = begin - first > kContextBytes ? begin - kContextBytes : first;
    from = std::min(from, last - kLineBytesMax);
    size_t to = from + kLineBytesMax;
    while (from > first && is_continuation(text, from)) --from;
    while (to < last && is_continuation(text, to)) ++to;
    out.cut_before = from > first;
    out.cut_after = to < last;
    first = from;
    last = to;
    end = std::min(end, last);
  }
  out.line = text.substr(first, last - first);
  out.span_begin = begin - first;
  out.span_end = end - first;
  return out;
}

// The line of text and the line of carets under it, behind their gutters.
void append_excerpt(std::string& out, const Excerpt& excerpt, uint32_t line_number) {
  std::string shown;
  size_t pad = 0;
  size_t carets = 0;
  if (excerpt.cut_before) {
    shown += kCut;
    pad += kCut.size();
  }
  for (size_t offset = 0; offset < excerpt.line.size();) {
    size_t at = offset;
    Glyph glyph = next_glyph(excerpt.line, offset);
    shown += glyph.bytes;
    if (at < excerpt.span_begin) {
      pad += glyph.width;
    } else if (at < excerpt.span_end) {
      carets += glyph.width;
    }
  }
  if (excerpt.cut_after) shown += kCut;
  std::string number = std::to_string(line_number);
  out += fmt::format("  {} | {}\n", number, shown);
  out += fmt::format("  {:{}} | {:{}}{}\n", "", number.size(), "", pad,
                     std::string(std::max<size_t>(carets, 1), '^'));
}

// Optimal string alignment: insert, delete, replace, or swap two neighbours, each costs one.
size_t edit_distance(std::string_view left, std::string_view right) {
  std::vector<size_t> before(right.size() + 1);
  std::vector<size_t> above(right.size() + 1);
  std::vector<size_t> row(right.size() + 1);
  for (size_t j = 0; j <= right.size(); ++j) above[j] = j;
  for (size_t i = 1; i <= left.size(); ++i) {
    row[0] = i;
    for (size_t j = 1; j <= right.size(); ++j) {
      size_t replace = above[j - 1] + (left[i - 1] == right[j - 1] ? 0 : 1);
      row[j] = std::min({above[j] + 1, row[j - 1] + 1, replace});
      bool swapped = i > 1 && j > 1 && left[i - 1] == right[j - 2] && left[i - 2] == right[j - 1];
      if (swapped) row[j] = std::min(row[j], before[j - 2] + 1);
    }
    std::swap(before, above);
    std::swap(above, row);
  }
  return above[right.size()];
}

}  // namespace

Position position_of(std::string_view text, uint32_t offset) {
  size_t end = std::min<size_t>(offset, text.size());
  size_t begin = line_begin(text, end);
  auto feeds = std::count(text.begin(), text.begin() + static_cast<ptrdiff_t>(begin), '\n');
  Position position;
  position.line = static_cast<uint32_t>(feeds) + 1;
  position.column = static_cast<uint32_t>(count_code_points(text.substr(begin, end - begin))) + 1;
  return position;
}

std::string render_diagnostic(const Diagnostic& diagnostic, std::string_view name,
                              std::string_view text) {
  Position position = position_of(text, diagnostic.span.begin);
  std::string out = fmt::format("{}:{}:{}: {}: {}\n", name, position.line, position.column,
                                severity_name(diagnostic.severity), diagnostic.message);
  append_excerpt(out, excerpt_of(text, diagnostic.span), position.line);
  return out;
}

std::string render_error(const Error& error, std::string_view name, std::string_view text) {
  if (error.diagnostics.empty()) return fmt::format("{}: error: {}\n", name, error.message);
  std::string out;
  for (const Diagnostic& diagnostic : error.diagnostics) {
    if (diagnostic.source.empty() || diagnostic.source == name) {
      out += render_diagnostic(diagnostic, name, text);
    } else {
      // The span points into a text that we do not have.
      out += fmt::format("{}: {}: {}\n", diagnostic.source, severity_name(diagnostic.severity),
                         diagnostic.message);
    }
  }
  return out;
}

std::optional<std::string_view> closest_match(std::string_view word,
                                              std::span<const std::string_view> candidates) {
  if (word.empty() || word.size() > kSuggestBytesMax) return std::nullopt;
  size_t limit = std::max<size_t>(1, word.size() / 3);
  std::optional<std::string_view> best;
  for (std::string_view candidate : candidates) {
    size_t shorter = std::min(word.size(), candidate.size());
    size_t longer = std::max(word.size(), candidate.size());
    if (longer - shorter > limit) continue;
    size_t distance = edit_distance(word, candidate);
    if (distance > limit || distance >= longer) continue;  // nothing in common is no match
    best = candidate;
    if (distance == 0) break;
    limit = distance - 1;
  }
  return best;
}

std::string did_you_mean(std::string_view word, std::span<const std::string_view> candidates) {
  auto match = closest_match(word, candidates);
  return match ? fmt::format("; did you mean `{}`?", *match) : std::string();
}

}  // namespace lattice
