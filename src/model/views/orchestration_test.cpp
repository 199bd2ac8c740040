#include "model/views/orchestration.hpp"

#include "base/error.hpp"
#include "base/json.hpp"
#include "model/read.hpp"
#include "model/views/orchestration_options.hpp"
#include "model/views/orchestration_route.hpp"
#include "model/wire_name.hpp"
#include "model/write.hpp"
#include "support/entity_rules.hpp"
#include "support/error_of.hpp"

#include <boost/json.hpp>
#include <doctest/doctest.h>

using namespace cadre;
using namespace cadre::model::orchestration;
using namespace cadre::test;
using model::from_json, model::from_text, model::to_json_text, model::problems_of;

namespace {

json::value without_nulls(const json::value& value)
{
    if (!value.is_object()) return value;
    json::object out;
    for (const auto& member : value.get_object())
        if (!member.value().is_null()) out[member.key()] = without_nulls(member.value());
    return out;
}

/// A golden file is read and written back to the letter, without its nulls.
template <class T>
void check_written(const char* file)
{
    CAPTURE(file);
    const json::value value = parse_json(golden(file));
    CHECK(to_json_text(from_json<T>(value)) == to_text(without_nulls(value)));  // C-26
}

std::vector<Message> talk(std::size_t count)
{
    std::vector<Message> history;
    for (std::size_t i = 0; i < count; ++i) history.push_back({.content = std::to_string(i)});
    return history;
}

}  // namespace

// SER-01 U, SER-08 U, A2A-01 U, A2A-12 U, A2A-26 U, A2A-35 U
TEST_CASE("002: every entity reads its example and writes it back equal, and has a schema and a page")
{
    CHECK(model::orchestration::entities().size() == 15);
    check_examples(model::orchestration::entities());
}

// A2A-09 U, A2A-16 U, A2A-31 U, A2A-41 U, A2A-80 U, SER-03 U, SER-06 U, UNI-12 U
TEST_CASE("002: the document's JSON examples are read and written to the letter")
{
    check_written<TaskContext>("model/002_task_context.json");
    check_written<model::orchestration::TaskStatus>("model/002_task_status.json");
    check_written<AgentChoiceResult>("model/002_agent_choice_single.json");
    check_written<AgentChoiceResult>("model/002_agent_choice_multi.json");
    check_written<AgentReplyView>("model/002_agent_response_success.json");
    check_written<AgentReplyView>("model/002_agent_response_failure.json");
}

// A2A-02 U, A2A-03 U, A2A-04 U, A2A-05 U, A2A-06 U, A2A-07 U, A2A-10 U
TEST_CASE("002: a task context has an id, a session and a status")
{
    for (const std::string field : {"id", "sessionId", "status"})
        CHECK(problems_without<TaskContext>(field) == field + ": is required");
    for (const std::string field : {"id", "sessionId"})
        CHECK(problems_with<TaskContext>(field, "\"\"") == field + ": must not be empty");
    for (const char* field : {"history", "artifacts", "metadata"})
        CHECK(default_of<TaskContext>(field) == "not written");
    CHECK(problems_with<TaskContext>("status", "{}") == "status.state: is required");

    const std::string whole =
        R"({"id":"t","sessionId":"s","status":{"state":"input-required",)"
        R"("message":{"role":"assistant","content":"Which?"}},"history":[{"role":"system","content":"a"},)"
        R"({"role":"user","content":"b"},{"role":"assistant","content":"c"}],)"
        R"("artifacts":[{"name":"scene.json","parts":[{"type":"file","file":{"uri":"/x","mimeType":"text/plain"}}],)"
        R"("metadata":{"v":1}}],"metadata":{"agentSelections":["light-agent"],"deep":{"list":[1,{"a":null}]}}})";
    const auto context = from_text<TaskContext>(whole);
    CHECK(context.history->at(1).content == "b");
    CHECK(context.artifacts->at(0).parts.at(0).file.uri == "/x");
    CHECK(to_json_text(context) == whole);
}

TEST_CASE("002: a status has a state, perhaps a message and a time")  // A2A-13 U, A2A-14 U, A2A-15 U
{
    using Status = model::orchestration::TaskStatus;
    CHECK(problems_without<Status>("state") == "state: is required");
    CHECK(problems_with<Status>("state", "\"done\"") ==
          "state: \"done\" is none of submitted, working, input-required, completed, canceled, failed, unknown, "
          "cancelled");
    CHECK(default_of<Status>("message") == "not written");
    CHECK(default_of<Status>("timestamp") == "not written");
    CHECK(problems_with<Status>("timestamp", "\"2025-13-01T00:00:00Z\"").starts_with("timestamp: "));
    CHECK(problems_with<Status>("message", "{\"role\":\"user\"}") == "message.content: is required");
    const char* const asking = R"({"state":"input-required","message":{"role":"assistant","content":"Which?"}})";
    CHECK(from_text<Status>(asking).message->content == "Which?");
    CHECK(to_json_text(from_text<Status>(asking)) == asking);
}

