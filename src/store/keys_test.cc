#include "store/keys.h"

#include <doctest/doctest.h>

#include <algorithm>

namespace lattice::store {

TEST_CASE("a write emits its row, its ranges before and after, and the families [10.5]") {
  auto loaded = schema::load_schema(R"(schema k.example
entity Post by id {
  visible to all by default
  id: I32
  has many comments: Comment by postId max 5
}
entity Comment by id { visible to all by default id: Text postId: I32? author: Text }
list byAuthor of Comment by author ordered by id asc page 5 max 10 public
list search(text: Text) of Comment ordered by id asc page 5 max 10 public
)");
  REQUIRE_MESSAGE(loaded.has_value(), (loaded ? "" : loaded.error().message));
  const schema::Entity& comment = *(*loaded)->find_entity("Comment");
  std::vector<Value> before(comment.fields.size()), after(comment.fields.size());
  auto set = [&](std::vector<Value>& row, Value post) {
    row[comment.find_field("id")] = Value::of_text("c 1");
    row[comment.find_field("postId")] = post;
    row[comment.find_field("author")] = Value::of_text("a*b");
  };
  set(before, Value::of_int(17));
  set(after, Value::of_int(18));
  Value key = Value::of_text("c 1");
  RowImage images[] = {{&key, before.data()}, {&key, after.data()}};
  std::vector<std::string> keys;
  WriteKeys(*loaded).append(keys, (*loaded)->entity_index("Comment"), &images[0], &images[1]);
  std::sort(keys.begin(), keys.end());
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
  CHECK(keys == std::vector<std::string>{"Comment:*", "Comment:c%201", "Post.comments:*",
                                         "Post.comments:17", "Post.comments:18", "byAuthor:*",
                                         "byAuthor:a%2Ab"});
}

TEST_CASE("a refinement's write is its family's, a companion's its own [3.8]") {
  auto loaded = schema::load_schema(R"(schema k.example
entity User by id { visible to all by default id: I32 }
entity Admin refines User { visible to all by default rights: Text }
entity Profile joins User { visible to all by default bio: Text }
)");
  REQUIRE_MESSAGE(loaded.has_value(), (loaded ? "" : loaded.error().message));
  Value key = Value::of_int(7);
  Value values[2] = {key, Value::of_text("all")};
  RowImage image{&key, values};
  WriteKeys write_keys(*loaded);
  auto of = [&](std::string_view entity) {
    std::vector<std::string> keys;
    write_keys.append(keys, (*loaded)->entity_index(entity), nullptr, &image);
    std::sort(keys.begin(), keys.end());
    return keys;
  };
  CHECK(of("User") == std::vector<std::string>{"Admin:*", "Admin:7", "User:*", "User:7"});
  CHECK(of("Admin") == of("User"));
  CHECK(of("Profile") == std::vector<std::string>{"Profile:*", "Profile:7"});
}

}  // namespace lattice::store
