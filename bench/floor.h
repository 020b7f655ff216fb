// The floor: the feed page by hand-written prepared look-ups, with no language, authorization or identity.
#pragma once

#include <memory>
#include <string>

namespace lattice::bench {

class Floor {
 public:
  // Opens the database of make_feed.py; throws std::runtime_error when it cannot.
  explicit Floor(const std::string& path);
  ~Floor();
  // Appends the page of one organisation as a JSON tree.
  void page(int org, std::string& out);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace lattice::bench
