#include "cli/schema_verb.hpp"

#include "base/json.hpp"
#include "cli/output_fixture.hpp"
#include "cli/run.hpp"
#include "config/document.hpp"
#include "config/project_fixture.hpp"
#include "model/catalogue.hpp"
#include "model/json_schema.hpp"
#include "model/read.hpp"
#include "model/reference_page.hpp"
#include "model/write.hpp"
#include "schema/schema.hpp"
#include "support/golden.hpp"

#include <boost/json.hpp>
#include <doctest/doctest.h>

#include <algorithm>
#include <string>

using namespace cadre;
using schema::Schema;

namespace {

/// What is written of `value`, once it was read as the entity.
std::string written(const model::Entity& entity, const json::value& value)
{
    const auto object = entity.make();
    model::Problems problems;
    model::read(value, object.get(), entity, {}, problems, {});
    std::string text = problems.text();
    if (text.empty()) model::write(text, object.get(), entity);
    return text;
}

}  // namespace

TEST_CASE("cadre schema: files of more than one form have schemas that say what check says")
{
    struct {
        const char *name, *text;
        bool good;
    } const cases[] = {
        {"mcp_servers", R"([{"name":"a","transport":"stdio","config":{"command":"c"}}])", true},
        {"mcp_servers", R"([{"transport":"stdio","config":{"command":"c"}}])", false},
        {"mcp_servers", R"({"servers":[{"name":"a","transport":"sse","config":{"url":"http://x"}}]})", true},
        {"mcp_servers", R"({"servers":[{"name":"a","transport":"sse","config":{"command":"c"}}]})", false},
        {"mcp_servers", R"({"servers":{"a":{"command":"c","args":["x"],"env":{"A":"1"}}}})", true},
        {"mcp_servers", R"({"servers":{"a":{"command":"c","arg":["x"]}}})", false},
        {"mcp_servers", R"({"servers":{"a":{"transport":"stdio","config":{"command":"c"}}}})", true},
        {"mcp_servers", R"({"servers":{"a":{"transport":"stdio","config":{}}}})", false},
        {"mcp_servers", R"({"servers":{"a":5}})", false},
        {"mcp_servers", R"({"servers":5})", false},
        {"mcp_servers", R"({"servers":[],"other":1})", false},
        {"mcp_servers", R"({"servers":[],"tools":[{"name":"t","server":"s","description":"d"}]})", false},
        {"mcp_servers", R"({"a":{"command":"c"},"b":{"url":"https://x","headers":{"H":"v"},"type":"http"}})", true},
        {"mcp_servers", R"({"a":{"url":"x"}})", false},
        {"mcp_servers", R"({"a":{"serverUrl":"https://x","disabled":true,"alwaysAllow":["y"]}})", true},
        {"mcp_servers", R"({"a":{"url":"https://x","type":"carrier pigeon"}})", false},
        {"mcp_servers", R"({"a":{"url":"https://x","command":"c"}})", false},
        {"mcp_servers", R"({"mcpServers":{"a":{"command":"c"}},"theme":"dark"})", true},
        {"mcp_servers", R"({"mcpServers":{"a":{}}})", false},
        {"mcp_servers", R"({"mcpServers":5})", false},
        {"mcp_servers", R"({"mcpServers":{"":{"command":"c"}}})", false},
        {"mcp_servers", R"({"mcpServers":{"a":{"command":"c"}},"other":1})", false},
        {"mcp_servers", R"({"mcpServers":{"a":{"command":"c"}},"servers":[],"tools":[]})", true},
        {"mcp_servers", R"({"servers":{"a":{"command":"c"}},"inputs":[]})", true},
        {"mcp_servers", R"({"$schema":"x.json","a":{"command":"c"}})", true},
        {"agent", R"({"name":"agent","role":"r","prompt":"p"})", true},
        {"agent", R"({"name":"agent","role":"r","prompt":"p","llm_config":{"provider":"${P:-openai}"}})", true},
        {"agent", R"({"name":"agent","role":"r"})", false},
        {"agent", R"({"$schema":"x.json","name":"agent","role":"r","system_prompt":"p","tools":[],
            "llm_config":{"endpoint":"${E:-https://x}","model":"m"}})",
         true},
        {"agent", R"({"name":"agent","role":"r","system_prompt":"p","tools":[],
            "llm_config":{"endpoint":"","model":"m"},"ext":{"alias":"b","llm_config":{"provider":"ollama"}}})",
         true},
        {"agent", R"({"name":"agent","role":"r","system_prompt":"p","tools":[],
            "llm_config":{"endpoint":"x","model":"m"}})",
         false},
        {"agent", R"({"name":"agent","role":"","system_prompt":"p","tools":[],
            "llm_config":{"endpoint":"","model":"m"}})",
         false},
        {"agent", R"({"name":"agent","role":"r","system_prompt":"","tools":[],
            "llm_config":{"endpoint":"","model":"m"}})",
         false},
        {"agent", R"({"name":"agent","role":"r","system_prompt":"p","tools":[],
            "llm_config":{"endpoint":"","model":"m"},"ext":{"timeout":0}})",
         false},
        {"agent", R"({"name":"agent","role":"r","system_prompt":"p","tools":[],
            "llm_config":{"endpoint":"","model":"m"},"ext":{"other":0}})",
         false},
        {"agent", R"({"name":"agent","role":"r","system_prompt":"p","prompt":"p","tools":[],
            "llm_config":{"endpoint":"","model":"m"}})",
         false},
        {"domains", R"({"domains":[{"name":"a","display_name":"A","description":"d"}]})", true},
        {"domains", R"([{"name":"a","display_name":"A","description":"d"}])", true},
        {"domains", R"({"domains":[{"name":"a","display_name":"A"}]})", false},
        {"domains", R"({"domain":[]})", false},
        {"domains", R"({"domains":{}})", false},
    };
    for (const auto& c : cases) {
        CAPTURE(c.name);
        CAPTURE(c.text);
        const model::Entity* entity = model::find_entity(c.name);
        REQUIRE(entity);
        CHECK(Schema::compile(model::json_schema(*entity, model::SchemaOf::file)).accepts(parse_json(c.text)) ==
              c.good);
        const std::string folder = std::string_view(c.name) == "agent" ? "agents/" : "config/";
        const std::string said = config::checked({{folder + c.name + ".yaml", c.text}});
        const bool is_only_warned = said.find("warning: is not in effect") != said.npos && said.find('\n') == said.npos;
        CHECK((said.empty() || is_only_warned) == c.good);
    }
    const auto names = cli::schema_names();
    for (const char* name : {"project", "team", "agent", "workflow", "mcp_servers", "domains", "channels"})
        CHECK(std::ranges::count(names, name) == 1);
}

