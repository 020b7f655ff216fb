#include "query/format.h"

#include "query/document.h"
#include "schema/selection_parser.h"

namespace lattice::query {

namespace {

using schema::SelectionParser;
using schema::Token;
using schema::TokenKind;

constexpr size_t kColumnsMax = 100;
constexpr size_t kIndentStep = 2;

struct Comment {
  std::string text;            // from its `#` on
  bool is_trailing = false;    // on the line of the token before it
  bool blank_before = false;   // after an empty line
};

// A token, and what stood between it and the one before.
struct Piece {
  TokenKind kind = TokenKind::End;
  std::string text;  // as written
  std::vector<Comment> comments;
  bool blank_before = false;
};

// The comments of `gap`, which holds ignored tokens only.
void read_gap(std::string_view gap, Piece& piece, bool at_start) {
  uint32_t line_ends = at_start ? 1 : 0;  // since the last token or comment
  for (size_t i = 0; i < gap.size(); ++i) {
    if (gap[i] == '\n' || (gap[i] == '\r' && (i + 1 == gap.size() || gap[i + 1] != '\n'))) {
      ++line_ends;
    }
    if (gap[i] != '#') continue;
    const size_t end = std::min(gap.find_first_of("\r\n", i), gap.size());
    std::string_view text = gap.substr(i, end - i);
    text = text.substr(0, text.find_last_not_of(" \t,") + 1);
    piece.comments.push_back({std::string(text), line_ends == 0, line_ends > 1});
    line_ends = 0;
    i = end - 1;
  }
  piece.blank_before = line_ends > 1;
}

std::vector<Piece> read_pieces(std::string_view text) {
  SelectionParser parser(text, 0, {});
  std::vector<Piece> pieces;
  uint32_t end_of_last = 0;
  while (true) {
    const Token token = parser.take();
    Piece& piece = pieces.emplace_back();
    piece.kind = token.kind;
    piece.text = text.substr(token.span.begin, token.span.end - token.span.begin);
    read_gap(text.substr(end_of_last, token.span.begin - end_of_last), piece, pieces.size() == 1);
    if (token.kind == TokenKind::End) return pieces;
    end_of_last = token.span.end;
  }
}

// One line of a list in parentheses, or the whole head of a selection: text and its comments.
struct Item {
  std::vector<Comment> above;
  std::string text;
  std::vector<Comment> behind;
};

class Formatter {
 public:
  explicit Formatter(std::vector<Piece> pieces) : pieces_(std::move(pieces)) {}
  std::string run();

 private:
  // A piece of a head: plain text, or a list in parentheses that may be broken over lines.
  struct Part {
    std::string text;
    bool is_list = false;
    std::vector<Item> items;
    std::vector<Comment> closing;  // before the `)`
  };

  const Piece& peek(size_t ahead = 0) const {
    return pieces_[std::min(next_ + ahead, pieces_.size() - 1)];
  }
  bool at(TokenKind kind) const { return peek().kind == kind; }
  bool at_word(std::string_view word) const {
    return at(TokenKind::Name) && peek().text == word;
  }
  // Takes the next piece; its comments join `comments`.
  std::string take(std::vector<Comment>& comments);

  void write_definition();
  void write_selections();
  void write_head(std::vector<Part> parts, std::vector<Comment> above);
  void write_list(const Part& list);
  void write_comments(const std::vector<Comment>& comments, bool may_trail);
  void write_leading(bool is_first);
  void write_line(std::string_view text);
  void blank_line();

  Part read_list(std::vector<Comment>& hoisted);
  std::vector<Part> read_head(std::vector<Comment>& hoisted);
  std::string read_value(std::vector<Comment>& comments);
  static std::string flatten(const Part& part);

