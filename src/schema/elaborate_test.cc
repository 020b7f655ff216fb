#include "schema/elaborate.h"

#include <doctest/doctest.h>

#include "schema/print.h"
#include "tests/support/idl.h"
#include "tests/support/schemas.h"

namespace lattice::schema {
namespace {

using testing::idl_finding;
using testing::idl_findings;
using testing::load_good_schema;

// What most cases stand on: a pet and its owner.
constexpr std::string_view kPets =
    "schema t.example\n"
    "claims { org: Text, role: Role }\n"
    "enum Role closed = Admin | Editor\n"
    "newtype PetId = Text\n"
    "entity Pet by id { visible to all by default id: PetId ownerId: Text name: Text rank: I32 "
    "nick: Text? tags: [Text] fetch by id: public }\n"
    "entity Owner by id { visible to all by default id: Text name: Text }\n";

std::string with_pets(std::string_view more) {
  return std::string(kPets) + std::string(more);
}

// Checks that `more` beside kPets gives one finding that points at `offender` and says `message`.
void refuses(std::string_view more, std::string_view offender, std::string_view message) {
  CAPTURE(std::string(more));
  const auto findings = idl_findings(with_pets(more));
  REQUIRE(findings.size() == 1);
  CHECK(findings[0].starts_with(std::string(offender) + " | "));
  CHECK_MESSAGE(findings[0].find(message) != std::string::npos, findings[0]);
}

void accepts(std::string_view more) {
  CAPTURE(std::string(more));
  CHECK(idl_finding(with_pets(more)) == "accepted");
}

// --- What a Schema holds ---

TEST_CASE("a schema has sorted declarations, indices and defaults") {
  const auto schema = load_good_schema(with_pets(
      "interface Named { name: Text }\n"
      "entity Cat by id implements Named { private by default id: Text public name: Text has many "
      "kin: Named by boxId max 4 has one boss: Owner by name public }\n"
      "entity Ant by id implements Named { visible to all by default id: Text name: Text }\n"
      "list cats(kind: Text, at: I32) of Cat ordered by name desc private\n"
      "list pets of Pet by ownerId ordered by rank desc, id asc page 5 total estimate grouped by "
      "name "
      "as folk public\n"
      "get thing of (Pet | Ant) visible when caller.org = name and caller.role in [Admin, "
      "Editor]\n"));
  REQUIRE(schema->entities.size() == 4);
  CHECK(schema->entity_index("Ant") == 0);
  CHECK(schema->entity_index("Bee") == kNone);
  const Entity& cat = *schema->find_entity("Cat");
  CHECK(cat.private_by_default);
  CHECK(cat.fields[cat.find_field("name")].policy.level == Policy::Level::Private);
  CHECK(cat.fields[cat.find_field("id")].policy.level == Policy::Level::Public);
  CHECK(cat.find_field("boss") == kNone);

  const Relationship& kin = cat.relationships[cat.find_relationship("kin")];
  CHECK(kin.policy.level == Policy::Level::Private);
  CHECK_FALSE(kin.declared_policy.has_value());
  CHECK(kin.target.is_interface);
  CHECK(kin.target.is_abstract());
  CHECK(kin.target.members == std::vector<EntityIndex>{0, 1});
  CHECK_FALSE(kin.collection->link_is_declared);
  CHECK(kin.collection->name == "Cat.kin");
  CHECK(kin.collection->grouping == std::vector<std::string>{"boxId"});
  CHECK(cat.relationships[cat.find_relationship("boss")].policy.level == Policy::Level::Public);

  const Collection& cats = *schema->find_root("cats")->collection;
  CHECK(cats.paginated);
  CHECK_FALSE(cats.default_page.has_value());
  CHECK(cats.max == 100);
  CHECK(cats.link.empty());
  CHECK(cats.grouping == std::vector<std::string>{"kind", "at"});
  const Collection& pets = *schema->find_root("pets")->collection;
  CHECK(pets.name == "folk");
  CHECK(pets.keyset == std::vector<OrderColumn>{{"rank", true}, {"id", false}});
  CHECK(pets.total == CountPolicy::Estimate);
  CHECK_FALSE(pets.grouping_is_default);

  const Root& thing = *schema->find_root("thing");
  CHECK(thing.target.name.empty());
  CHECK(thing.target.union_ == std::vector<std::string>{"Pet", "Ant"});
  CHECK(thing.target.members == std::vector<EntityIndex>{0, 3});
  CHECK(claims_of(thing.policy) == std::vector<std::string>{"org", "role"});
  CHECK(print_policy(thing.policy) ==
        "visible when caller.org = name and caller.role in [Admin, Editor]");
  CHECK(schema->find_interface("Named")->members == std::vector<EntityIndex>{0, 1});
}

TEST_CASE("the bound of a collection that names none is the origin's") {
  const auto schema =
      load_schema(with_pets("list pets of Pet by ownerId public"), {.page_default_max = 7});
  REQUIRE(schema.has_value());
  CHECK((*schema)->find_root("pets")->collection->max == 7);
}

TEST_CASE("co-keyed entities have the key of their base, not printed (§3.8)") {
  const auto schema = load_good_schema(with_pets(
      "entity PetNote joins Pet { private by default text: Text has one pet: Pet by id fetch by "
      "id: "
      "private }\n"
      "entity RarePet refines Pet { visible to all by default hidden rows elide owner id is caller "
      "price: I32 }\n"));
  const Entity& note = *schema->find_entity("PetNote");
  CHECK(note.co_key == Entity::CoKey::Joins);
  CHECK(note.key == std::vector<std::string>{"id"});
  CHECK(note.inherited_fields == std::vector<std::string>{"id"});
  REQUIRE(note.find_field("id") == 0);
  CHECK(print_type(note.fields[0].type) == "PetId");
  CHECK(note.fields[0].policy.level == Policy::Level::Private);
  CHECK(print_pertinent(*schema->find_entity("RarePet"), *schema) ==
        "entity RarePet refines Pet {\n  visible to all by default\n  hidden rows elide\n"
        "  owner id is caller\n  price: I32\n}");
  refuses("entity Note joins Pet { visible to all by default id: PetId }", "id",
          "the key field `id` from Pet already");
  refuses("entity Note joins Pett { visible to all by default }", "Pett", "did you mean `Pet`?");
}

TEST_CASE("newtypes resolve away, options and refinements stay") {
  const auto schema = load_good_schema(
      "schema t.example newtype A = Text(min 1) newtype B = A(max 5) newtype L a = [a]+ newtype O "
      "= B? "
      "entity E by id { visible to all by default id: B o: O l: L B }");
  const Entity& entity = schema->entities[0];
  CHECK(print_type(schema->resolve(entity.fields[0].type)) == "Text(min 1, max 5)");
  CHECK(print_type(schema->resolve(entity.fields[1].type)) == "[Text(min 1, max 5)]+");
}

// --- Types ---

TEST_CASE("types are known, saturated, finite and sensible (§3.5.2)") {
  refuses("newtype X = Txet", "Txet", "did you mean `Text`?");
  refuses("newtype X = Pet", "Pet", "is an entity or interface, not a value");
  refuses("newtype X = EntityRef", "EntityRef", "the protocol's own");
  refuses("newtype X = Y newtype Y = [X]", "X", "contains itself");
  refuses("newtype X = X", "X", "contains itself");
  std::string doubling = "newtype N0 = Text ";
  for (int i = 1; i < 40; ++i) {
    const std::string before = "N" + std::to_string(i - 1);
    doubling += "newtype N" + std::to_string(i) + " = Map Text (Vec 2 " + before + ") ";
    doubling += "data D" + std::to_string(i) + " { a: " + before + " } ";
  }
  accepts(doubling);
  std::string bomb = "data P a b { x: a, y: b } newtype N0 = Text ";
  for (int i = 1; i < 64; ++i) {
    const std::string before = "N" + std::to_string(i - 1);
    bomb += "newtype N" + std::to_string(i) + " = P " + before + " " + before + " ";
  }
  CHECK(idl_finding(with_pets(bomb)).find("more than 256 parts") != std::string::npos);
  refuses("newtype X = [Text?]", "Text?", "an element cannot be optional");
  refuses("newtype O = Text? newtype X = Set O", "O", "an element cannot be optional");
  refuses("newtype X = Map Text (Text?)", "(Text?)", "an element cannot be optional");
  refuses("newtype O = Text? newtype X = O?", "O?", "is optional already");
  refuses("newtype X = Map [Text] Text", "[Text]", "a map key is a scalar");
  refuses("newtype X = Map Json Text", "Json", "a map key is a scalar");
  accepts("newtype X = Map Role (Set (Map I32 Role))");
  accepts("data Tree { kids: [Tree], best: Tree? }");
}

TEST_CASE("refinements fit their type and each other (§3.5.2)") {
  refuses("newtype X = Bool(min 1)", "Bool(min 1)", "len is for Text");
  refuses("newtype X = I32(len 1)", "I32(len 1)", "len is for Text");
  refuses("newtype X = I32(match \"a\")", "I32(match \"a\")", "match for Text");
  refuses("newtype X = Text(match \"(\")", "Text(match \"(\")", "the pattern \"(\" is wrong");
  refuses("newtype X = Text(len 1.5)", "Text(len 1.5)", "no length");
  refuses("newtype X = Text(min -1)", "Text(min -1)", "no length");
  refuses("newtype X = I32(max 1.5)", "I32(max 1.5)", "no whole number");
  refuses("newtype X = Text(min 5, max 2)", "Text(min 5, max 2)", "no value has all the bounds");
  refuses("newtype A = Text(max 2) newtype X = A(min 3)", "A(min 3)",
          "no value has all the bounds");
  accepts("newtype X = Decimal(min 0.5) newtype Y = Bytes(max 20) newtype Z = F64(max 1.5)");
}

TEST_CASE("sums and enums say open or closed; names stand once") {
  refuses("data X = A | B", "X", "says `open` or `closed`");
  refuses("enum X = A", "X", "says `open` or `closed`");
  refuses("data X open { a: Text }", "X", "neither open nor closed");
  refuses("enum X open = A | B | A", "A", "has the value `A` twice");
  refuses("enum X open = A | true", "true", "is reserved");
  refuses("data X open = A | A", "A", "two constructors `A`");
  refuses("data X { a: Text, a: I32 }", "a", "two members `a`");
  refuses("newtype Pet = Text", "Pet", "declared twice (as a type and as an entity)");
  refuses("newtype Text = I32", "Text", "built-in type");
  refuses("newtype petName = Text", "petName", "begins with a capital letter");
  accepts("data X closed = X { a: Text }");
}

// --- Entities, policies ---

TEST_CASE("keys are stored scalars (§3.4)") {
  refuses("entity X by nam { visible to all by default name: Text }", "nam",
          "did you mean `name`?");
  refuses("entity X by id { visible to all by default id: Text? }", "id", "cannot be optional");
  refuses("entity X by id { visible to all by default id: [Text] }", "id", "is a scalar");
  refuses("entity X by id { visible to all by default id(a: Text): Text }", "id", "no arguments");
  refuses("entity X by (a, a) { visible to all by default a: Text }", "a", "twice in its key");
  refuses("entity X { visible to all by default a: Text }", "X", "has no key");
  accepts(
      "entity X by (a, b) { visible to all by default a: Text b: I32 fetch by (a, b): public }");
  refuses("entity X by (a, b) { visible to all by default a: Text b: I32 fetch by a: public }", "a",
          "names the key (a, b)");
}

TEST_CASE("entity clauses stand once and mean something") {
  refuses("entity X by id { visible to all by default private by default id: Text }", "X", "twice");
  refuses("entity X by id { visible to all by default cache no-store cache private id: Text }", "X",
          "`cache` twice");
  refuses("entity X by id { visible to all by default owner idd is caller id: Text }", "idd",
          "did you mean `id`?");
  refuses("entity X by id { visible to all by default owner n is caller.org id: Text n: I32 }",
          "org", "is I32, but caller.org is Text");
  refuses("entity X by id { visible to all by default owner id is caller.orgg id: Text }", "orgg",
          "did you mean `org`?");
  refuses("interface X { visible to all by default }", "visible to all by default",
          "has no default visibility");
  refuses("entity X by id { visible to all by default \"why\" fetch by id: public id: Text }",
          "\"why\"", "belong to fields and relationships");
}

TEST_CASE("predicates compare registered claims with what they can equal (§3.1)") {
  const auto field = [](std::string_view policy) {
    return "entity X by id { visible to all by default id: Text n: I32 w: Text? f(a: I32): Text x: "
           "Text visible when " +
           std::string(policy) + " }";
  };
  refuses(field("caller.orgg = id"), "orgg", "did you mean `org`?");
  refuses(field("caller.org = idd"), "idd", "did you mean `id`?");
  refuses(field("caller.org = n"), "n", "caller.org: Text with `n: I32`");
  refuses(field("caller.org = f"), "f", "which is not stored");
  refuses(field("caller.role = Boss"), "Boss", "expected a value of Role (Admin, Editor)");
  refuses(field("caller.org = 5"), "5", "expected a string");
  accepts(field("caller.org = w and caller.role = Admin and caller.org in [A, \"b c\"]"));
  refuses(
      "mutation m(p: PetId) returns Pet { allow when caller.org = name writes Pet(p) invalidates "
      "writes effect transactional }",
      "name", "no entity under inspection");
  refuses("get x of (Pet | Owner) visible when caller.org = ownerId", "ownerId",
          "no field of its target");
  accepts("get x of (Pet | Owner) visible when caller.org = name");
  refuses("claims { org: Text }", "org", "claim `org` is declared twice");
  refuses("claims { tags: [Text] }", "[Text]", "a claim is one scalar");
}

// --- Relationships, collections, roots ---

TEST_CASE("to-one links are fields of this entity that hold the target's key (§3.4)") {
  const auto edge = [](std::string_view rest) {
    return "entity X by id { visible to all by default id: Text n: I32 o: Text? has " +
           std::string(rest) + " }";
  };
  accepts(edge("one owner: Owner by id"));
  accepts(edge("one? owner: Owner by o"));
  refuses(edge("one owner: Owner by o"), "owner", "declare `has one?`");
  refuses(edge("one owner: Owner by idd"), "idd", "did you mean `id`?");
  refuses(edge("one owner: Owner by n"), "n", "the key of Owner is Text");
  refuses(edge("one owner: Ownr by id"), "Ownr", "did you mean `Owner`?");
  refuses(edge("one two: Two by id") +
              "entity Two by (a, b) { visible to all by default a: Text b: Text }",
          "Two", "whose key has several fields");
}

TEST_CASE("to-many links are fields of every target, or of none (§3.4)") {
  const auto edge = [](std::string_view rest) {
    return "entity X by id { visible to all by default id: Text has many kids: " +
           std::string(rest) + " }";
  };
  accepts(edge("Pet by ownerId"));
  refuses(edge("Pet by ownerI"), "ownerI", "did you mean `ownerId`?");
  refuses(edge("Pet by rank"), "rank", "the key of X is Text");
  refuses(edge("(Pet | Owner) by ownerId"), "ownerId", "some of its targets declare");
  accepts(edge("(Pet | Owner) by boxId"));
  accepts(edge("(Pet | Owner) by name"));
  refuses(edge("(Pet | Pet) by name"), "Pet", "names Pet twice");
  refuses(
      "entity Y by (a, b) { visible to all by default a: Text b: Text has many p: Pet by ownerId }",
      "ownerId", "a key of several fields");
}

TEST_CASE("windows: bounded or paginated, each with its own clauses (§3.6)") {
  const auto pets = [](std::string_view window) {
    return "list pets of Pet by ownerId " + std::string(window) + " public";
  };
  accepts(pets("max 5 truncate"));
  accepts(pets("ordered by rank asc, id asc"));
  accepts(pets("ordered by rank asc, id asc page 5 max 5 total exact"));
  refuses(pets("page 5"), "5", "add `ordered by");
  refuses(pets("ordered by rank asc page 6 max 5"), "6", "page 6 exceeds max 5");
  refuses(pets("ordered by rank asc max 0"), "0", "max is at least 1");
  refuses(pets("ordered by rank asc truncate"), "truncate", "no `truncate`");
  refuses(pets("total exact"), "total", "only a paginated");
  refuses(pets("min 1"), "1", "promises no least number");
  refuses(pets("ordered by rank asc, rank desc"), "rank", "orders by `rank` twice");
  refuses(pets("ordered by tags asc"), "tags", "has no order");
  refuses(pets("ordered by rnak asc"), "rnak", "did you mean `rank`?");
  refuses(pets("ordered by rank asc grouped by tags"), "tags", "is no scalar");
  refuses(pets("ordered by rank asc grouped by rnak"), "rnak", "did you mean `rank`?");
  refuses("list pets(kind: Text) of Pet ordered by rank asc grouped by kin public", "kin",
          "did you mean `kind`?");
  refuses("list pets(first: I32) of Pet ordered by rank asc page 1 public grouped by first",
          "first", "is a paging argument");
}

TEST_CASE("orders that may tie or miss values are noted, not refused (§3.2)") {
  const auto warnings = [](std::string_view window) {
    std::string out;
    const auto schema = load_good_schema(
        with_pets("list pets of Pet by ownerId " + std::string(window) + " public"));
    for (const Diagnostic& warning : schema->warnings) out += warning.rule + " ";
    return out;
  };
  CHECK(warnings("ordered by rank asc") == "keyset-ties ");
  CHECK(warnings("ordered by rank asc, id asc") == "");
  CHECK(warnings("ordered by nick asc, id asc") == "keyset ");
}

TEST_CASE("tag families meet only where that is meant (§3.3)") {
  accepts("list a of Pet by ownerId as folk public list b of Pet by ownerId max 3 as folk public");
  refuses("list a of Pet by ownerId as folk public list b of Owner by name as folk public", "b",
          "share one tag family");
  refuses("list a of Pet by ownerId as Owner public", "a", "has the name of an entity");
}

TEST_CASE("roots say their policy and are called their own name") {
  refuses("get pet of Pet", "pet", "says no policy");
  refuses("get nodes of Pet public", "nodes", "the protocol's own root");
  refuses("get pet of Pet public private", "private", "has two policies");
  refuses("get pet(a: Text, a: Text) of Pet public", "a", "two parameters `a`");
  refuses("get pet(a: I32 = \"x\") of Pet public", "\"x\"", "expected I32");
  refuses("get pet(a: Role = Boss) of Pet public", "Boss", "expected a value of Role");
  refuses("get pet(a: Role = \"Admin\") of Pet public", "\"Admin\"", "stands without quotes");
  accepts(
      "get pet(a: Role = Admin, b: [I32]+ = [1, 2], c: Text = \"Admin\", d: I64 = 5) of Pet "
      "public");
  refuses("get pet(b: [I32]+ = []) of Pet public", "[]", "at least one element");
}

// --- Interfaces ---

TEST_CASE("entities have what their interfaces promise (§3.4)") {
  const auto cat = [](std::string_view members) {
    return "interface Named { name: Text size(unit: Text = \"cm\"): I32 has many kin: Named by "
           "boxId "
           "ordered by id asc page 3 max 9 }\n"
           "entity Cat by id implements Named { visible to all by default id: Text " +
           std::string(members) + " }";
  };
  const std::string kin = " has many kin: Named by boxId ordered by id asc page 3 max 9";
  const std::string size = " size(unit: Text = \"cm\"): I32";
  accepts(cat("name: Text" + size + kin));
  refuses(cat("name: I32" + size + kin), "name", "`name` is Text, not I32");
  refuses(cat(size + kin), "Named", "has no field `name: Text`");
  refuses(cat("name: Text size: I32" + kin), "size", "has other arguments");
  refuses(cat("name: Text" + size), "Named", "has no relationship `kin`");
  refuses(cat("name: Text" + size + " has many kin: Named by boxId max 3"), "kin", "other bounds");
  refuses(cat("name: Text" + size + " has many kin: Cat by id max 3"), "kin", "leads elsewhere");
  refuses("interface I { a: Text derived reads own(b) on read }", "a", "cannot be derived");
}

// --- Derived fields ---

TEST_CASE("derived fields read stored things and do not leak them (§3.7)") {
  const auto thing = [](std::string_view members) {
    return "fragment Wage on Boss { wage } fragment Name on Boss { name }\n"
           "entity Boss by id { visible to all by default id: Text name: Text wage: I32 private "
           "org: "
           "Text visible when caller.org = id }\n"
           "entity Part by id { visible to all by default id: Text thingId: Text kind: Text size: "
           "I32 "
           "price: I32 private }\n"
           "entity Thing by id { visible to all by default id: Text bossId: Text secret: Text "
           "private "
           "has one boss: Boss by bossId has many parts: Part by thingId max 9 has many byKind: "
           "Part by "
           "thingId max 9 grouped by kind " +
           std::string(members) + " }";
  };
  accepts(thing("a: Text derived reads own(id), boss ...Name, parts sum(size) on read"));
  accepts(thing("a: Text derived reads own(secret) on read private"));
  accepts(thing("a: Text derived reads own(secret) @declassify(approved: \"T-1\") on read"));
  refuses(thing("a: Text derived reads own(secret) on read"), "a", "which is private");
  refuses(thing("a: Text derived reads own(secret) on read visible when caller.org = id"), "a",
          "is gated by caller.org but reads its own fields, which is private");
  refuses(thing("a: Text derived reads boss ...Wage on read"), "a",
          "boss ...Wage, which is private");
  refuses(thing("a: I32 derived reads parts sum(price) on read"), "a", "the aggregate over parts");
  refuses(thing("a: Text derived reads parts ...Name on read"), "parts", "which leads to many");
  refuses(thing("a: Text derived reads boss count on read"), "boss", "no `has many`");
  refuses(thing("a: Text derived reads part count on read"), "part", "did you mean `parts`?");
  refuses(thing("a: Text derived reads bos ...Name on read"), "bos", "did you mean `boss`?");
  refuses(thing("a: Text derived reads boss ...Nam on read"), "Nam", "did you mean `Name`?");
  refuses(thing("a: I32 derived reads parts max(siz) on read"), "siz", "did you mean `size`?");
  refuses(thing("a: I32 derived reads byKind count maintained"), "a", "does not group by its link");
  refuses(thing("a: I32 derived reads own(id) @internal on read"), "@internal",
          "only @declassify stands inside");
  refuses(thing("a: I32 derived reads own(id) @declassify on read"), "@declassify", "approved");
}

// --- Fragments ---

TEST_CASE("selections of fragments fit the schema (§4.5, §4.8)") {
  const std::string people =
      "interface Being { name: Text has many friends: Being by boxId ordered by name asc max 5 }\n"
      "entity Man by id implements Being { visible to all by default id: Text name: Text pic(size: "
      "I32 = "
      "9, kind: Role?): Text must(a: I32): Text has many friends: Being by boxId ordered by name "
      "asc max "
      "5 has one? boss: Man by id has many tags: Owner by name max 3 }\n";
  const auto fragment = [&](std::string_view text) {
    return people + "fragment F" + std::string(text);
  };
  accepts(fragment(
      " on Man { name pic(size: 3, kind: Admin) boss { name } friends(first: 2) { name ... "
      "on Man { pic } } tags { name } }"));
  accepts(fragment("($n: I32 = 3, $k: Role?) on Man { pic(size: $n, kind: $k) }"));
  accepts(fragment(" on Man { name boss @depth(2) }"));
  refuses(fragment(" on Man { nam }"), "nam", "did you mean `name`?");
  refuses(fragment(" on Man { name { x } }"), "name", "takes no selection");
  refuses(fragment(" on Man { boss }"), "boss", "say which fields");
  refuses(fragment(" on Man { tags @depth(2) }"), "tags", "leads to Owner");
  refuses(fragment(" on Man { pic(siz: 3) }"), "siz", "did you mean `size`?");
  refuses(fragment(" on Man { pic(size: \"a\") }"), "\"a\"", "expected I32");
  refuses(fragment(" on Man { must }"), "must", "lacks the argument `a: I32`");
  refuses(fragment(" on Man { tags(first: 1) { name } }"), "first", "has no argument `first`");
  refuses(fragment(" on Man { friends { name } }"), "friends", "no default page");
  refuses(fragment(" on Man { friends(first: 9) { name } }"), "9", "pages of 1 to 5");
  refuses(fragment(" on Man { friends(first: 1, last: 1) { name } }"), "friends", "one of first");
  refuses(fragment(" on Man { friends(last: 1, after: \"c\") { name } }"), "friends",
          "`after` with");
  refuses(fragment(" on Being { id }"), "id", "Being has no field `id`");
  refuses(fragment(" on Being { ... on Pet { name } }"), "... on Pet",
          "none of the entities of Being");
  refuses(fragment(" on Man { ... on Man { name } }"), "... on Man", "always Man");
  refuses(fragment(" on Man { pic(size: $n) }"), "$n", "is not declared");
  refuses(fragment("($n: I32) on Man { name }"), "n", "never uses it");
  refuses(fragment("($n: Text) on Man { pic(size: $n) }"), "$n",
          "$n is Text, but `size` takes I32");
  refuses(fragment("($n: I32?) on Man { must(a: $n) }"), "$n", "$n is I32?, but `a` takes I32");
  refuses(fragment(" on Mann { name }"), "Mann", "did you mean `Man`?");
  refuses(fragment(" on Man { ...G }"), "...G", "there is no fragment `G`");
  refuses(fragment(" on Man { ...G } fragment G on Owner { name }"), "...G", "does not fit Man");
  accepts(fragment(" on Man { ...G } fragment G on Being { name }"));
  refuses(fragment(" on Man { name @mark }"), "@mark", "undeclared directive @mark");
  accepts(
      fragment(" on Man { name @mark ...G @mark } fragment G on Being { name } directive @mark on "
               "SELECTION | SPREAD"));
}

TEST_CASE("spreads end (§4.5)") {
  CHECK(idl_finding(with_pets("fragment A on Pet { ...B } fragment B on Pet { name ...A }"))
            .find("leads back to it") != std::string::npos);
  CHECK(idl_finding(with_pets("fragment A on Pet { ...A }")).find("leads back to it") !=
        std::string::npos);
  std::string chain = "fragment F0 on Pet { name } ";
  for (int i = 1; i < 10'000; ++i) {
    chain += "fragment F" + std::to_string(i) + " on Pet { ...F" + std::to_string(i - 1) + " } ";
  }
  refuses(chain, "F64", "more than 64 fragments deep");
}

// --- Mutations ---

TEST_CASE("write sets name entities and collections at their grain (§11.4)") {
  const auto mutation = [](std::string_view clauses) {
    return "list pets of Pet by ownerId public list find(text: Text) of Pet public\n"
           "entity Two by (a, b) { visible to all by default a: Text b: I32 }\n"
           "mutation m(pet: PetId, owner: Text, n: I32) returns Pet { allow public effect "
           "transactional " +
           std::string(clauses) + " }";
  };
  accepts(
      mutation("writes Pet(pet), Pet(new), pets(Pet.ownerId), pets(owner), find(owner), Two(owner, "
               "n) invalidates writes"));
  accepts(mutation("writes Pet(pet) invalidates Pet(pet), pets(owner)"));
  refuses(mutation("writes Pet(pet) invalidates pets(owner)"), "invalidates pets(owner)",
          "writes Pet but does not invalidate it");
  refuses(mutation("writes Pet(pt) invalidates writes"), "pt", "did you mean `pet`?");
  refuses(mutation("writes Pet(n) invalidates writes"), "n", "the key is PetId");
  refuses(mutation("writes Two(owner) invalidates writes"), "Two(owner)", "its key has 2 fields");
  refuses(mutation("writes Pett(pet) invalidates writes"), "Pett", "did you mean `Pet`?");
  refuses(mutation("writes petz(pet) invalidates writes"), "petz", "did you mean `pets`?");
  refuses(mutation("writes pets(Pet.name) invalidates writes"), "name", "is grouped by `ownerId`");
  refuses(mutation("writes pets(Owner.id) invalidates writes"), "Owner", "not what it holds");
  refuses(mutation("writes pets(n) invalidates writes"), "n", "`ownerId` is Text");
  refuses(mutation("writes pets(owner, n) invalidates writes"), "pets(owner, n)",
          "grouped by (ownerId)");
  const auto schema =
      load_good_schema(with_pets(mutation("writes Pet(new), Two(owner, n), pets(Pet.ownerId) "
                                          "invalidates writes")));
  const auto& writes = schema->find_mutation("m")->writes;
  CHECK(writes[0].is_new);
  CHECK(writes[0].arguments.empty());
  CHECK(writes[1].arguments == std::vector<std::string>{"owner", "n"});
  CHECK(writes[2].is_collection);
  CHECK(writes[2].arguments == std::vector<std::string>{"Pet.ownerId"});
}

TEST_CASE("mutations have each clause once (§11.1)") {
  const std::string head = "mutation m(p: PetId) returns Pet { ";
  CHECK(idl_findings(with_pets(head + "}")).size() == 4);
  refuses(head + "allow public allow private writes Pet(p) invalidates writes effect natural }",
          "m", "`allow` twice");
  refuses(
      "mutation m(p: PetId) returns Pets { allow public writes Pet(p) invalidates writes effect "
      "natural }",
      "Pets", "did you mean `Pet`?");
}

TEST_CASE("errors are a sum (§9.4.2)") {
  const auto mutation = [](std::string_view errors) {
    return "mutation m(p: PetId) returns Pet { allow public writes Pet(p) invalidates writes "
           "effect "
           "transactional errors " +
           std::string(errors) + " }";
  };
  accepts(mutation("Oops open = Gone | TooLate { at: Timestamp }"));
  accepts(mutation("Oops") + " data Oops closed = Gone");
  refuses(mutation("Role"), "Role", "is none");
  refuses(mutation("Oopz") + " data Oops closed = Gone", "Oopz", "did you mean `Oops`?");
  const auto schema = load_good_schema(with_pets(mutation("Oops open = Gone")));
  CHECK(schema->find_type("Oops")->declared_inline);
  CHECK(schema->canonical_text.find("data Oops") == std::string::npos);
}

TEST_CASE("verb bindings fit their verb (§11.7, §11.8)") {
  const auto mutation = [](std::string_view arguments, std::string_view effect,
                           std::string_view binding) {
    return "data In { name: Text } data Patch { name: Text? }\nmutation m(" +
           std::string(arguments) +
           ") returns Pet { allow public writes Pet(new) invalidates writes effect " +
           std::string(effect) + " " + std::string(binding) + " }";
  };
  accepts(mutation("p: PetId, in: In", "natural \"set\"", "as PUT /e/Pet/{p}"));
  accepts(mutation("p: PetId, in: Patch", "transactional",
                   "as PATCH /e/Pet/{p} last-writer-wins batch best-effort max 3 as PATCH /e/Pet"));
  accepts(mutation("p: PetId, name: Text", "transactional", "as PATCH /e/Pet/{p}"));
  accepts(mutation("p: PetId", "natural \"gone\"", "as DELETE /e/Pet/{p}"));
  accepts(mutation("in: In", "workflow", "as POST /e/Pet batch best-effort max 3 as POST /e/Pet"));
  refuses(mutation("p: PetId", "transactional", "as DELETE /e/Pet/{p}"), "as DELETE /e/Pet/{p}",
          "the effect is `natural`");
  refuses(mutation("p: PetId", "natural \"x\"", "as GET /e/Pet/{p}"), "GET", "the verbs are PUT");
  refuses(mutation("p: PetId, q: Text", "natural \"x\"", "as DELETE /e/Pet/{p}"), "q",
          "has no place");
  refuses(mutation("p: PetId, in: In", "natural \"x\"", "as PUT /e/Pet"), "as PUT /e/Pet",
          "names one row");
  refuses(mutation("p: I32, in: In", "natural \"x\"", "as PUT /e/Pet/{p}"), "p",
          "the key is PetId");
  refuses(mutation("p: PetId, in: Text", "natural \"x\"", "as PUT /e/Pet/{p}"), "as PUT /e/Pet/{p}",
          "one record (data)");
  refuses(mutation("p: PetId, a: Patch, b: Text", "transactional", "as PATCH /e/Pet/{p}"), "a",
          "stands alone");
  refuses(mutation("in: In", "workflow", "batch all-or-nothing max 3"),
          "batch all-or-nothing max 3", "best-effort");
  refuses(mutation("in: In", "transactional", "batch best-effort max 3 as POST /e/Pet"),
          "as POST /e/Pet", "the mutation itself is not");
  refuses(mutation("in: In", "transactional", "batch best-effort max 0"), "0", "at least 1");
}

// --- Metadata ---

TEST_CASE("directives are declared, placed and complete (§3.9)") {
  const std::string tone =
      "directive @tone(level: Text = \"x\", kind: Role?) on FIELD | ENTITY directive @many(a: I32) "
      "repeatable on ROOT ";
  accepts(tone + "@tone(kind: Admin) entity X by id { visible to all by default @tone id: Text }");
  accepts(tone + "@many(a: 2) @many(a: 1) get x of Pet public");
  refuses(tone + "@tone @tone entity X by id { visible to all by default id: Text }", "@tone",
          "is not repeatable");
  refuses(tone + "@tome entity X by id { visible to all by default id: Text }", "@tome",
          "did you mean `tone`?");
  refuses(tone + "@tone get x of Pet public", "@tone", "not declared for ROOT");
  refuses(tone + "@many get x of Pet public", "@many", "lacks the argument `a`");
  refuses(tone + "@many(a: \"1\") get x of Pet public", "\"1\"", "expected I32");
  refuses(tone + "@many(a: 1, b: 2) get x of Pet public", "b", "has no argument `b`");
  refuses("directive @x on FILD", "FILD", "did you mean `FIELD`?");
  refuses("directive @x on FIELD | FIELD", "FIELD", "lists FIELD twice");
  refuses("directive @defer on FIELD", "defer", "is built in");
}

TEST_CASE("@break and @deprecated keep their fixed grammar (§17.3, §17.5)") {
  const auto schema = load_good_schema(with_pets(
      "@deprecated(note: \"n\", sunset: \"2027-01-31\") @break(approved: \"T-1\") \"d\" get x of "
      "Pet public"));
  CHECK(schema->find_root("x")->metadata.deprecated->sunset == "2027-01-31");
  CHECK(schema->canonical_text.find("\"d\"\n@break(approved: \"T-1\")\n@deprecated(sunset: "
                                    "\"2027-01-31\", note: \"n\")\nget x of Pet public\n") !=
        std::string::npos);
  CHECK(print_pertinent(*schema->find_root("x"), *schema) == "get x of Pet public");
  refuses("@break get x of Pet public", "@break", "needs `approved");
  refuses("@deprecated(note: \"n\") get x of Pet public", "@deprecated(note: \"n\")",
          "needs `sunset");
  refuses("@deprecated(sunset: \"soon\") get x of Pet public", "@deprecated(sunset: \"soon\")",
          "is a date");
  refuses("@deprecated(sunset: \"2027-01-31\") newtype X = Text",
          "@deprecated(sunset: \"2027-01-31\")", "stands on fields");
  refuses("@declassify(approved: \"x\") newtype X = Text", "@declassify(approved: \"x\")",
          "inside a derived field");
}

// --- Extensions ---

TEST_CASE("extensions keep their members apart and resolve within their document (§18.1)") {
  const auto schema = load_good_schema(with_pets(
      "extend entity Post { score: I32 by: Text private has many pets: Pet by ownerId max 3 has "
      "one pet: Pet by petId total: I32 derived reads pets count, own(title) on read hint: Text "
      "visible when caller.org = teamId }"));
  REQUIRE(schema->extensions.size() == 1);
  CHECK(schema->extensions[0].fields.size() == 4);
  CHECK(schema->find_entity("Post") == nullptr);
  CHECK(schema->canonical_text.find("extend entity Post {\n  by: Text private\n") !=
        std::string::npos);
  refuses("extend entity Post { visible to all by default }", "visible to all by default",
          "has no default visibility");
  refuses("extend entity Post by id { a: Text }", "id", "has no key");
  refuses("extend entity Pet { a: Text }", "Pet", "is declared in this document");
  refuses("interface I { name: Text } extend entity I { a: Text }", "I", "is an interface");
  refuses("extend entity Post { has one x: Nope by id }", "Nope", "which is no entity");
}

}  // namespace
}  // namespace lattice::schema