TEST_CASE("the YAML on a reference page is read as the example that it was made of")
{
    std::size_t count = 0;
    for (const model::Entity* entity : model::catalogue()) {
        if (model::written_in(*entity) != model::Home::Kind::yaml_file) continue;
        CAPTURE(entity->name);
        const std::string page = model::reference_page(*entity);
        const std::size_t start = page.find("```yaml\n") + 8;
        const std::string yaml = page.substr(start, page.find("```", start) - start);
        CAPTURE(yaml);
        config::Findings findings;
        const auto document = config::load("page.yaml", yaml, findings);
        CHECK(findings.text() == "");
        REQUIRE(document);
        CHECK(written(*entity, document->value) == written(*entity, parse_json(entity->example)));
        CHECK(Schema::compile(model::json_schema(*entity, model::SchemaOf::file)).accepts(document->value));
        ++count;
    }
    CHECK(count > 20);
}

TEST_CASE("every file of the example project is as its schema says, before its variables are replaced")
{
    struct {
        const char *file, *schema;
    } const files[] = {
        {"cadre.yaml", "project"},
        {"teams/support.yaml", "team"},
        {"agents/researcher.json", "framework_agent"},
        {"agents/researcher.json", "agent"},
        {"agents/writer.yaml", "agent"},
        {"workflows/report.json", "workflow"},
        {"config/mcp_servers.yaml", "mcp_servers"},
        {"config/domains.yaml", "domains"},
        {"config/retention_policy.yaml", "retention_policy"},
        {"config/appsettings.json", "app_settings"},
        {"agents/config/channels.yaml", "channels"},
        {"agents/config/style_guide.yaml", "style_guide"},
    };
    for (const auto& f : files) {
        CAPTURE(f.file);
        cli::Captured captured;
        const std::string words[] = {"schema", f.schema};
        REQUIRE(cli::run(cli::program(), words, captured.output) == 0);
        config::Findings findings;
        const auto document =
            config::load(f.file, test::golden("../../examples/project/" + std::string(f.file)), findings);
        REQUIRE(document);
        CHECK(schema::to_text(Schema::compile(parse_json(captured.out)).validate(document->value)) == "");
    }
}
