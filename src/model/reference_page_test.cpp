#include "model/reference_page.hpp"

#include "base/json.hpp"
#include "model/catalogue.hpp"
#include "model/yaml_example.hpp"

#include <boost/json.hpp>
#include <doctest/doctest.h>

#include <string>

using namespace cadre;
using namespace cadre::model;

namespace {

std::string page(std::string_view name)
{
    const Entity* entity = find_entity(name);
    REQUIRE(entity);
    return reference_page(*entity);
}

}  // namespace

TEST_CASE("what people write into YAML files is shown as YAML, without what has its default; the rest is JSON")
{
    CHECK(page("workflow")
              .ends_with("```yaml\n"
                         "name: article\n"
                         "patterns: [react, reflection]\n"
                         "nodes:\n"
                         "  write:\n"
                         "    type: agent\n"
                         "    agent: writer\n"
                         "  review:\n"
                         "    type: human\n"
                         "edges:\n"
                         "  - from: write\n"
                         "    to: review\n"
                         "entry_point: write\n"
                         "checkpoints: [review]\n"
                         "```\n"));
    for (const char* file : {"team", "agent", "llm_config", "guardrail_rule", "mcp_servers", "stdio_server_config"})
        CHECK(page(file).find("```yaml\n") != std::string::npos);
    for (const char* other : {"task", "app_settings", "router_executor_options", "task_start_event", "a2a_message"})
        CHECK(page(other).find("```json\n") != std::string::npos);
}

TEST_CASE("a page says where its entity is met")
{
    CHECK(page("team").find("\nYou write it, in `teams/NAME.yaml` or `team.yaml` (") != std::string::npos);
    CHECK(page("llm_config").find("\nA part of [agent](agent.md), [team](team.md).\n") != std::string::npos);
    CHECK(page("http_server_config").find("\nA part of [mcp_server](mcp_server.md), ") != std::string::npos);
    CHECK(page("trace_log").find("\nCadre writes it: `trace.json`") != std::string::npos);
    CHECK(page("create_task").find("\nIt is sent or received: the body of `POST /tasks`.\n") != std::string::npos);
    CHECK(page("step").find("\nInside Cadre; shown to others as [task_step](task_step.md).") != std::string::npos);
}

TEST_CASE("a page tells other spellings, rules between fields and the ways of its dialect")
{
    CHECK(page("task").find("`failed`, `cancelled` (also read: `canceled` for `cancelled`) |") != std::string::npos);
    CHECK(page("agent").find("- When `prompt` is left out or null, `prompt_template` must be given.\n"
                             "- When `prompt_template` is given, `prompt` must be left out or null.\n") !=
          std::string::npos);
    CHECK(page("task").find("- When `status` is neither `completed` nor `failed` nor `cancelled`, `completed_at` must "
                            "be left out or null.\n") != std::string::npos);
    CHECK(page("a2a_message").find("Names are read in any case") != std::string::npos);
    CHECK(page("agent").find("Names are read in any case") == std::string::npos);
}

TEST_CASE("pages speak without the words that only we know")
{
    for (const Entity* entity : catalogue()) {
        const std::string text = reference_page(*entity);
        CAPTURE(text);
        for (const char* word : {" door", "kernel", " view", "document 00", " room", "the house", "foreign"})
            CHECK(text.find(word) == std::string::npos);
    }
    for (const Chapter& chapter : chapters()) CHECK(chapter.title.find("ocument") == std::string_view::npos);
}

TEST_CASE("an example in YAML is what the JSON was")
{
    CHECK(yaml_example(parse_json(R"({"a":"plain text","b":"yes","c":"7","d":"x: y","e":"","f":null,"g":[],"h":{},
        "i":[1,"a",true],"j":[{"k":1,"l":[{"m":2}]},{},[]],"- n":"#","o":"tail ","on":1.5})")) == "a: plain text\n"
                                                                                                  "b: \"yes\"\n"
                                                                                                  "c: \"7\"\n"
                                                                                                  "d: \"x: y\"\n"
                                                                                                  "e: \"\"\n"
                                                                                                  "f: null\n"
                                                                                                  "g: []\n"
                                                                                                  "h: {}\n"
                                                                                                  "i: [1, a, true]\n"
                                                                                                  "j:\n"
                                                                                                  "  - k: 1\n"
                                                                                                  "    l:\n"
                                                                                                  "      - m: 2\n"
                                                                                                  "  - {}\n"
                                                                                                  "  - []\n"
                                                                                                  "\"- n\": \"#\"\n"
                                                                                                  "o: \"tail \"\n"
                                                                                                  "\"on\": 1.5\n");
}
