#include "model/views/agentx.hpp"

#include "base/id.hpp"
#include "base/json.hpp"
#include "base/sim_loop.hpp"
#include "model/json_schema.hpp"
#include "model/reference_page.hpp"
#include "support/entity.hpp"
#include "support/error_of.hpp"
#include "support/golden_list.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <map>

using namespace cadre;
using namespace cadre::model;
using namespace cadre::test;

namespace {

/// A type in the document's own words.
std::string python_name(const Type& type)
{
    switch (type.kind) {
    case Kind::string:
    case Kind::enumeration: return "str";
    case Kind::boolean: return "bool";
    case Kind::integer: return "int";
    case Kind::number: return "float";
    case Kind::time: return "datetime";
    case Kind::id: return "str";
    case Kind::any: return "Any";
    case Kind::object: return "Dict[str, Any]";
    case Kind::optional: return fmt::format("Optional[{}]", python_name(type.item()));
    case Kind::list: return fmt::format("List[{}]", python_name(type.item()));
    case Kind::dict: return fmt::format("Dict[str, {}]", python_name(type.item()));
    case Kind::entity: return std::string(type.entity().name);
    case Kind::variant: return "Part";
    }
    return {};
}

/// A field as 004_fields.json says it.
json::object in_words(const Field& field)
{
    json::object words{{"type", python_name(*field.type)}};
    if (field.rule.required) {
        words["required"] = true;
    } else if (field.rule.fill != Fill::nothing) {
        words["made"] = true;
    } else {
        std::string initial;
        write_value(initial, field.initial, *field.type);
        words["default"] = parse_json(initial);
    }
    return words;
}

/// Where we say more than the document on purpose: a prompt may stand in the file itself, rules have known keys (S-06).
bool is_known_difference(std::string_view entity, std::string_view field)
{
    return (entity == "agent" && field == "prompt_template") || (entity == "guardrail_policy" && field == "rules");
}

}  // namespace

// The golden file is what pydantic says of the document's own class definitions.
TEST_CASE("each entity has the document's fields in its order, with its types and defaults")  // EVT-37 U
{
    std::map<std::string_view, const Entity*> ours;
    for (const Entity* entity : agentx::entities()) ours[entity->name] = entity;
    const json::value document = parse_json(golden("model/004_fields.json"));
    CHECK(document.as_object().size() == 60);
    for (const auto& [name, said] : document.as_object()) {
        CAPTURE(std::string(name));
        REQUIRE(ours.contains(name));
        const Entity& entity = *ours[name];
        const auto* tag = said.as_object().if_contains("tag");
        CHECK(entity.tag == (tag ? std::string_view(tag->get_string()) : ""));
        std::vector<std::string> fields;
        for (const Field& field : entity.fields)
            if (!field.rule.extension) fields.emplace_back(field.name);
        std::vector<std::string> wanted;
        for (const auto& [field, words] : said.at("fields").as_object()) {
            wanted.emplace_back(field);
            CAPTURE(wanted.back());
            if (const Field* found = entity.find(field); found && !is_known_difference(name, field))
                CHECK(to_text(in_words(*found)) == to_text(words));
        }
        CHECK(fields == wanted);
    }
}

TEST_CASE("every entity of document 004 has an example that comes back to the letter")  // SER-01 U, SER-09 U
{
    for (const Entity* entity : agentx::entities()) {
        CAPTURE(std::string(entity->name));
        REQUIRE_FALSE(entity->example.empty());
        const json::value example = parse_json(entity->example);
        const ReadBack back = read_back(*entity, example);
        CHECK(back.problems == "");
        CHECK(back.text == to_text(example));
        CHECK(json_schema(*entity).at("properties").as_object().size() >= entity->fields.size());
        CHECK(reference_page(*entity).find("```") != std::string::npos);
        for (const Field& field : entity->fields) CHECK(field.doc.ends_with('.'));
    }
}

TEST_CASE("no two entities have one name")
{
    std::map<std::string_view, int> count;
    for (const Entity* entity : agentx::entities()) CHECK(++count[entity->name] == 1);
    CHECK(count.size() == 80);
}

TEST_CASE("a task step is read and written to the letter")  // STEP-01 U, STEP-09 U
{
    const auto steps = read_golden_list<agentx::TaskStep>("model/004_task_steps.json");
    CHECK(steps[0].parts.size() == std::variant_size_v<Part>);
}

TEST_CASE("what a task step may leave out")  // STEP-02 U, STEP-03 U, STEP-04 U, STEP-07 U
{
    ManualClock clock;
    const auto step =
        from_text<agentx::TaskStep>(R"({"agent_name":"a","parts":[{"type":"text","text":""}]})", {.clock = &clock});
    CHECK(step.step_id.size() == 5 + 32);
    CHECK(find_prefixed_id("step_", step.step_id).has_value());
    CHECK(step.timestamp == clock.now());
    CHECK(step.execution_mode == "autonomous");
    CHECK(step.task_id == std::nullopt);
    CHECK(step.parent_step_id == std::nullopt);
    CHECK(problems_without<agentx::TaskStep>("agent_name") == "agent_name: is required");
    CHECK(problems_with<agentx::TaskStep>("execution_mode", R"("replay")") == "");
}