TEST_CASE("002: states are lower-case words, the hyphen kept")  // A2A-17 U, SER-07 U
{
    for (const std::string word :
         {"submitted", "working", "input-required", "completed", "canceled", "failed", "unknown"}) {
        const std::string text = R"({"state":")" + word + R"("})";
        CHECK(to_json_text(from_text<model::orchestration::TaskStatus>(text)) == text);
    }
    auto read = [](const char* text) { return from_text<model::orchestration::TaskStatus>(text).state; };
    CHECK(read(R"({"state":"cancelled"})") == TaskState::canceled);  // C-02
    CHECK(read(R"({"State":"Input-Required"})") == TaskState::input_required);
    CHECK(model::wire_name(TaskState::canceled) == "canceled");
}

TEST_CASE("002: a task moves as the document draws it, and no other way")  // A2A-19 U
{
    using enum TaskState;
    constexpr TaskState all[] = {submitted, working, input_required, completed, canceled, failed, unknown};
    // one row for each state it comes from, one column for each it goes to, in the order above
    const std::string_view table[] = {
        ".XX.XX.",  // submitted
        "..XXXX.",  // working
        ".X..XX.",  // input-required
        ".......",  // completed
        ".......",  // canceled
        ".......",  // failed
        ".......",  // unknown
    };
    for (std::size_t from = 0; from < 7; ++from)
        for (std::size_t to = 0; to < 7; ++to) {
            CAPTURE(model::wire_name(all[from]));
            CAPTURE(model::wire_name(all[to]));
            CHECK(state_machine().allows(all[from], all[to]) == (table[from][to] == 'X'));
        }
    CHECK(error_of([] { state_machine().next(completed, working); }) ==
          doctest::Contains("conflict: a task cannot go"));
}

TEST_CASE("002: a message is read in the document's form and in the protocol's own")  // A2A-11 U, A2A-12 U, SER-02 U
{
    struct {
        const char* given;
        const char* written;
    } const cases[] = {
        {R"({"role":"user","content":"a","timestamp":"2025-10-13T12:29:45+02:00"})",
         R"({"role":"user","content":"a","timestamp":"2025-10-13T10:29:45Z"})"},
        {R"({"role":"agent","content":"a"})", R"({"role":"assistant","content":"a"})"},
        {R"({"role":"agent","parts":[{"type":"text","text":"a"},{"kind":"text","text":"b"}]})",
         R"({"role":"assistant","content":"a\nb"})"},
        {R"({"Role":"USER","Parts":[{"text":"a"},{"file":{"uri":"/x"}},7]})", R"({"role":"user","content":"a"})"},
        {R"({"role":"user","parts":[]})", R"({"role":"user","content":""})"},
        {R"({"ROLE":"system","CONTENT":"a","timestamp":null})", R"({"role":"system","content":"a"})"},
    };
    for (const auto& c : cases) {
        CAPTURE(c.given);
        CHECK(to_json_text(from_text<Message>(c.given)) == c.written);
    }
    CHECK(problems_without<Message>("role") == "role: is required");
    CHECK(problems_without<Message>("content") == "content: is required");
    CHECK(problems_with<Message>("role", "\"tool\"") == "role: \"tool\" is none of user, assistant, system, agent");
    CHECK(problems_with<Message>("parts", "[]") == "parts: is not a field of a2a_message");  // not beside content
}

TEST_CASE("002: an artifact is a name and files")  // A2A-12 U, A2A-06 U
{
    CHECK(problems_without<Artifact>("name") == "name: is required");
    CHECK(problems_with<Artifact>("parts", R"([{"type":"file","file":{}}])") == "parts[0].file.uri: is required");
    CHECK(problems_with<Artifact>("parts", R"([{"type":"text","file":{"uri":"x"}}])") ==
          "parts[0].type: must be \"file\"");
}

TEST_CASE("002: a context is kept at its own key")
{
    CHECK(context_key("task-abc-123") == "task:task-abc-123");
}

TEST_CASE("002: of a long history the newest 50 stay, and the system messages that lead it")
{
    CHECK(pruned(talk(50)) == talk(50));
    auto kept = pruned(talk(60));
    CHECK(kept.size() == 50);
    CHECK(kept.front().content == "10");
    CHECK(kept.back().content == "59");

    auto history = talk(60);
    history[0].role = history[1].role = MessageRole::system;
    history[30].role = MessageRole::system;  // not a leading one
    kept = pruned(history);
    CHECK(kept.size() == 50);
    CHECK(kept[0].content == "0");
    CHECK(kept[1].content == "1");
    CHECK(kept[2].content == "12");
    CHECK(kept.back().content == "59");

    for (auto& message : history) message.role = MessageRole::system;
    CHECK(pruned(history).size() == 50);
    CHECK(pruned(talk(3), 0).empty());
    CHECK(pruned({}).empty());
}
