// The reader and the generated schema of an entity are two answers to one question. Here they are asked the same, for every
// entity, its example, and the example with one thing changed.
#include "base/json.hpp"
#include "model/catalogue.hpp"
#include "model/event.hpp"
#include "model/json_schema.hpp"
#include "model/read.hpp"
#include "model/write.hpp"
#include "schema/schema.hpp"
#include "support/golden.hpp"

#include <boost/json.hpp>
#include <doctest/doctest.h>

#include <algorithm>
#include <cctype>
#include <functional>
#include <set>
#include <span>
#include <string>

using namespace cadre;
using namespace cadre::model;
using schema::Schema;

namespace {

struct Exception {
    std::string_view what;  // in what the reader says
    std::string_view why;
    bool numbers_from_strings = false;  // only in entities whose dialect reads them
};
/// What the reader refuses and JSON Schema cannot.
constexpr Exception kReaderOnly[] = {
    {"must not be before ", "it does not compare one value with another"},
    {"must be completed_at - started_at", "it does not calculate"},
    {"must be the timestamp of the last message", "it does not compare one value with another"},
    {"must have one result for each criterion", "it does not compare one length with another"},
    {"is another name for description", "it does not compare one value with another"},
    {"take turns", "it does not compare an element with the one before it"},
    {"name: \"researcher\" is here twice", "it compares elements as a whole, not by their names"},
    {"id: \"research\" is here twice", "it compares elements as a whole, not by their ids"},
    {"id: \"answers_question\" is here twice", "it compares elements as a whole, not by their ids"},
    {"id: \"correct_format\" is here twice", "it compares elements as a whole, not by their ids"},
    {"channel: is here twice", "it compares elements as a whole, not by their channels"},
    {"name: \"search\" is here twice", "it compares elements as a whole, not by their names"},
    {"unknown agent ", "it does not look names up"},
    {"unknown tool ", "it does not look names up"},
    {"unknown policy ", "it does not look names up"},
    {"unknown pattern ", "it does not look names up"},
    {"is not a node of this workflow", "it does not look names up"},
    {"is not in the plan", "it does not look names up"},
    {"has no call in tool_calls_made", "it does not look names up"},
    {"needs its base_url", "it does not know whom the program knows"},
    {": must be at ", "it knows no bounds of a number that is written as text", true},
    {": must be more than ", "it knows no bounds of a number that is written as text", true},
};
std::set<std::string_view> used;

const Exception* find_exception(std::string_view line, const Entity& entity)
{
    const auto* found = std::ranges::find_if(kReaderOnly, [&](const Exception& e) {
        return line.find(e.what) != line.npos && (!e.numbers_from_strings || entity.dialect.numbers_from_strings);
    });
    return found == std::end(kReaderOnly) ? nullptr : found;
}

bool can_only_reader_say(const Problems& problems, const Entity& entity)
{
    return std::ranges::all_of(problems.list(), [&](const Problem& problem) {
        const Exception* exception = find_exception(problem.line(), entity);
        if (exception) used.insert(exception->what);
        return exception != nullptr;
    });
}

/// Both must give the same verdict.
void compare(const Entity& entity, const Schema& schema, const json::value& value)
{
    Problems problems;
    read(value, entity.make().get(), entity, {}, problems, {});
    const bool accepted = schema.accepts(value);
    if (problems.empty() == accepted || (accepted && can_only_reader_say(problems, entity))) return;
    const std::string differs = std::string(entity.name) + ": " + to_text(value) + "\n  reader: " + problems.text() +
                                "\n  schema: " + schema::to_text(schema.validate(value));
    FAIL_CHECK(differs);
}

/// Values of every type, at and beyond the bounds that rules have.
const json::array& other_values()
{
    static const json::array values = [] {
        json::array all =
            parse_json(
                R"([null, true, -1, 1.5, "", "x", [], ["x"], {}, false, 0, 1, 2, 3.0, 61, 100000, 9007199254740993,
            9223372036854775807, 9223372036854775808, 1e16, -1e300, "Not A Name", "7", "0.5", "-3", "1e3", "a7b",
            "true", "2025-11-02T10:30:00", "2025-11-02 10:30:00.5+0200", "2025-12-31T23:59:60Z", "2025-02-29T00:00:00Z",
            "2024-02-29T00:00:00Z", "http://x", "ftp://x", "file:///etc/passwd", "file://a/%2e%2e/b", "file://a/b", "1.0",
            "2.0.0", "1.2.3-rc.1", "step_1", "6F1C8A2E-4B7D-4C3F-A9E0-5D1B2C3A4F60", "${VAR}", [""], ["x","x"], [1],
            [null], [{}], {"x":1}, {"x":"y"}, {"type":"text"}])")
                .as_array();
        for (const std::size_t size : {65, 129, 1700}) all.emplace_back(std::string(size, 'x'));
        return all;
    }();
    return values;
}