TEST_CASE("a task step has one part or more")  // STEP-11 U
{
    CHECK(problems_with<agentx::TaskStep>("parts", "[]") == "parts: must not be empty");
    CHECK(problems_without<agentx::TaskStep>("parts") == "parts: is required");
}

TEST_CASE("metadata that nobody knows survives, fields that nobody knows do not")  // STEP-10 U
{
    json::value given = parse_json(description_of<agentx::TaskStep>().example);
    given.at("metadata") = parse_json(R"({"z":{"deep":[1,2.0,null]},"a":"ä"})");
    CHECK(read_back(description_of<agentx::TaskStep>(), given).text == to_text(given));
    CHECK(default_of<agentx::TaskStep>("metadata") == "{}");
    CHECK(problems_with<agentx::TaskStep>("metdata", "{}") ==
          "metdata: is not a field of task_step, did you mean \"metadata\"?");
}

TEST_CASE("task_id of a task step is an item of the plan, never the task")  // C-12
{
    Step step{.id = "step_1", .task = "the-task", .seq = 4, .agent = "writer", .plan_item = "outline"};
    step.parts = {TextPart{.text = "x"}};
    const agentx::TaskStep shown = agentx::to_task_step(step);
    CHECK(shown.task_id == "outline");
    CHECK(to_json_text(shown).find("the-task") == std::string::npos);
    CHECK(agentx::from_task_step(shown, "the-task", 4) == step);

    step.plan_item.reset();
    CHECK(agentx::to_task_step(step).task_id == std::nullopt);
    CHECK(agentx::from_task_step(agentx::to_task_step(step), "the-task", 4) == step);
}

TEST_CASE("a task step that is read back has the role and level that its parts say")
{
    const Part text = TextPart{.text = "x"};
    const Part result = ToolResultPart{.tool_result = {.tool_call_id = "tc"}};
    const Part failure = ToolResultPart{.tool_result = {.tool_call_id = "tc", .error = "no"}};
    const Part warning = GuardrailPart{.overall_status = CheckStatus::warning};
    struct {
        const char* agent;
        std::vector<Part> parts;
        Role role;
        Level level;
    } const cases[] = {
        {"writer", {text}, Role::assistant, Level::info}, {"user", {text}, Role::user, Level::info},
        {"system", {text}, Role::system, Level::info},    {"tool_executor", {result}, Role::tool, Level::info},
        {"x", {failure, text}, Role::tool, Level::error}, {"writer", {text, warning}, Role::assistant, Level::warning},
    };
    for (const auto& c : cases) {
        CAPTURE(c.agent);
        const Step step = agentx::from_task_step({.agent_name = c.agent, .parts = c.parts}, "t", 0);
        CHECK(step.role == c.role);
        CHECK(step.level == c.level);
    }
}

TEST_CASE("a step goes into 004's form and comes back whole, whatever its role, level and duration")
{
    const Part text = TextPart{.text = "x"};
    const Part result = ToolResultPart{.tool_result = {.tool_call_id = "tc", .error = "no"}};
    for (const Role role : {Role::user, Role::assistant, Role::tool, Role::system})
        for (const Level level : {Level::info, Level::warning, Level::error})
            for (const char* agent : {"ann", "user", "system", "writer"})
                for (const auto& parts : {std::vector{text}, {result, text}})
                    for (const auto duration : {std::optional<std::int64_t>(), std::optional<std::int64_t>(20)}) {
                        const Step step{.id = "step_1",
                                        .task = "t",
                                        .seq = 3,
                                        .agent = agent,
                                        .role = role,
                                        .parent = "step_0",
                                        .mode = "hitl",
                                        .level = level,
                                        .parts = parts,
                                        .memory_context = {{"m", 1}},
                                        .metadata = {{"z", 1}, {"a", nullptr}},
                                        .at = time_from_iso("2025-11-02T10:30:00Z"),
                                        .duration = duration};
                        const std::string line = to_json_text(agentx::to_task_step(step));
                        CAPTURE(line);
                        CHECK(agentx::from_task_step(from_text<agentx::TaskStep>(line), "t", 3) == step);
                    }

    const Step plain{.id = "s", .agent = "writer", .parts = {text}};
    CHECK(agentx::to_task_step(plain).metadata.empty());  // nothing to add
    const Step person{.id = "s", .agent = "ann", .role = Role::user, .parts = {text}, .duration = 5};
    CHECK(to_text(agentx::to_task_step(person).metadata) == R"({"cadre":{"role":"user","duration":5}})");
    for (const char* foreign : {R"({"cadre":{"role":"boss"}})", R"({"cadre":{"role":"user","x":1}})",
                                R"({"cadre":"x"})", R"({"cadre":{"duration":-1}})"}) {
        const auto metadata = parse_json(foreign).as_object();
        const Step step = agentx::from_task_step({.agent_name = "ann", .parts = {text}, .metadata = metadata}, "t", 0);
        CHECK(step.metadata == metadata);
        CHECK(step.role == Role::assistant);
        CHECK_FALSE(step.duration);
    }
}
