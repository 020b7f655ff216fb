// Timestamps, dates, times of day and durations.
#include "schema/scalars.h"
#include "schema/value.h"

namespace lattice::schema {

namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

// Reads forms from the left; every reader returns false without a promise about the cursor.
class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}
  bool at_end() const { return cursor_ == text_.size(); }
  char peek() const { return at_end() ? '\0' : text_[cursor_]; }
  bool accept(char c) {
    if (peek() != c) return false;
    ++cursor_;
    return true;
  }
  // Exactly `count` digits.
  bool number(size_t count, int& out) {
    out = 0;
    for (size_t i = 0; i < count; ++i) {
      if (!is_digit(peek())) return false;
      out = out * 10 + (text_[cursor_++] - '0');
    }
    return true;
  }
  // All digits that follow.
  std::string_view digits() {
    const size_t begin = cursor_;
    while (is_digit(peek())) ++cursor_;
    return text_.substr(begin, cursor_ - begin);
  }

 private:
  std::string_view text_;
  size_t cursor_ = 0;
};

struct Day {
  int year = 0;
  int month = 0;
  int day = 0;
};

int days_in_month(int year, int month) {
  static constexpr int kDays[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  const bool is_leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
  return month == 2 && is_leap ? 29 : kDays[month - 1];
}

bool read_day(Reader& reader, Day& out) {
  return reader.number(4, out.year) && reader.accept('-') && reader.number(2, out.month) &&
         reader.accept('-') && reader.number(2, out.day) && out.month >= 1 && out.month <= 12 &&
         out.day >= 1 && out.day <= days_in_month(out.year, out.month);
}

struct Time {
  int hour = 0;
  int minute = 0;
  int second = 0;
  std::string fraction;  // without trailing zeros
};

bool read_time(Reader& reader, Time& out, Spelling spelling) {
  constexpr size_t kFractionDigitsMax = 18;
  if (!reader.number(2, out.hour) || !reader.accept(':') || !reader.number(2, out.minute))
    return false;
  if (reader.accept(':')) {
    if (!reader.number(2, out.second)) return false;
    if (reader.accept('.')) {
      out.fraction = reader.digits();
      if (out.fraction.empty() || out.fraction.size() > kFractionDigitsMax) return false;
      out.fraction.erase(out.fraction.find_last_not_of('0') + 1);
    }
  } else if (spelling == Spelling::Strict) {
    return false;
  }
  return out.hour <= 23 && out.minute <= 59 && out.second <= 59;
}

// `Z`, and leniently nothing (UTC) or an offset `+02`, `+0200`, `+02:00`.
bool read_zone(Reader& reader, Spelling spelling, int& offset_minutes) {
  offset_minutes = 0;
  if (reader.accept('Z')) return true;
  if (spelling == Spelling::Strict) return false;
  if (reader.at_end() || reader.accept('z')) return true;
  const bool is_west = reader.peek() == '-';
  if (!reader.accept('+') && !reader.accept('-')) return false;
  int hours = 0;
  int minutes = 0;
  if (!reader.number(2, hours)) return false;
  reader.accept(':');
  if (!reader.at_end() && !reader.number(2, minutes)) return false;
  if (hours > 23 || minutes > 59) return false;
  offset_minutes = (hours * 60 + minutes) * (is_west ? -1 : 1);
  return true;
}

// Moves the moment by `minutes`; false when it leaves the years 0000 to 9999.
bool shift(Day& day, Time& time, int minutes) {
  int total = time.hour * 60 + time.minute + minutes;
  for (; total < 0; total += 1440) {
    if (--day.day > 0) continue;
    if (--day.month == 0) {
      day.month = 12;
      if (--day.year < 0) return false;
    }
    day.day = days_in_month(day.year, day.month);
  }
  for (; total >= 1440; total -= 1440) {
    if (++day.day <= days_in_month(day.year, day.month)) continue;
    day.day = 1;
    if (++day.month == 13) {
      day.month = 1;
      if (++day.year > 9999) return false;
    }
  }
  time.hour = total / 60;
  time.minute = total % 60;
  return true;
}

void append_number(std::string& out, int value, size_t width) {
  const std::string digits = std::to_string(value);
  out.append(width - std::min(width, digits.size()), '0');
  out += digits;
}

void append_day(std::string& out, const Day& day) {
  append_number(out, day.year, 4);
  out += '-';
  append_number(out, day.month, 2);
  out += '-';
  append_number(out, day.day, 2);
}

void append_time(std::string& out, const Time& time) {
  append_number(out, time.hour, 2);
  out += ':';
  append_number(out, time.minute, 2);
  out += ':';
  append_number(out, time.second, 2);
  if (!time.fraction.empty()) out += '.' + time.fraction;
}

bool is_midnight(const Time& time) {
  return time.hour == 0 && time.minute == 0 && time.second == 0 && time.fraction.empty();
}

// One component of a duration: digits, and a fraction when it is the last.
bool read_component(Reader& reader, std::string& number, bool& has_fraction) {
  constexpr size_t kDigitsMax = 18;
  const std::string_view whole = reader.digits();
  if (whole.empty() || whole.size() > kDigitsMax) return false;
  const size_t first = whole.find_first_not_of('0');
  number = first == std::string_view::npos ? "0" : std::string(whole.substr(first));
  if (!reader.accept('.') && !reader.accept(',')) return true;
  std::string fraction(reader.digits());
  if (fraction.empty() || fraction.size() > kDigitsMax) return false;
  fraction.erase(fraction.find_last_not_of('0') + 1);
  has_fraction = true;
  if (!fraction.empty()) number += '.' + fraction;
  return true;
}

// The components of one half of a duration, their units in the order of `units`.
bool read_components(Reader& reader, std::string_view units, std::string& out, bool& found,
                     bool& has_fraction) {
  while (is_digit(reader.peek())) {
    if (has_fraction) return false;  // only the last component has one
    std::string number;
    if (!read_component(reader, number, has_fraction)) return false;
    const size_t unit = units.find(reader.peek());
    if (reader.at_end() || unit == std::string_view::npos) return false;
    reader.accept(units[unit]);
    if (number != "0") {
      out += number;
      out += units[unit];
    }
    units.remove_prefix(unit + 1);
    found = true;
  }
  return true;
}

}  // namespace