/// `name` is `Name`, and the other way round.
std::string other_case(std::string_view text)
{
    std::string other(text);
    if (!other.empty() && std::isalpha(static_cast<unsigned char>(other[0])) != 0) other[0] ^= 0x20;
    return other;
}

/// Calls `visit` after each change that one member or element in `part` can suffer. Parts of parts are mostly entities of
/// their own, so every change of the inner ones would be made many times: there, `values` are fewer.
void each_change(json::value& part, std::span<const json::value> values, const std::function<void()>& visit)
{
    const auto changed = [&](json::value& place) {
        const json::value before = place;
        for (const json::value& other : values) {
            place = other;
            visit();
        }
        if (const auto* text = before.if_string()) {
            place = other_case(*text);
            visit();
        }
        place = before;
        each_change(place, values.first(std::min<std::size_t>(values.size(), 9)), visit);
    };
    if (auto* array = part.if_array(); array && !array->empty()) {
        for (json::value& element : *array) changed(element);
        array->push_back(array->front());
        visit();
        array->pop_back();
    }
    if (auto* object = part.if_object()) {
        for (auto& member : *object) changed(member.value());
        const json::object before = *object;
        for (const auto& member : before) {
            object->erase(member.key());
            visit();
            (*object)[other_case(member.key())] = member.value();
            visit();
            *object = before;
        }
        (*object)["one_more"] = 1;
        visit();
        *object = before;
    }
}

}  // namespace

