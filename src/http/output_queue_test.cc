#include "http/output_queue.h"

#include <doctest/doctest.h>

#include <random>

using namespace lattice::http;

namespace {

std::string contents(const OutputQueue& queue) {
  std::vector<std::string_view> pieces(1000);
  pieces.resize(queue.gather(pieces));
  std::string out;
  for (std::string_view piece : pieces) out += piece;
  return out;
}

}  // namespace

TEST_CASE("bytes come out as they went in, whatever the pieces") {
  const unsigned seed = std::random_device()();
  INFO("seed ", seed);
  std::mt19937 random(seed);
  OutputQueue queue;
  OutputQueue other;
  std::string model;
  std::string other_model;
  char next = 'a';
  for (int step = 0; step < 3000; ++step) {
    next = next == 'z' ? 'a' : static_cast<char>(next + 1);
    size_t bytes = random() % 10 == 0 ? random() % 20'000 : random() % 50;
    switch (random() % 5) {
      case 0:
        queue.append(std::string(bytes, next));
        model.append(bytes, next);
        break;
      case 1: {
        OutputQueue::Tail tail(queue);
        tail->append(bytes, next);
        model.append(bytes, next);
        break;
      }
      case 4: {
        auto shared = std::make_shared<const std::string>(bytes + 10, next);
        queue.append_shared(shared, 7, bytes);
        model.append(bytes, next);
        break;
      }
      case 2:
        bytes = std::min(bytes, queue.size());
        queue.consume(bytes);
        model.erase(0, bytes);
        break;
      case 3:
        bytes = std::min(bytes, queue.size());
        queue.move_to(other, bytes);
        other_model += model.substr(0, bytes);
        model.erase(0, bytes);
        break;
    }
    REQUIRE(queue.size() == model.size());
    REQUIRE(other.size() == other_model.size());
    if (step % 50 == 0) {
      REQUIRE(contents(queue) == model);
      REQUIRE(contents(other) == other_model);
      other.consume(other.size());
      other_model.clear();
    }
  }
}

TEST_CASE("a queue that is never empty does not keep what it sent") {
  OutputQueue queue;
  queue.append_copy("x");
  size_t capacity = 0;
  for (int i = 0; i < 100'000; ++i) {
    queue.append_copy(std::string(100, 'a'));
    queue.consume(100);
    std::string_view piece;
    REQUIRE(queue.gather({&piece, 1}) == 1);
    capacity = std::max(capacity, piece.size());
  }
  CHECK(queue.size() == 1);
  CHECK(queue.memory_bytes() < 200'000);
  CHECK(capacity < 20'000);
}