  std::vector<Piece> pieces_;
  size_t next_ = 0;
  size_t indent_ = 0;
  std::string out_;
};

std::string Formatter::take(std::vector<Comment>& comments) {
  Piece& piece = pieces_[next_++];
  for (Comment& comment : piece.comments) comments.push_back(std::move(comment));
  return std::move(piece.text);
}

void Formatter::write_line(std::string_view text) {
  out_.append(indent_ * kIndentStep, ' ');
  out_ += text;
  out_ += '\n';
}

void Formatter::blank_line() {
  if (!out_.empty() && !out_.ends_with("\n\n")) out_ += '\n';
}

// Trailing comments go behind the last line, the others on lines of their own.
void Formatter::write_comments(const std::vector<Comment>& comments, bool may_trail) {
  for (const Comment& comment : comments) {
    if (may_trail && comment.is_trailing && out_.ends_with('\n')) {
      out_.pop_back();
      out_ += "  " + comment.text + '\n';
      may_trail = false;  // a second one would join the first
      continue;
    }
    if (comment.blank_before) blank_line();
    write_line(comment.text);
    may_trail = false;
  }
}

// What stands before the next piece: its comments, and an empty line if there was one.
void Formatter::write_leading(bool is_first) {
  Piece& piece = pieces_[next_];
  if (is_first && !piece.comments.empty()) piece.comments.front().blank_before = false;
  const bool blank = piece.blank_before && !(is_first && piece.comments.empty());
  write_comments(std::exchange(piece.comments, {}), true);
  if (blank && piece.kind != TokenKind::BraceClose) blank_line();
}

std::string Formatter::run() {
  bool after_import = false;
  while (!at(TokenKind::End)) {
    const bool is_import = at_word("import");
    // Trailing comments belong to the definition before.
    Piece& piece = pieces_[next_];
    size_t trailing = 0;
    while (trailing < piece.comments.size() && piece.comments[trailing].is_trailing) ++trailing;
    const auto end = piece.comments.begin() + static_cast<std::ptrdiff_t>(trailing);
    write_comments({piece.comments.begin(), end}, true);
    piece.comments.erase(piece.comments.begin(), end);
    const bool was_apart =
        piece.comments.empty() ? piece.blank_before : piece.comments.front().blank_before;
    if (!after_import || !is_import || was_apart) blank_line();
    if (!piece.comments.empty()) piece.comments.front().blank_before = false;
    write_leading(false);
    write_definition();
    after_import = is_import;
  }
  write_leading(false);
  while (out_.ends_with("\n\n")) out_.pop_back();
  return std::move(out_);
}

// `import "path"`, or a query or fragment with its selections.
void Formatter::write_definition() {
  std::vector<Comment> hoisted;
  auto parts = read_head(hoisted);
  write_head(std::move(parts), std::move(hoisted));
}

// The words before a selection set, or a whole line without one.
std::vector<Formatter::Part> Formatter::read_head(std::vector<Comment>& hoisted) {
  std::vector<Part> parts(1);
  const auto add = [&](std::string_view separator, std::string text) {
    if (parts.back().is_list) parts.emplace_back();
    parts.back().text += separator;
    parts.back().text += text;
  };
  if (at(TokenKind::Spread)) {
    add("", take(hoisted));
    if (at_word("on")) add(" ", take(hoisted));
    add(parts.back().text == "..." ? "" : " ", take(hoisted));
  } else {
    const bool is_import = indent_ == 0 && at_word("import");
    const bool is_field = indent_ != 0;
    add("", take(hoisted));
    if (is_import) add(" ", take(hoisted));
    while (!is_import && !is_field && at(TokenKind::Name)) add(" ", take(hoisted));
  }
  while (true) {
    if (at(TokenKind::ParenOpen)) {
      parts.push_back(read_list(hoisted));
    } else if (at(TokenKind::At)) {
      add(" ", take(hoisted));
      add("", take(hoisted));
    } else if (indent_ == 0 && at(TokenKind::Name) && at_word("on")) {
      add(" ", take(hoisted));
      add(" ", take(hoisted));
    } else {
      return parts;
    }
  }
}

// "(" { name ":" value } ")" or the same with variables and types.
Formatter::Part Formatter::read_list(std::vector<Comment>& hoisted) {
  Part list;
  list.is_list = true;
  take(hoisted);
  while (!at(TokenKind::ParenClose) && !at(TokenKind::End)) {
    Item item;
    std::vector<Comment> before;
    const auto lead = [&](std::vector<Comment>& comments) {
      for (Comment& comment : comments) {
        const bool trails = comment.is_trailing && !list.items.empty() && item.above.empty() &&
                            list.items.back().behind.empty();
        (trails ? list.items.back().behind : item.above).push_back(std::move(comment));
      }
      comments.clear();
    };
    if (at(TokenKind::Dollar) || at(TokenKind::Name) || at(TokenKind::Number)) {
      const bool is_variable = at(TokenKind::Dollar);
      item.text = take(before);
      lead(before);
      if (is_variable) item.text += take(item.above);
    }
    if (at(TokenKind::Colon)) {
      item.text += take(item.above);
      item.text += ' ';
      item.text += read_value(item.above);
      if (at(TokenKind::Question)) item.text += take(item.above);
    }
    if (at(TokenKind::Equals)) {
      item.text += " " + take(item.above) + " ";
      item.text += read_value(item.above);
    }
    list.items.push_back(std::move(item));
  }
  std::vector<Comment> closing;
  take(closing);
  for (Comment& comment : closing) {
    const bool trails = comment.is_trailing && !list.items.empty() && list.closing.empty() &&
                        list.items.back().behind.empty();
    (trails ? list.items.back().behind : list.closing).push_back(std::move(comment));
  }
  return list;
}

std::string Formatter::read_value(std::vector<Comment>& comments) {
  if (at(TokenKind::Dollar)) {
    std::string out = take(comments);
    return out + take(comments);
  }
  if (!at(TokenKind::BracketOpen)) return take(comments);
  std::string out = take(comments);
  while (!at(TokenKind::BracketClose) && !at(TokenKind::End)) {
    if (out.size() > 1) out += ", ";
    out += read_value(comments);
  }
  return out + take(comments);
}

std::string Formatter::flatten(const Part& part) {
  if (!part.is_list) return part.text;
  std::string out = "(";
  for (const Item& item : part.items) {
    if (out.size() > 1) out += ", ";
    out += item.text;
  }
  return out + ")";
}

// Writes a head and the selection set behind it, if there is one.
void Formatter::write_head(std::vector<Part> parts, std::vector<Comment> above) {
  const bool has_set = at(TokenKind::BraceOpen);
  if (has_set) {
    for (Comment& comment : std::exchange(pieces_[next_].comments, {})) {
      above.push_back(std::move(comment));
    }
  }
  write_comments(above, false);
  size_t columns = indent_ * kIndentStep + (has_set ? 2 : 0);
  for (const Part& part : parts) columns += flatten(part).size();
  out_.append(indent_ * kIndentStep, ' ');
  bool too_long = columns > kColumnsMax;
  for (const Part& part : parts) {
    const bool has_comments =
        !part.closing.empty() || std::ranges::any_of(part.items, [](const Item& item) {
          return !item.above.empty() || !item.behind.empty();
        });
    if (part.is_list && (too_long || has_comments)) {
      write_list(part);
      too_long = false;  // breaking the first list is enough
    } else {
      out_ += flatten(part);
    }
  }
  out_ += has_set ? " {\n" : "\n";
  if (has_set) write_selections();
}

// A list with each item on a line of its own.
void Formatter::write_list(const Part& list) {
  out_ += "(\n";
  ++indent_;
  for (const Item& item : list.items) {
    write_comments(item.above, false);
    write_line(item.text);
    write_comments(item.behind, true);
  }
  write_comments(list.closing, false);
  --indent_;
  out_.append(indent_ * kIndentStep, ' ');
  out_ += ')';
}

// The selections behind a head that has written its `{`.
void Formatter::write_selections() {
  ++next_;
  ++indent_;
  bool is_first = true;
  while (!at(TokenKind::BraceClose) && !at(TokenKind::End)) {
    write_leading(is_first);
    is_first = false;
    write_definition();
  }
  write_leading(is_first);
  --indent_;
  ++next_;
  write_line("}");
}

}  // namespace

Result<std::string> format_query(std::string_view text, const QueryLimits& limits) {
  Findings findings(limits.diagnostics_max);
  const ImportLoader no_imports = [](std::string_view) { return std::optional<std::string>(""); };
  const Document document = parse_document(text, limits, no_imports, findings);
  if (findings.any()) return fail(findings.take_error(document.sources));
  return Formatter(read_pieces(text)).run();
}

}  // namespace lattice::query
