#include "schema/format.h"

#include "schema/lex.h"
#include "schema/parse.h"
#include "schema/selection_parser.h"

namespace lattice::schema {

namespace {

using Kind = IdlTokenKind;

constexpr size_t kIndentStep = 2;
constexpr size_t kContinuationIndent = 4;

constexpr std::string_view kDeclarationWords[] = {
    "schema", "directive", "newtype", "data", "enum", "claims",  "interface",
    "entity", "extend",    "fragment", "get", "list", "mutation"};
constexpr std::string_view kClauseWords[] = {"allow", "writes", "invalidates", "effect",
                                             "as",    "errors", "batch",       "cache"};

template <size_t size>
bool is_one_of(std::string_view word, const std::string_view (&words)[size]) {
  return std::ranges::find(words, word) != std::end(words);
}

// What the lines inside a pair of braces are.
enum class Block : uint8_t { TopLevel, Members, Clauses, Selections };

// One line of the author's: tokens [begin, end), the comments above it and the one behind it.
struct Line {
  size_t begin = 0;
  size_t end = 0;
  bool blank_before = false;  // before its first comment, or before itself
  bool blank_inside = false;  // between its comments and itself
  std::vector<std::string> comments;
  std::string trailing;
};

// A line as it will be printed.
struct Layout {
  size_t indent = 0;
  std::string head;  // up to what is aligned with the neighbours; the whole line otherwise
  std::string tail;
  bool is_aligned = false;
  bool is_field = false;  // aligned with fields, else with clauses
};

class SchemaFormatter {
 public:
  SchemaFormatter(std::string_view text, std::vector<IdlToken> tokens)
      : text_(text), tokens_(std::move(tokens)) {}
  std::string run();

 private:
  std::string_view text_of(size_t index) const {
    const Span span = tokens_[index].span;
    return text_.substr(span.begin, span.end - span.begin);
  }
  bool is(size_t index, Kind kind) const {
    return index < tokens_.size() && tokens_[index].kind == kind;
  }
  bool is_word(size_t index, std::string_view word) const {
    return is(index, Kind::Name) && text_of(index) == word;
  }

  std::vector<Line> read_lines();
  void read_gap(std::string_view gap, Line& line, Line* previous);
  Layout lay_out(const Line& line);
  bool begins_item(size_t first) const;
  bool begins_member(size_t first) const;
  size_t field_colon(size_t first) const;
  Block inner_block() const;
  void follow_braces(const Line& line, size_t indent);
  std::string join(size_t begin, size_t end) const;
  bool needs_space(size_t left, size_t right) const;
  bool is_path_brace(size_t index) const;
  void print(const std::vector<Line>& lines, std::vector<Layout>& layouts);

