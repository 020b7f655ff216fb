// What the small pieces of base cost: nanoseconds for one call, the best of several runs.
#include <chrono>
#include <cstdio>
#include <functional>
#include <string>

#include "base/blake3.h"
#include "base/blake3_compress.h"
#include "base/json.h"
#include "base/utf8.h"

namespace lattice {
namespace {

// Keeps the compiler from leaving out what nobody reads.
void keep(const void* value) {
  asm volatile("" : : "r"(value) : "memory");
}

void measure(const std::string& name, const std::function<void()>& run) {
  using std::chrono::steady_clock;
  constexpr int kRuns = 7;
  constexpr int kCalls = 20'000;
  double best = 0;
  for (int i = 0; i < kRuns; ++i) {
    auto start = steady_clock::now();
    for (int call = 0; call < kCalls; ++call) run();
    std::chrono::duration<double, std::nano> spent = steady_clock::now() - start;
    double each = spent.count() / kCalls;
    if (i == 0 || each < best) best = each;
  }
  std::printf("%-40s %10.1f ns\n", name.c_str(), best);
}

void measure_blake3() {
  for (size_t length : {16, 64, 300, 1024, 4096, 65536}) {
    std::string bytes(length, 'x');
    char hash[16];
    measure("blake3_into, " + std::to_string(length) + " bytes", [&] {
      blake3_into(bytes, hash);
      keep(hash);
    });
  }
  internal::Blake3Words chaining = internal::kBlake3Iv;
  internal::Blake3Block block{};
  measure("one block, portable", [&] {
    internal::blake3_portable_kernel().compress(chaining, block.data(), 0, 64, 0);
    keep(&chaining);
  });
  measure("one block, fastest", [&] {
    internal::blake3_kernel().compress(chaining, block.data(), 0, 64, 0);
    keep(&chaining);
  });
}

void measure_json() {
  std::string out;
  out.reserve(1 << 16);
  for (size_t length : {8, 40, 300}) {
    std::string text(length, 'x');
    measure("append_json_string, " + std::to_string(length) + " clean bytes", [&] {
      out.clear();
      append_json_string(out, text);
      keep(out.data());
    });
  }
  std::string quoted = "say \"hi\" and\nbye, forty bytes of text here";
  measure("append_json_string, 3 escapes", [&] {
    out.clear();
    append_json_string(out, quoted);
    keep(out.data());
  });
  measure("append_json_number, int64", [&] {
    out.clear();
    append_json_number(out, int64_t{1234567});
    keep(out.data());
  });
  measure("append_json_number, double 12.25", [&] {
    out.clear();
    append_json_number(out, 12.25);
    keep(out.data());
  });
  std::string text = R"({"id":"Post:17","fields":{"title":"Hello, world","likes":12,"score":0.75,)"
                     R"("tags":["a","b","c"]},"kind":"entity"})";
  measure("parse_json, " + std::to_string(text.size()) + " bytes", [&] {
    auto value = parse_json(text);
    keep(&value);
  });
  Json value = parse_json(text).value();
  measure("canonical_json of the same", [&] {
    out.clear();
    append_canonical_json(out, value);
    keep(out.data());
  });
  std::string ascii(300, 'x');
  measure("is_valid_utf8, 300 ASCII bytes", [&] {
    bool valid = is_valid_utf8(ascii);
    keep(&valid);
  });
}

}  // namespace
}  // namespace lattice

int main() {
  lattice::measure_blake3();
  lattice::measure_json();
}
