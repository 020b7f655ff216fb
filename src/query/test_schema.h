// The schema that the tests of this folder speak to, and short ways to compile against it.
#pragma once

#include <doctest/doctest.h>

#include <string>
#include <string_view>

#include "query/query.h"

namespace lattice::query::test_support {

inline constexpr std::string_view kTestSchema = R"(schema test.example

directive @track(tag: Text = "t") repeatable on QUERY | SELECTION | SPREAD
directive @level(of: I32) on SELECTION
directive @stable on FIELD

newtype UserId = Text
newtype PostId = Text
newtype Tags   = [Text]+

enum Mood closed = Calm | Loud | Sleepy
data Money { amount: Decimal, currency: Text }

interface Named {
  name: Text
  avatar(size: I32 = 96): Text

  has many friends: Named by ownerId ordered by name asc page 10 max 50
}

entity User by id implements Named {
  visible to all by default

  id:    UserId
  name:  Text
  email: Text
  avatar(size: I32 = 96): Text
  @deprecated(sunset: "2030-01-01", note: "use name")
  nick:  Text
  score(of: Mood, weight: F64 = 0.5, at: Timestamp?): I32

  has many friends: Named by ownerId ordered by name asc page 10 max 50
  has many posts: Post by authorId ordered by rank desc page 20 max 100

  fetch by id: public
}

entity Bot by id implements Named {
  visible to all by default

  id:    Text
  name:  Text
  model: Text
  avatar(size: I32 = 96): Text
  owner: I32

  has many friends: Named by ownerId ordered by name asc page 10 max 50

  fetch by id: public
}

entity Post by id {
  visible to all by default

  id:       PostId
  authorId: UserId
  parentId: PostId?
  orgId:    Text
  mood:     Mood
  title:    Text
  rank:     F64
  views:    I64

  has one author: User by authorId
  has one? parent: Post by parentId
  has many replies: Post by parentId ordered by rank asc page 10 max 50
  has many ranked: Post by parentId ordered by rank desc max 25
  has many tags: Tag by postId max 50
  has many grouped: Post by parentId ordered by rank asc page 10 max 50 grouped by orgId, parentId

  fetch by id: public
}

entity Tag by id {
  visible to all by default

  id:     Text
  postId: PostId
  name:   Text

  fetch by id: public
}

fragment UserName on User { name }
fragment Avatar($size: I32 = 96) on Named { avatar(size: $size) }
fragment Byline($size: I32) on User { name avatar(size: $size) ...Avatar(size: $size) }

get hero(mood: Mood?) of (User | Bot) public
get post(id: PostId) of Post public
get tagged(tags: Tags) of Post public
get limited(limit: I32 = 5) of Post public
get probe(x: F64, flag: Bool, big: I64, price: Decimal, at: Timestamp?, short: Text(max 3), w: W8 = 7) of Post public
get paid(money: Money) of Post public
list feed of Post by orgId ordered by rank desc page 20 max 100 public
list recent of Post by orgId ordered by rank desc max 30 public
list search(text: Text) of (User | Bot | Post) ordered by id asc page 10 max 50 public
)";

inline const schema::Schema& test_schema() {
  static const schema::SchemaPtr kSchema = [] {
    auto loaded = schema::load_schema(kTestSchema);
    REQUIRE_MESSAGE(loaded.has_value(), loaded.error().message);
    return *loaded;
  }();
  return *kSchema;
}

// The canonical text, or "error: " and the first message.
inline std::string canonical(std::string_view text, const QueryLimits& limits = {}) {
  auto query = compile_query(text, test_schema(), limits);
  return query ? query->canonical : "error: " + query.error().message;
}

// Every finding as "offender | message", in order.
inline std::vector<std::string> findings(std::string_view text, const QueryLimits& limits = {},
                                         const ImportLoader& imports = {}) {
  auto query = compile_query(text, test_schema(), limits, imports);
  std::vector<std::string> out;
  if (query) return out;
  for (const Diagnostic& diagnostic : query.error().diagnostics) {
    std::string offender = diagnostic.source;
    if (offender.empty()) {
      offender = text.substr(diagnostic.span.begin, diagnostic.span.end - diagnostic.span.begin);
    }
    out.push_back(offender + " | " + diagnostic.message);
  }
  return out;
}

}  // namespace lattice::query::test_support