TEST_CASE("a schema accepts what the reader accepts and refuses what it refuses")
{
    std::size_t count = 0;
    for (const Entity* entity : catalogue()) {
        if (entity->name == "mcp_servers") continue;  // its servers are read by the config room, which has its own test
        const Schema schema = Schema::compile(json_schema(*entity));
        json::value value = parse_json(entity->example);
        const auto visit = [&] {
            compare(*entity, schema, value);
            ++count;
        };
        visit();
        each_change(value, other_values(), visit);
        for (const json::value& other : other_values()) compare(*entity, schema, other);
    }
    CHECK(count > 50'000);
    for (const Exception& exception : kReaderOnly) {
        CAPTURE(exception.what);
        CHECK(used.contains(exception.what));  // else it is none, and goes
    }
}

TEST_CASE("each of the 30 recorded events is as the schema of its type says, and as no other's")  // EVT-37 U
{
    std::vector<std::pair<const Entity*, Schema>> types;
    for (const Entity* entity : catalogue())
        if (entity->tag.starts_with("event_")) types.emplace_back(entity, Schema::compile(json_schema(*entity)));
    CHECK(types.size() == 30);
    const json::value events = parse_json(test::golden("model/004_events.json"));
    std::set<std::string_view> seen;
    for (const json::value& recorded : events.as_array()) {
        const json::value written = parse_json(to_json_text(from_json<Event>(recorded)));
        CAPTURE(to_text(written));
        for (const auto& [entity, schema] : types) {
            CAPTURE(entity->name);
            const bool is_it = written.at("type").as_string() == entity->tag;
            CHECK(schema.accepts(written) == is_it);
            if (is_it) seen.insert(entity->tag);
        }
    }
    CHECK(seen.size() == 30);
}

TEST_CASE("rules between fields, forms and times are in the schema too")
{
    struct {
        const char *entity, *value;
        bool good;
    } const cases[] = {
        {"agent", R"({"name":"a","role":"r"})", false},
        {"agent", R"({"name":"a","role":"r","prompt":"p"})", true},
        {"agent", R"({"name":"a","role":"r","prompt":"p","prompt_template":"t"})", false},
        {"agent", R"({"name":"a","role":"r","prompt":null,"prompt_template":"t"})", true},
        {"edge_def", R"({"from":"a","to":"b"})", true},
        {"edge_def", R"({"from":"a","to":{"x":"b"}})", true},
        {"edge_def", R"({"from":"a","to":{}})", false},
        {"edge_def", R"({"from":"a","to":{"x":1}})", false},
        {"edge_def", R"({"from":"a","to":["b"]})", false},
        {"mcp_server", R"({"name":"s","transport":"stdio","config":{"command":"c"}})", true},
        {"mcp_server", R"({"name":"s","transport":"stdio","config":{"url":"http://x"}})", false},
        {"mcp_server", R"({"name":"s","transport":"streamable-http","config":{"url":"http://x"}})", true},
        {"mcp_server", R"({"name":"s","transport":"sse","config":{"command":"c"}})", false},
        {"session", R"({"id":"550e8400-e29b-41d4-a716-446655440000","created_at":"2025-11-02T10:30:00"})", true},
        {"session", R"({"id":"550e8400-e29b-41d4-a716-446655440000","created_at":"2025-11-02T23:59:60Z"})", false},
        {"a2a_task_status", R"({"State":"Working"})", true},
        {"a2a_task_status", R"({"message":{"ROLE":"Agent","Parts":[{"text":"x"}]},"STATE":"canceled"})", true},
        {"a2a_task_status", R"({"message":{"role":"agent"},"state":"canceled"})", false},
        {"a2a_task_status", R"({"Message":null})", false},
        {"agent_choice_result", R"({"agentid":"a","Confidence":"0.5"})", true},
        {"guardrail_rule", R"({"kind":"keywords","value":["a"],"window_s":5})", false},
        {"domains", R"([{"name":"a","display_name":"A","description":"d"}])", true},
        {"domains", R"([{"name":"A b","display_name":"A","description":"d"}])", false},
        {"retention_policy", R"({"by_status":{"canceled":3}})", true},
        {"retention_policy", R"({"by_status":{"running":3}})", false},
        {"retention_policy", R"({"by_task":{"x":-1}})", false},
        {"text_part", R"({"text":"without its type, where nothing else could stand"})", true},
        {"step", R"({"task":"t","seq":0,"agent":"a","parts":[{"text":"which of eight?"}]})", false},
    };
    for (const auto& c : cases) {
        CAPTURE(c.entity);
        CAPTURE(c.value);
        const Entity* entity = find_entity(c.entity);
        REQUIRE(entity);
        const Schema schema = Schema::compile(json_schema(*entity));
        CHECK(schema.accepts(parse_json(c.value)) == c.good);
        compare(*entity, schema, parse_json(c.value));
    }
}

TEST_CASE("in a configuration file a variable may stand for any value, and a schema may be named")
{
    struct {
        const char *entity, *value;
        bool good;
    } const cases[] = {
        {"llm_config", R"({"timeout":"${T}","temperature":"${X:-0.5}","provider":"${P}"})", true},
        {"llm_config", R"({"timeout":"soon"})", false},
        {"llm_config", R"({"timeout":"a ${T}"})", false},
        {"llm_config", R"({"base_url":"https://${HOST}/v1"})", true},
        {"llm_config", R"({"base_url":"example.org"})", false},
        {"memory_config", R"({"long_term_enabled":"${LONG}","$schema":"memory.json"})", true},
        {"execution_config", R"({"mode":"${MODE}"})", true},
        {"execution_config", R"({"mode":"auto"})", false},
        {"tool", R"({"name":"t","type":"${TYPE}"})", true},
        {"tool", R"({"name":"t","type":"custom"})", false},
        {"guardrail_rule", R"({"kind":"${K}","window_s":5})", true},
        {"channel_specification", R"({"channel":"sms","supports_markdown":"${M}"})", true},
        {"agent", R"({"name":"a","role":"r","prompt":"p","card":{"$schema":"only at the top"}})", false},
    };
    for (const auto& c : cases) {
        CAPTURE(c.entity);
        CAPTURE(c.value);
        CHECK(Schema::compile(json_schema(*find_entity(c.entity), SchemaOf::file)).accepts(parse_json(c.value)) ==
              c.good);
    }
    CHECK_FALSE(Schema::compile(json_schema(*find_entity("llm_config"))).accepts(parse_json(R"({"timeout":"${T}"})")));
}