std::optional<std::string> parse_date(std::string_view text, Spelling spelling) {
  Reader reader(text);
  Day day;
  if (!read_day(reader, day)) return std::nullopt;
  if (!reader.at_end()) {  // leniently: midnight of the day
    Time time;
    int offset = 0;
    if (spelling == Spelling::Strict || (!reader.accept(' ') && !reader.accept('T')) ||
        !read_time(reader, time, spelling) || !read_zone(reader, spelling, offset) ||
        !reader.at_end() || offset != 0 || !is_midnight(time)) {
      return std::nullopt;
    }
  }
  std::string out;
  append_day(out, day);
  return out;
}

std::optional<std::string> parse_time_of_day(std::string_view text, Spelling spelling) {
  Reader reader(text);
  Time time;
  if (!read_time(reader, time, spelling) || !reader.at_end()) return std::nullopt;
  std::string out;
  append_time(out, time);
  return out;
}

std::optional<std::string> parse_timestamp(std::string_view text, Spelling spelling) {
  Reader reader(text);
  Day day;
  Time time;
  int offset = 0;
  if (!read_day(reader, day)) return std::nullopt;
  const bool lenient = spelling == Spelling::Lenient;
  if (!(lenient && reader.at_end())) {
    const bool separated =
        reader.accept('T') || (lenient && (reader.accept(' ') || reader.accept('t')));
    if (!separated || !read_time(reader, time, spelling) || !read_zone(reader, spelling, offset)) {
      return std::nullopt;
    }
  }
  if (!reader.at_end() || !shift(day, time, -offset)) return std::nullopt;
  std::string out;
  append_day(out, day);
  out += 'T';
  append_time(out, time);
  out += 'Z';
  return out;
}

std::optional<std::string> parse_duration(std::string_view text) {
  Reader reader(text);
  if (!reader.accept('P')) return std::nullopt;
  bool found = false;
  bool has_fraction = false;
  std::string date;
  std::string time;
  if (!read_components(reader, "YMWD", date, found, has_fraction)) return std::nullopt;
  if (reader.accept('T')) {
    bool found_time = false;
    if (has_fraction || !read_components(reader, "HMS", time, found_time, has_fraction) ||
        !found_time) {
      return std::nullopt;
    }
    found = true;
  }
  if (!found || !reader.at_end()) return std::nullopt;
  if (date.empty() && time.empty()) return "PT0S";
  return "P" + date + (time.empty() ? "" : "T" + time);
}

std::optional<std::string> canonical_timestamp(std::string_view text) {
  return parse_timestamp(text, Spelling::Lenient);
}
std::optional<std::string> canonical_date(std::string_view text) {
  return parse_date(text, Spelling::Lenient);
}
std::optional<std::string> canonical_time_of_day(std::string_view text) {
  return parse_time_of_day(text, Spelling::Lenient);
}
std::optional<std::string> canonical_duration(std::string_view text) {
  return parse_duration(text);
}

}  // namespace lattice::schema
