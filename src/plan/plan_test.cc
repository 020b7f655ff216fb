// Plans over our own schemas: what each step leaves in the plan.
#include "plan/plan.h"

#include "tests/support/schemas.h"

namespace lattice::plan {
namespace {

using testing::load_corpus_schema;

PlanPtr plan_of(const schema::SchemaPtr& schema, std::string_view text,
                const PlanOptions& options = {}) {
  auto query = query::compile_query(text, *schema);
  REQUIRE_MESSAGE(query.has_value(), query.error().message);
  auto plan = plan_query(*query, schema, options);
  REQUIRE_MESSAGE(plan.has_value(), plan.error().message);
  return *plan;
}
PlanPtr plan_of(std::string_view schema, std::string_view text, const PlanOptions& options = {}) {
  return plan_of(load_corpus_schema(schema), text, options);
}
Error plan_error(std::string_view schema_name, std::string_view text, const PlanOptions& options) {
  auto schema = load_corpus_schema(schema_name);
  auto query = query::compile_query(text, *schema);
  REQUIRE_MESSAGE(query.has_value(), query.error().message);
  auto plan = plan_query(*query, schema, options);
  REQUIRE_FALSE(plan.has_value());
  return plan.error();
}

const Node& node_at(const Plan& plan, std::string_view path) {
  for (const Node& node : plan.nodes) {
    if (node.path == path) return node;
  }
  FAIL("no node " << std::string(path));
  return plan.nodes.front();
}
std::string derivation_of(const Plan& plan, std::string_view path, std::string_view type = "") {
  for (const Element& element : plan.elements) {
    if (element.path == path && element.type == type) return element.derivation;
  }
  return "none";
}
// The part of `name` on `type` at a node.
const FieldPart& part_of(const Plan& plan, const Node& node, std::string_view type,
                         std::string_view name) {
  const EntityIndex entity = plan.schema->entity_index(type);
  const TypePart* part = node.type_of(entity);
  REQUIRE(part != nullptr);
  for (const FieldPart& field : part->parts) {
    if (plan.outputs_of(entity)->outputs[field.output].name == name) return field;
  }
  FAIL("no part " << std::string(name));
  return part->parts.front();
}
const Output& output_of(const Plan& plan, const Node& node, std::string_view type,
                        std::string_view name) {
  const EntityIndex entity = plan.schema->entity_index(type);
  return plan.outputs_of(entity)->outputs[part_of(plan, node, type, name).output];
}
std::vector<std::string> projected(const Plan& plan, Slice slice, std::string_view type) {
  std::vector<std::string> names;
  const EntityIndex entity = plan.schema->entity_index(type);
  for (const Projection& projection : plan.slice(slice).projections) {
    if (projection.entity != entity) continue;
    for (const FieldIndex field : projection.fields) {
      names.push_back(plan.schema->entities[entity].fields[field].name);
    }
  }
  return names;
}
using Names = std::vector<std::string>;

TEST_CASE("a derivation names every gate on the path (§8.1, §20.2)") {
  auto plan = plan_of("journal", "query { front { title clicks writer { name mail } } }");
  CHECK(derivation_of(*plan, "front") == "front@root:Claims{org} = Claims{org}");
  CHECK(derivation_of(*plan, "front.title") ==
        "front@root:Claims{org} ⊔ title:Public = Claims{org}");
  CHECK(derivation_of(*plan, "front.clicks") ==
        "front@root:Claims{org} ⊔ clicks:Claims{rank} = Claims{org,rank}");
  CHECK(derivation_of(*plan, "front.writer.mail") ==
        "front@root:Claims{org} ⊔ writer:Public ⊔ mail:Claims{org} = Claims{org}");
}

TEST_CASE("a claim that the root's policy equates with the link binds the scan") {
  auto plan = plan_of("journal", "query { front { title } }");
  const Access& access = plan->nodes.at(0).access;
  CHECK(access.kind == Access::Kind::Scan);
  REQUIRE(access.match_fields == Names{"orgId"});
  CHECK(plan->slots[access.match_slots[0]].kind == Slot::Kind::Claim);
  CHECK(plan->slots[access.match_slots[0]].name == "org");
  CHECK(access.grouping_slots == access.match_slots);
  // and every row is checked again
  const TypePart& type = plan->nodes.at(0).types.at(0);
  REQUIRE(type.gate.all_of.size() == 1);
  CHECK(type.gate.all_of[0].is_on_row());
  CHECK(plan->nodes.at(0).gate.is_open());  // nothing that the claims alone could fail
}

TEST_CASE("an argument beats the claim, the gate stays") {
  auto plan = plan_of("journal", "query($o: OrgId) { front(orgId: $o) { title } }");
  const Access& access = plan->nodes.at(0).access;
  CHECK(access.match_slots == std::vector<SlotIndex>{0});
  CHECK(plan->slots[0].kind == Slot::Kind::Variable);
  CHECK(plan->nodes.at(0).types.at(0).gate.all_of.size() == 1);
}

TEST_CASE("a scan without its link has no condition, and its tag an empty value") {
  auto plan = plan_of("journal", "query { archive { title } }");
  const Access& access = plan->nodes.at(0).access;
  CHECK(access.match_fields.empty());
  CHECK(access.grouping_slots == std::vector<SlotIndex>{kNone});
  CHECK(access.page_size_max == 25);
}

TEST_CASE("get by exactly the key is a key fetch") {
  auto plan = plan_of("journal", "query($id: ArticleId) { article(id: $id) { title } }");
  const Access& access = plan->nodes.at(0).access;
  CHECK(access.kind == Access::Kind::RootKeys);
  CHECK(access.match_fields == Names{"id"});
  CHECK(access.match_slots == access.argument_slots);
}

TEST_CASE("get without parameters is the caller's row, by owner or by key (decisions, private)") {
  SUBCASE("by key when nothing else is said") {
    auto plan = plan_of("journal", "query { me { name } }");
    const Access& access = plan->nodes.at(0).access;
    CHECK(access.kind == Access::Kind::Principal);
    CHECK(access.match_fields == Names{"id"});
    CHECK(plan->slots[access.match_slots.at(0)].kind == Slot::Kind::Principal);
    CHECK_FALSE(plan->nodes.at(0).types.at(0).gate.denied);
  }
  SUBCASE("whose private fields are the caller's as well") {
    auto plan = plan_of("journal", "query { me { salary } }");
    const FieldPart& salary = part_of(*plan, plan->nodes.at(0), "Writer", "salary");
    REQUIRE(salary.gate.all_of.size() == 1);
    CHECK(salary.gate.all_of[0].field == plan->schema->find_entity("Writer")->find_field("id"));
    CHECK(plan->warnings.empty());
  }
  SUBCASE("by the configured owner") {
    PlanOptions options;
    options.owners.push_back({"Writer", "name", ""});
    auto plan = plan_of("journal", "query { me { name } }", options);
    CHECK(plan->nodes.at(0).access.match_fields == Names{"name"});
  }
  SUBCASE("an owner column that is no field cannot be searched by") {
    PlanOptions options;
    options.owners.push_back({"Writer", "", "login"});
    auto plan = plan_of("journal", "query { me { name } }", options);
    REQUIRE(plan->unsupported.size() == 1);
    CHECK(plan->unsupported[0].rule == "principal-without-field");
  }
}

TEST_CASE("get that a claim equates with the key is a key fetch") {
  auto plan = plan_of("doors", "query { myHouse { name } }");
  CHECK(plan->nodes.at(0).access.kind == Access::Kind::RootKeys);
  CHECK(plan->slots[plan->nodes.at(0).access.match_slots.at(0)].name == "house");
}

TEST_CASE("a private list without argument is bound to its owner") {
  auto plan = plan_of("journal", "query { mine { title } }");
  const Access& access = plan->nodes.at(0).access;
  CHECK(access.match_fields == Names{"writerId"});
  CHECK(plan->slots[access.match_slots.at(0)].kind == Slot::Kind::Principal);
}

TEST_CASE("private parts compare the owner; without one nobody passes (decisions)") {
  auto plan = plan_of("journal",
                      "query($id: ArticleId) { article(id: $id) { draft secrets { text } "
                      "writer { salary } } }");
  const Node& article = node_at(*plan, "article");
  const FieldPart& draft = part_of(*plan, article, "Article", "draft");
  REQUIRE(draft.gate.all_of.size() == 1);
  CHECK(plan->slots[draft.gate.all_of[0].claim].kind == Slot::Kind::Principal);
  CHECK(plan->schema->find_entity("Article")->fields[draft.gate.all_of[0].field].name ==
        "writerId");
  const Node& writer = node_at(*plan, "article.writer");
  CHECK(part_of(*plan, writer, "Writer", "salary").gate.denied);
  CHECK(plan->warnings.size() == 1);
  // A private edge looks at the owner of what it leads to.
  const Node& secrets = node_at(*plan, "article.secrets");
  CHECK(part_of(*plan, article, "Article", "secrets").gate.is_open());
  CHECK(secrets.types.at(0).gate.all_of.size() == 1);
  CHECK(secrets.slice == Slice::Priv);
}

TEST_CASE("an owner column of the deployment gates private parts") {
  PlanOptions options;
  options.owners.push_back({"Writer", "", "login"});
  auto plan = plan_of("journal", "query($id: ArticleId) { article(id: $id) { writer { salary } } }",
                      options);
  const FieldPart& salary = part_of(*plan, node_at(*plan, "article.writer"), "Writer", "salary");
  REQUIRE(salary.gate.all_of.size() == 1);
  CHECK(salary.gate.all_of[0].hidden_column == "login");
  bool is_read = false;
  for (const Projection& projection : plan->slice(Slice::Priv).projections) {
    is_read |= projection.hidden_owner_column == "login";
  }
  CHECK(is_read);
}

TEST_CASE("an edge's policy looks at its owner's row") {
  auto plan = plan_of("doors", "query { room(id: \"r1\") { title guest { name debt } } }");
  const Node& room = node_at(*plan, "room");
  const FieldPart& guest = part_of(*plan, room, "Room", "guest");
  REQUIRE(guest.gate.all_of.size() == 1);
  CHECK(plan->schema->find_entity("Room")->fields[guest.gate.all_of[0].field].name == "houseId");
  CHECK(node_at(*plan, "room.guest").types.at(0).gate.is_open());
  CHECK(guest.slice == Slice::Ctx);
  CHECK(plan->slice(Slice::Pub).roots == Names{"room"});
  CHECK(plan->slice(Slice::Ctx).roots.empty());
  CHECK(plan->slice(Slice::Priv).claims == Names{"house"});
}

TEST_CASE("predicates with literals compare the claim among them") {
  auto plan = plan_of("doors", "query { room(id: \"r1\") { code } }");
  const FieldPart& code = part_of(*plan, plan->nodes.at(0), "Room", "code");
  REQUIRE(code.gate.all_of.size() == 2);
  const GateTerm& duty =
      code.gate.all_of[0].any_of.empty() ? code.gate.all_of[1] : code.gate.all_of[0];
  REQUIRE(duty.any_of.size() == 1);
  CHECK(plan->slots[duty.any_of[0]].literal == Json("Warden"));
  CHECK(plan->slice(Slice::Ctx).claims == Names{"duty", "house"});
}

TEST_CASE("a slice visits only what it emits, and the way there") {
  auto plan = plan_of("doors", "query { room(id: \"r1\") { title lock guest { name debt } } }");
  const auto visited = [&](Slice slice) {
    size_t count = 0;
    for (const auto& round : plan->slice(slice).rounds) count += round.size();
    return count;
  };
  CHECK(visited(Slice::Pub) == 1);
  CHECK(visited(Slice::Ctx) == 2);
  CHECK(visited(Slice::Priv) == 2);
  CHECK(projected(*plan, Slice::Pub, "Room") == Names{"title"});
  CHECK(projected(*plan, Slice::Pub, "Guest").empty());
  CHECK(projected(*plan, Slice::Ctx, "Room") == Names{"guestId", "houseId", "lock"});
  CHECK(projected(*plan, Slice::Ctx, "Guest") == Names{"name"});
  CHECK(projected(*plan, Slice::Priv, "Room") == Names{"guestId", "houseId"});
  CHECK(projected(*plan, Slice::Priv, "Guest") == Names{"debt"});
}

TEST_CASE("`nodes` enters each type through its own `fetch by` (§14.4)") {
  auto plan =
      plan_of("doors",
              "query($r: EntityRef) { nodes(refs: $r) { ... on Room { title } ... on Guest { "
              "name } ... on Keeper { name pin } ... on Cellar { note } } }");
  const Node& nodes = plan->nodes.at(0);
  CHECK(nodes.access.kind == Access::Kind::Nodes);
  CHECK(nodes.access.ref_slots == std::vector<SlotIndex>{0});
  CHECK(nodes.types.size() == 3);  // no Cellar: nobody may fetch one
  CHECK(plan->slice(Slice::Pub).roots == Names{"nodes"});
  CHECK(plan->slice(Slice::Ctx).roots == Names{"nodes"});
  CHECK(plan->slice(Slice::Ctx).claims == Names{"duty", "house"});
  // The pin is the keeper's house's, so its claim is needed too.
  CHECK(plan->slice(Slice::Priv).claims == Names{"duty", "house"});
  CHECK(plan->slice(Slice::Priv).roots.empty());
  CHECK(derivation_of(*plan, "nodes.name", "Guest") ==
        "nodes@Guest:Claims{house} ⊔ name:Public = Claims{house}");
  REQUIRE(plan->warnings.size() >= 1);
  CHECK(plan->warnings[0].message.find("Cellar") != std::string::npos);
}

TEST_CASE("a variable list of refs is as long as the rounds allow") {
  PlanOptions options;
  options.budgets.round_fanout_max = 100;
  auto plan = plan_of(
      "journal", "query($r: EntityRef) { nodes(refs: $r) { ... on Article { marks { name } } } }",
      options);
  CHECK(plan->nodes_refs_max == 5);  // 20 marks each
  CHECK(plan_error("journal",
                   "query { nodes(refs: [\"Article:1\",\"Article:2\",\"Article:3\",\"Article:4\","
                   "\"Article:5\",\"Article:6\"]) { ... on Article { marks { name } } } }",
                   options)
            .message.find("maxRoundFanout") != std::string::npos);
}

TEST_CASE("an interface edge keeps its owner's tag and its members' types (§4.4)") {
  auto plan = plan_of(
      "fleet", "query { captain { name mates(first: 3) { name ... on Robot { purpose } } } }");
  const Node& captain = plan->nodes.at(0);
  CHECK(captain.access.kind == Access::Kind::RootHook);
  REQUIRE(plan->nodes.size() == 2);  // one node serves both owners
  const Node& mates = plan->nodes.at(1);
  CHECK(mates.access.tag_by_owner_type);
  CHECK(mates.fanout_max == 3);
  const auto tag = [&](std::string_view type) {
    return plan->edges[output_of(*plan, captain, type, "mates").edge].collection_tag;
  };
  CHECK(tag("Pilot") == "Pilot.mates");
  CHECK(tag("Robot") == "Robot.mates");
  const auto pilot = plan->schema->entity_index("Pilot");
  const auto robot = plan->schema->entity_index("Robot");
  CHECK(mates.type_of(pilot)->parts.size() == 1);
  CHECK(mates.type_of(robot)->parts.size() == 2);
  CHECK(output_of(*plan, captain, "Robot", "mates").wire_key == "\"mates(first:3)\":");
}

TEST_CASE("what an interface gates is gated on every member, unless the member is named (§8.1)") {
  auto schema = testing::load_good_schema(R"(schema gated.example
claims { role: Text }
interface Named { name: Text visible when caller.role = "boss" }
entity Cat by id implements Named {
  visible to all by default
  id: Text
  name: Text
}
entity Dog by id implements Named {
  visible to all by default
  owner id is caller
  id: Text
  name: Text private
}
get pet of Named public
get beast of (Cat | Dog) public
)");
  auto plan = plan_of(schema, "query { pet { name } }");
  CHECK(derivation_of(*plan, "pet.name") == "pet@root:Public ⊔ name:Private = Private");
  CHECK(plan->slice(Slice::Priv).claims == Names{"role"});
  CHECK(part_of(*plan, plan->nodes[0], "Cat", "name").gate.all_of.size() == 1);
  CHECK(part_of(*plan, plan->nodes[0], "Dog", "name").gate.all_of.size() == 2);

  plan = plan_of(schema, "query { pet { ... on Cat { name } } }");
  CHECK(derivation_of(*plan, "pet.name", "Cat") == "pet@root:Public ⊔ name:Public = Public");
  CHECK(part_of(*plan, plan->nodes[0], "Cat", "name").gate.is_open());

  // A bare field of a union joins over the members, which keep their own gates.
  plan = plan_of(schema, "query { beast { name ... on Cat { id } } }");
  CHECK(plan->slice(Slice::Pub).roots == Names{"beast"});
  CHECK(part_of(*plan, plan->nodes[0], "Cat", "name").slice == Slice::Priv);
  CHECK(part_of(*plan, plan->nodes[0], "Cat", "name").gate.is_open());
  CHECK(part_of(*plan, plan->nodes[0], "Cat", "id").slice == Slice::Pub);
}

TEST_CASE("different selections of one edge by type stay apart") {
  auto plan =
      plan_of("fleet",
              "query { captain { ... on Pilot { mates { name } } ... on Robot { mates { ... on "
              "Pilot { home } } } } }");
  REQUIRE(plan->nodes.size() == 3);
  const auto pilot = plan->schema->entity_index("Pilot");
  const Node& of_pilot = plan->nodes[part_of(*plan, plan->nodes[0], "Pilot", "mates").child];
  const Node& of_robot = plan->nodes[part_of(*plan, plan->nodes[0], "Robot", "mates").child];
  CHECK(&of_pilot != &of_robot);
  CHECK(of_pilot.loader == "Crew via Pilot.mates");
  CHECK(plan->outputs_of(pilot)->outputs[of_robot.type_of(pilot)->parts.at(0).output].name ==
        "home");
  // One output a type and wire key, however many nodes select it.
  size_t mates_count = 0;
  for (const Output& output : plan->outputs_of(pilot)->outputs)
    mates_count += output.name == "mates";
  CHECK(mates_count == 1);
}

TEST_CASE("members that the query does not list are bare refs") {
  auto plan = plan_of("fleet", "query { search(text: \"x\") { ... on Vessel { length } } }");
  const Node& search = plan->nodes.at(0);
  CHECK(search.types.size() == 3);
  CHECK(search.type_of(plan->schema->entity_index("Pilot"))->parts.empty());
  CHECK(projected(*plan, Slice::Pub, "Pilot") == Names{"name"});  // the keyset
  CHECK(search.access.kind == Access::Kind::RootHook);
  CHECK(search.access.grouping_fields == Names{"text"});
  CHECK(search.access.grouping_slots.size() == 1);
}

TEST_CASE("schema fragments are expanded, with their arguments (§4.5)") {
  auto plan = plan_of("journal",
                      "query($id: ArticleId) { article(id: $id) { ...Card title "
                      "...Teaser(size: 50) } }");
  const Node& article = plan->nodes.at(0);
  CHECK(article.types.at(0).parts.size() == 3);  // teaser, title once, writer
  const Output& teaser = output_of(*plan, article, "Article", "teaser");
  CHECK(teaser.wire_key == "\"teaser(length:50)\":");
  REQUIRE(teaser.argument_slots.size() == 1);
  CHECK(plan->slots[teaser.argument_slots[0]].literal == Json(50));
  CHECK(node_at(*plan, "article.writer").types.at(0).parts.size() == 1);
}

TEST_CASE("@depth unrolls the enclosing selection (§4.2)") {
  auto plan = plan_of("journal",
                      "query($id: ArticleId) { article(id: $id) { remarks(first: 2) { text "
                      "answers @depth(2) } } }");
  CHECK(plan->used.depth == 4);
  const Node& second = node_at(*plan, "article.remarks(first:2).answers.answers");
  CHECK(second.types.at(0).parts.size() == 1);  // text alone: the innermost has no answers
  CHECK(node_at(*plan, "article.remarks(first:2).answers").types.at(0).parts.size() == 2);
  const EntityIndex remark = plan->schema->entity_index("Remark");
  CHECK(plan->outputs_of(remark)->outputs.size() == 2);
}

TEST_CASE("long arguments do not repeat on every level below") {
  const std::string id(3000, 'x');
  auto plan = plan_of("shop", "query { order(id: \"o\") { parts(shopId: \"" + id +
                                  "\", first: 2) { name placed } } }");
  CHECK(node_at(*plan, "order.parts(..)").types.at(0).parts.size() == 2);
  CHECK(derivation_of(*plan, "order.parts(..).name") ==
        "order@root:Public ⊔ parts(..):Public ⊔ name:Public = Public");
  // A grouping argument is a condition of the scan, and part of its tag.
  const Node& parts = node_at(*plan, "order.parts(..)");
  CHECK(parts.access.match_fields == Names{"shopId"});
  const EdgePart& edge = plan->edges[output_of(*plan, plan->nodes.at(0), "Order", "parts").edge];
  CHECK(edge.grouping.at(0).kind == EdgePart::GroupingSource::Kind::Argument);
  CHECK(plan->slots[edge.grouping[0].slot].literal == Json(id));
}

TEST_CASE("many recursive edges end at a limit") {
  PlanOptions options;
  options.budgets.depth_max = 64;
  options.budgets.rounds_max = 64;
  options.budgets.round_fanout_max = UINT32_MAX;
  const Error error = plan_error(
      "journal",
      "query($id: ArticleId) { article(id: $id) { remarks(first: 1) { text answers(first: 1) "
      "@depth(20) answers(last: 1) @depth(20) } } }",
      options);
  CHECK(error.code == Code::CompileRejected);
  CHECK(error.message.find(std::to_string(kPlanNodesMax)) != std::string::npos);
}

TEST_CASE("deferred parts stay marked, and what lies below them (§9.5)") {
  auto plan =
      plan_of("journal",
              "query($id: ArticleId) { article(id: $id) { title body @defer writer @defer { "
              "name } } }");
  const Node& article = plan->nodes.at(0);
  CHECK_FALSE(part_of(*plan, article, "Article", "title").deferred);
  CHECK(part_of(*plan, article, "Article", "body").deferred);
  CHECK(part_of(*plan, article, "Article", "writer").deferred);
  CHECK(node_at(*plan, "article.writer").deferred);
  CHECK(part_of(*plan, node_at(*plan, "article.writer"), "Writer", "name").deferred);
}

TEST_CASE("keys with variables are rendered per request (§9.1)") {
  auto plan = plan_of("journal",
                      "query($id: ArticleId, $n: I32, $c: Cursor) { article(id: $id) { "
                      "teaser(length: $n) remarks(first: $n, after: $c) { text } } }");
  const Node& article = plan->nodes.at(0);
  const Output& teaser = output_of(*plan, article, "Article", "teaser");
  CHECK(teaser.has_bound_arguments);
  CHECK(teaser.wire_key.empty());
  REQUIRE(teaser.key_arguments.size() == 1);
  CHECK(teaser.key_arguments[0].erased_value == Json(80));
  const Output& remarks = output_of(*plan, article, "Article", "remarks");
  REQUIRE(remarks.key_arguments.size() == 2);
  CHECK(remarks.key_arguments[0].name == "after");
  CHECK(remarks.key_arguments[1].erased_value == Json(10));
  CHECK(remarks.key_arguments[1].stays_beside_after);
  CHECK(node_at(*plan, "article.remarks(after:$c,first:$n)").access.page_size_max == 50);
}

TEST_CASE("grouping values of an edge come from its owner (§3.3)") {
  using Source = EdgePart::GroupingSource::Kind;
  auto plan = plan_of("journal",
                      "query($id: ArticleId) { article(id: $id) { "
                      "remarks { text } marks { name } } }");
  const Node& article = plan->nodes.at(0);
  const EdgePart& remarks = plan->edges[output_of(*plan, article, "Article", "remarks").edge];
  REQUIRE(remarks.grouping.size() == 2);
  CHECK(remarks.grouping[0].kind == Source::OwnerField);
  CHECK(remarks.grouping[1].kind == Source::OwnerKey);
  const EdgePart& marks = plan->edges[output_of(*plan, article, "Article", "marks").edge];
  REQUIRE(marks.grouping.size() == 1);
  CHECK(marks.grouping[0].kind == Source::OwnerKey);
}

TEST_CASE("derived fields show their hidden reads everywhere but in the executor (§3.7)") {
  auto plan = plan_of("shop", "query { order(id: \"o1\") { summary } }");
  CHECK(plan->used.depth == 2);
  CHECK(plan->used.rounds == 2);
  REQUIRE(plan->loaders.size() == 2);
  CHECK(plan->loaders[1].size() == 2);
  CHECK(plan->loaders[1][0].name == "Buyer via Order.buyer");
  CHECK(plan->loaders[1][1].name == "count via Order.parts");
  CHECK(projected(*plan, Slice::Pub, "Order") == Names{"buyerId", "rank", "shopId", "title"});
  CHECK(projected(*plan, Slice::Pub, "Buyer") == Names{"name"});
  REQUIRE(plan->key_families.size() == 1);
  CHECK(plan->key_families[0].collection == "Order.parts");
  REQUIRE(plan->unsupported.size() == 1);
  CHECK(plan->unsupported[0].message.find("Order.summary") != std::string::npos);
}

TEST_CASE("an identity edge links by the key (§3.8)") {
  auto plan =
      plan_of("shop",
              "query { nodes(refs: [\"Receipt:1\"]) { ... on Receipt { total order { title } } "
              "} }");
  const EdgePart& order = plan->edges[output_of(*plan, plan->nodes.at(0), "Receipt", "order").edge];
  REQUIRE(order.link_fields.size() == 1);
  CHECK(plan->schema->find_entity("Receipt")->fields[order.link_fields[0]].name == "id");
  CHECK(projected(*plan, Slice::Ctx, "Receipt") == Names{"total"});  // never the key
}

TEST_CASE("a budget's error names it, its limit and the use") {
  PlanOptions options;
  options.budgets.depth_max = 2;
  Error error = plan_error("journal", "query { front { remarks { writer { name } } } }", options);
  CHECK(error.code == Code::CompileRejected);
  CHECK(error.message ==
        "maxDepth: `front.remarks.writer` is 3 levels deep, at most 2 are allowed");
  CHECK(error.details == std::vector<std::pair<std::string, std::string>>{
                             {"budget", "maxDepth"}, {"limit", "2"}, {"used", "3"}});
  options = {};
  options.budgets.rounds_max = 1;
  error = plan_error("journal", "query { front { writer { name } } }", options);
  CHECK(error.message == "maxRounds: the plan needs rounds: 2, at most 1 are allowed");
}

TEST_CASE("a point fetch is a plan of its mask (§6.7)") {
  auto schema = load_corpus_schema("doors");
  const EntityIndex guest = schema->entity_index("Guest");
  auto mask = query::compile_mask("name,debt", schema->entities[guest], *schema);
  REQUIRE(mask.has_value());
  auto plan = plan_entity_fetch(*mask, guest, schema);
  REQUIRE(plan.has_value());
  CHECK((*plan)->canonical == "Guest{debt name}");
  CHECK((*plan)->is_entity_fetch);
  CHECK((*plan)->plan_id.size() == 19);
  CHECK((*plan)->slice(Slice::Pub).is_empty);
  CHECK((*plan)->slice(Slice::Ctx).claims == Names{"house"});
  CHECK((*plan)->slice(Slice::Priv).claims == Names{"house"});
  CHECK(derivation_of(**plan, "Guest.name") ==
        "Guest@fetch:Claims{house} ⊔ name:Public = Claims{house}");
  auto cellar = plan_entity_fetch({}, schema->entity_index("Cellar"), schema);
  REQUIRE_FALSE(cellar.has_value());
  CHECK(cellar.error().code == Code::NotFound);
}

TEST_CASE("the plan document is one record (§9.2)") {
  auto plan = plan_of("journal", "query { front { title } }");
  CHECK(print_plan_document(*plan) ==
        "{\"kind\":\"plan\",\"query\":\"" + plan->query_hash + "\",\"plan\":\"" + plan->plan_id +
            "\",\"slices\":{\"pub\":false,\"ctx\":{\"claims\":[\"org\"],\"roots\":[\"front\"]},"
            "\"priv\":false}}");
}

TEST_CASE("explain has the members that tools read (§20.2)") {
  auto plan = plan_of("journal", "query { front { title remarks { text } } }");
  const Json explain = explain_json(*plan);
  for (const char* member : {"plan", "query", "elements", "rounds", "surrogateKeys", "budgets",
                             "slices", "spans", "projections"}) {
    CHECK_MESSAGE(explain.find(member) != nullptr, member);
  }
  CHECK(canonical_json(*explain.find("rounds")) ==
        R"([{"loaders":[{"collection":"front","fanout":20,"grouping":["orgId"],"loader":)"
        R"("Article via front"}],"round":0},{"loaders":[{"collection":"Article.remarks",)"
        R"("fanout":200,"grouping":["orgId","articleId"],"loader":"Remark via Article.remarks"}],)"
        R"("round":1}])");
  CHECK(canonical_json(*explain.find("budgets")) ==
        R"({"depth":{"limit":12,"used":2},"roots":{"limit":8,"used":1},"roundFanout":)"
        R"({"limit":10000,"used":200},"rounds":{"limit":8,"used":2}})");
  CHECK(canonical_json(explain.find("elements")->as_array().at(0)) ==
        R"({"derivation":"front@root:Claims{org} = Claims{org}","path":"front","slice":"ctx"})");
}

// --- Declared cache policy (§10.9) ---

constexpr const char* kCacheSchema = R"(schema cached.example cache max-age 5m

entity Item by id {
  visible to all by default
  id:     Text
  plain:  Text
  price:  Text cache max-age 10s
  live:   Text cache revalidate
  secret: Text cache no-store
  sealed: Text cache immutable
  slow:   Text cache no-tenure
  fetch by id: public
}

entity Stone by id {
  cache immutable
  visible to all by default
  id:   Text
  name: Text
  fetch by id: public
}

get item(id: Text) of Item public
get fresh(id: Text) of Item public cache max-age 30s
get stone(id: Text) of Stone public cache immutable
)";
CacheMeet cache_of(std::string_view text) {
  auto schema = testing::load_good_schema(kCacheSchema);
  return plan_of(schema, text)->slice(Slice::Pub).cache;
}

TEST_CASE("the root's lifetime, else the schema's, is where the meet starts (§10.9)") {
  CHECK(cache_of("query { item(id: \"1\") { plain } }").baseline_seconds == 300);
  CHECK(cache_of("query { fresh(id: \"1\") { plain } }").baseline_seconds == 30);
  // Two roots: the shorter one.
  const CacheMeet both = cache_of("query { fresh(id: \"1\") { plain } item(id: \"2\") { plain } }");
  CHECK(both.baseline_seconds == 30);
  CHECK_FALSE(both.cap_seconds.has_value());
}

TEST_CASE("a part only tightens (§10.9)") {
  CHECK(cache_of("query { item(id: \"1\") { price plain } }").cap_seconds == 10);
  CHECK(cache_of("query { item(id: \"1\") { live } }").revalidate);
  CHECK(cache_of("query { item(id: \"1\") { slow } }").no_tenure);
  CHECK(cache_of("query { item(id: \"1\") { plain secret } }").store ==
        schema::CachePolicy::Storability::NoStore);
  CHECK(cache_of("query { item(id: \"1\") { plain } }").store ==
        schema::CachePolicy::Storability::Shared);
}

TEST_CASE("immutable holds only when everything touched is (§10.9)") {
  CHECK(cache_of("query { stone(id: \"1\") { name } }").immutable);
  CHECK_FALSE(cache_of("query { item(id: \"1\") { sealed } }").immutable);  // the root is not
  CHECK_FALSE(cache_of("query { stone(id: \"1\") { name } item(id: \"1\") { plain } }").immutable);
  auto schema = testing::load_good_schema(kCacheSchema);
  const EntityIndex item = schema->entity_index("Item");
  const auto immutable = [&](const char* mask) {
    auto selections = query::compile_mask(mask, schema->entities[item], *schema);
    REQUIRE(selections.has_value());
    auto plan = plan_entity_fetch(*selections, item, schema);
    REQUIRE(plan.has_value());
    return (*plan)->slice(Slice::Pub).cache.immutable;
  };
  CHECK(immutable("sealed"));
  CHECK_FALSE(immutable("plain,sealed"));
}

TEST_CASE("planning is a function of its arguments") {
  auto schema = load_corpus_schema("fleet");
  const char* text =
      "query { captain { mates { name ... on Pilot { home } } ... on Robot { purpose } } }";
  const auto first = plan_of(schema, text);
  const auto second = plan_of(schema, text);
  CHECK(to_json(explain_json(*first)) == to_json(explain_json(*second)));
  CHECK(print_rounds(*first) == print_rounds(*second));
}

}  // namespace
}  // namespace lattice::plan
