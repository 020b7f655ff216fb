// Bytes waiting to be sent, in order: small texts are gathered, large bodies are kept without a
// copy.
//
//   { OutputQueue::Tail tail(queue); tail->append("HTTP/1.1 200 OK\r\n\r\n"); }
//   queue.append(std::move(body));
//   size_t count = queue.gather(pieces);     queue.consume(bytes_sent);
//
// One event loop.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lattice::http {

class OutputQueue {
 public:
  // The open end, to append small texts to. Valid until the next call.
  class Tail {
   public:
    explicit Tail(OutputQueue& queue) : queue_(queue), text_(queue.open_tail()) {
      before_ = text_.size();
    }
    ~Tail() { queue_.size_ += text_.size() - before_; }
    Tail(const Tail&) = delete;
    std::string& operator*() { return text_; }
    std::string* operator->() { return &text_; }

   private:
    OutputQueue& queue_;
    std::string& text_;
    size_t before_;
  };

  // Takes `bytes` as they are when they are large, else copies them behind the tail.
  void append(std::string bytes) {
    if (bytes.size() < kCopyBytesMax) return append_copy(bytes);
    size_ += bytes.size();
    segments_.emplace_back().own.swap(bytes);
    tail_is_open_ = false;
  }
  // Part of a text that others hold too.
  void append_shared(std::shared_ptr<const std::string> text, size_t begin, size_t bytes) {
    std::string_view part = std::string_view(*text).substr(begin, bytes);
    if (part.size() < kCopyBytesMax) return append_copy(part);
    size_ += part.size();
    segments_.push_back({.shared = std::move(text), .begin = begin, .end = begin + part.size()});
    tail_is_open_ = false;
  }
  void append_copy(std::string_view bytes) {
    Tail tail(*this);
    tail->append(bytes);
  }

  bool empty() const { return size_ == 0; }
  size_t size() const { return size_; }

  // Fills `pieces` with views of the first bytes and returns how many it filled. They are valid
  // until the next call that is not const.
  size_t gather(std::span<std::string_view> pieces) const {
    size_t count = 0;
    size_t skip = offset_;
    for (size_t i = first_; i < segments_.size() && count < pieces.size(); ++i) {
      std::string_view text = segments_[i].view().substr(skip);
      skip = 0;
      if (!text.empty()) pieces[count++] = text;
    }
    return count;
  }

  // Drops the first `bytes`.
  void consume(size_t bytes) {
    size_ -= bytes;
    while (bytes > 0) {
      size_t left = segments_[first_].view().size() - offset_;
      if (bytes < left) {
        offset_ += bytes;
        return;
      }
      bytes -= left;
      drop_first();
    }
    if (size_ == 0) restart();
  }

  // Moves the first `bytes` over to the end of `target`.
  void move_to(OutputQueue& target, size_t bytes) {
    while (bytes > 0) {
      Segment& segment = segments_[first_];
      size_t left = segment.view().size() - offset_;
      size_t part = left < bytes ? left : bytes;
      if (segment.shared != nullptr) {
        target.append_shared(segment.shared, segment.begin + offset_, part);
      } else if (offset_ == 0 && part == left) {
        target.append(std::move(segment.own));
        segment.own.clear();
        size_ -= left;
        bytes -= left;
        drop_first();
        continue;
      } else {
        target.append_copy(segment.view().substr(offset_, part));
      }
      bytes -= part;
      consume(part);
    }
    if (size_ == 0) restart();
  }

  // Memory held, without what is shared.
  size_t memory_bytes() const {
    size_t sum = spare_.capacity() + segments_.capacity() * sizeof(Segment);
    for (const Segment& segment : segments_) sum += segment.own.capacity();
    return sum;
  }

  // Gives the memory back; only when empty.
  void release() {
    if (size_ != 0) return;
    OutputQueue fresh;
    std::swap(*this, fresh);
  }

 private:
  static constexpr size_t kCopyBytesMax = 4096;
  static constexpr size_t kKeepBytesMax = 16 * 1024;
  static constexpr size_t kCompactCount = 64;

  struct Segment {
    std::string own = {};
    std::shared_ptr<const std::string> shared = {};  // in place of `own`: bytes begin to end of it
    size_t begin = 0;
    size_t end = 0;
    std::string_view view() const {
      if (shared == nullptr) return own;
      return std::string_view(*shared).substr(begin, end - begin);
    }
  };

  // A full tail is closed: what is sent of it is freed with the whole segment.
  std::string& open_tail() {
    if (!tail_is_open_ || segments_.back().own.size() >= kKeepBytesMax) {
      segments_.emplace_back().own.swap(spare_);
      tail_is_open_ = true;
    }
    return segments_.back().own;
  }

  // The first segment is sent. One small one is kept, so that a connection's next small response
  // needs no memory.
  void drop_first() {
    std::string& own = segments_[first_].own;
    offset_ = 0;
    if (own.capacity() <= kKeepBytesMax && own.capacity() > spare_.capacity()) {
      spare_ = std::move(own);
      spare_.clear();
    }
    // Swapped out: assigning an empty string would keep the memory.
    Segment sent;
    std::swap(segments_[first_++], sent);
    if (first_ >= kCompactCount) {
      segments_.erase(segments_.begin(), segments_.begin() + static_cast<ptrdiff_t>(first_));
      first_ = 0;
    }
  }

  void restart() {
    while (first_ < segments_.size()) drop_first();
    segments_.clear();
    first_ = 0;
    tail_is_open_ = false;
  }

  std::vector<Segment> segments_;
  size_t first_ = 0;   // segments before it are sent
  size_t offset_ = 0;  // bytes of segments_[first_] that are sent
  size_t size_ = 0;    // bytes unsent
  bool tail_is_open_ = false;
  std::string spare_;  // empty, with memory
};

}  // namespace lattice::http