  std::string_view text_;
  std::vector<IdlToken> tokens_;
  struct OpenBlock {
    Block kind = Block::TopLevel;
    size_t indent = 0;  // of its items
  };
  std::vector<OpenBlock> blocks_ = {{}};           // of the braces open before the line
  size_t brackets_ = 0;                            // parentheses and brackets open before it
  size_t item_indent_ = 0;                         // of the item that the line belongs to
  std::string_view declaration_;                   // the word that began the declaration
  std::string out_;
};

// Reads the comments in `gap`, which stands before `line` and after `previous`.
void SchemaFormatter::read_gap(std::string_view gap, Line& line, Line* previous) {
  uint32_t line_ends = 0;
  bool blank = false;
  for (size_t i = 0; i < gap.size(); ++i) {
    if (gap[i] == '\n') ++line_ends;
    if (gap[i] != '#' && gap[i] != '-') continue;
    const size_t end = std::min(gap.find('\n', i), gap.size());
    std::string_view comment = gap.substr(i, end - i);
    comment = comment.substr(0, comment.find_last_not_of(" \t\r") + 1);
    const bool is_first = line.comments.empty();
    if (previous != nullptr && line_ends == 0 && is_first) {
      previous->trailing = comment;
    } else {
      blank = line_ends > 1 || (previous == nullptr && line_ends > 0 && !is_first);
      if (is_first) {
        line.blank_before = blank;
      } else if (blank) {
        line.comments.emplace_back();  // an empty line between comments
      }
      line.comments.emplace_back(comment);
    }
    line_ends = 0;
    i = end - 1;
  }
  (line.comments.empty() ? line.blank_before : line.blank_inside) = line_ends > 1;
}

// Splits the tokens where the author ended lines; the End token gets a line of its own.
std::vector<Line> SchemaFormatter::read_lines() {
  std::vector<Line> lines;
  uint32_t end_of_last = 0;
  for (size_t i = 0; i < tokens_.size(); ++i) {
    const IdlToken& token = tokens_[i];
    const std::string_view gap = text_.substr(end_of_last, token.span.begin - end_of_last);
    end_of_last = token.span.end;
    const bool breaks = lines.empty() || gap.find('\n') != std::string_view::npos ||
                        token.kind == Kind::End;
    if (breaks) {
      Line line;
      line.begin = i;
      read_gap(gap, line, lines.empty() ? nullptr : &lines.back());
      lines.push_back(std::move(line));
    }
    lines.back().end = i + 1;
  }
  return lines;
}

// The colon of a field or parameter `name: ..` or `name(..): ..`; 0 when there is none.
size_t SchemaFormatter::field_colon(size_t first) const {
  if (!is(first, Kind::Name)) return 0;
  if (is(first + 1, Kind::Colon)) return first + 1;
  if (!is(first + 1, Kind::ParenOpen)) return 0;
  const uint16_t depth = tokens_[first + 1].depth;
  size_t close = first + 2;
  while (close < tokens_.size() &&
         !(is(close, Kind::ParenClose) && tokens_[close].depth == depth)) {
    ++close;
  }
  return is(close + 1, Kind::Colon) ? close + 1 : 0;
}

// Whether a line in the body of an entity, interface, record or claims block begins a member.
bool SchemaFormatter::begins_member(size_t first) const {
  if (field_colon(first) != 0) return true;
  if (is_word(first, "has") || is_word(first, "fetch") || is_word(first, "owner") ||
      is_word(first, "hidden")) {
    return true;
  }
  if (is_word(first, "visible")) return is_word(first + 1, "to");
  return is_word(first, "private") && is_word(first + 1, "by");
}

// Whether the line that begins at token `first` begins an item of its block, or continues one.
bool SchemaFormatter::begins_item(size_t first) const {
  if (brackets_ > 0) return false;
  if (is(first, Kind::String) || is(first, Kind::BraceClose) || is(first, Kind::End)) return true;
  // Directives that stand before a declaration, not behind a derivation.
  if (is(first, Kind::At)) return !is_word(first + 1, "declassify");
  switch (blocks_.back().kind) {
    case Block::TopLevel: return is(first, Kind::Name) && is_one_of(text_of(first), kDeclarationWords);
    case Block::Members: return begins_member(first);
    case Block::Clauses: return is(first, Kind::Name) && is_one_of(text_of(first), kClauseWords);
    case Block::Selections: return true;
  }
  return true;
}

bool SchemaFormatter::is_path_brace(size_t index) const {
  if (is(index, Kind::BraceOpen)) return index > 0 && is(index - 1, Kind::Slash);
  return is(index, Kind::BraceClose) && index >= 2 && is_path_brace(index - 2);
}

// What stands in the braces that open now.
Block SchemaFormatter::inner_block() const {
  if (blocks_.size() > 1) return blocks_.back().kind;
  if (declaration_ == "fragment") return Block::Selections;
  return declaration_ == "mutation" ? Block::Clauses : Block::Members;
}

// Moves the open braces and brackets past the line; what it opens belongs to an item at `indent`.
void SchemaFormatter::follow_braces(const Line& line, size_t indent) {
  for (size_t i = line.begin; i < line.end; ++i) {
    if (is_path_brace(i)) continue;
    switch (tokens_[i].kind) {
      case Kind::BraceOpen: blocks_.push_back({inner_block(), indent + kIndentStep}); break;
      case Kind::BraceClose:
        if (blocks_.size() > 1) blocks_.pop_back();
        break;
      case Kind::ParenOpen:
      case Kind::BracketOpen: ++brackets_; break;
      case Kind::ParenClose:
      case Kind::BracketClose:
        if (brackets_ > 0) --brackets_;
        break;
      default: break;
    }
  }
}

bool SchemaFormatter::needs_space(size_t left, size_t right) const {
  const Kind l = tokens_[left].kind;
  const Kind r = tokens_[right].kind;
  if (is_path_brace(left) || is_path_brace(right)) return l == Kind::BraceClose && r != Kind::Slash;
  if (r == Kind::Comma || r == Kind::Colon || r == Kind::ParenClose || r == Kind::BracketClose ||
      r == Kind::Question || r == Kind::Plus || r == Kind::Dot) {
    return false;
  }
  if (l == Kind::ParenOpen || l == Kind::BracketOpen || l == Kind::At || l == Kind::Dollar ||
      l == Kind::Dot) {
    return false;
  }
  if (l == Kind::Spread) return is_word(right, "on");
  if (l == Kind::Slash) return false;
  // A path begins after a verb and goes on after a name.
  if (r == Kind::Slash) return tokens_[left].span.end != tokens_[right].span.begin;
  if (r == Kind::ParenOpen) {
    if (is(left, Kind::BracketClose) || l == Kind::Comma || l == Kind::Colon) return true;
    return l != Kind::Name || is_word(left, "by") || is_word(left, "of");
  }
  return true;
}

std::string SchemaFormatter::join(size_t begin, size_t end) const {
  std::string out;
  for (size_t i = begin; i < end; ++i) {
    if (i != begin && needs_space(i - 1, i)) out += ' ';
    out += text_of(i);
  }
  return out;
}

Layout SchemaFormatter::lay_out(const Line& line) {
  Layout layout;
  const size_t first = line.begin;
  if (begins_item(first)) {
    const bool closes = is(first, Kind::BraceClose) && blocks_.size() > 1;
    item_indent_ = blocks_.back().indent - (closes ? kIndentStep : 0);
    layout.indent = item_indent_;
    if (blocks_.size() == 1 && is(first, Kind::Name)) declaration_ = text_of(first);
  } else if (is(first, Kind::Equals) || is(first, Kind::Pipe)) {
    layout.indent = item_indent_ + kIndentStep;  // the alternatives of a sum
  } else if (brackets_ > 0 && (is(first, Kind::ParenClose) || is(first, Kind::BracketClose))) {
    layout.indent = item_indent_;
  } else {
    layout.indent = item_indent_ + (brackets_ > 0 ? kIndentStep : kContinuationIndent);
  }
  size_t split = line.end;
  const bool is_member = blocks_.back().kind == Block::Members && brackets_ == 0;
  if (is_member && is(first + 1, Kind::Colon) && is(first, Kind::Name)) {
    split = first + 2;
    layout.is_field = true;
  } else if (blocks_.back().kind == Block::Clauses && begins_item(first) && is(first, Kind::Name)) {
    split = first + 1;
  }
  layout.is_aligned = split < line.end;
  layout.head = join(first, split);
  layout.tail = join(split, line.end);
  const bool is_alternative = is(first, Kind::Equals) || is(first, Kind::Pipe);
  follow_braces(line, is_alternative ? layout.indent : item_indent_);
  return layout;
}

void SchemaFormatter::print(const std::vector<Line>& lines, std::vector<Layout>& layouts) {
  // Aligns the lines that follow one another without an empty line between them.
  for (size_t begin = 0; begin < lines.size();) {
    size_t end = begin + 1;
    size_t width = layouts[begin].head.size();
    while (end < lines.size() && layouts[begin].is_aligned && layouts[end].is_aligned &&
           layouts[end].is_field == layouts[begin].is_field &&
           layouts[end].indent == layouts[begin].indent && !lines[end].blank_before &&
           lines[end].comments.empty()) {
      width = std::max(width, layouts[end].head.size());
      ++end;
    }
    for (size_t i = begin; i < end; ++i) {
      if (layouts[i].is_aligned) layouts[i].head.resize(width + 1, ' ');
    }
    begin = end;
  }
  for (size_t i = 0; i < lines.size(); ++i) {
    const Line& line = lines[i];
    const Layout& layout = layouts[i];
    const bool closes = is(line.begin, Kind::BraceClose);
    const bool after_open = i > 0 && is(lines[i - 1].end - 1, Kind::BraceOpen);
    const bool at_edge = out_.empty() || after_open;
    if (line.blank_before && !at_edge && !(closes && line.comments.empty())) out_ += '\n';
    const std::string indent(layout.indent + (closes ? kIndentStep : 0), ' ');
    for (const std::string& comment : line.comments) {
      out_ += comment.empty() ? "\n" : indent + comment + '\n';
    }
    if (is(line.begin, Kind::End)) continue;
    if (line.blank_inside && !closes) out_ += '\n';
    out_.append(layout.indent, ' ');
    out_ += layout.head + layout.tail;
    if (!line.trailing.empty()) out_ += "  " + line.trailing;
    out_ += '\n';
  }
}

std::string SchemaFormatter::run() {
  const std::vector<Line> lines = read_lines();
  std::vector<Layout> layouts;
  layouts.reserve(lines.size());
  for (const Line& line : lines) layouts.push_back(lay_out(line));
  print(lines, layouts);
  return std::move(out_);
}

}  // namespace

Result<std::string> format_schema(std::string_view text) {
  std::vector<Diagnostic> diagnostics;
  parse_document(text, diagnostics);
  if (!diagnostics.empty()) return fail(error_of(Code::SchemaInvalid, std::move(diagnostics)));
  return SchemaFormatter(text, lex_document(text, diagnostics)).run();
}

}  // namespace lattice::schema
