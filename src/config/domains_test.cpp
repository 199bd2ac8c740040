// config/domains.yaml: every mistake in it, where it stands.
#include "config/project_fixture.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace cadre::config;

namespace {

constexpr const char* kServers =
    "servers:\n  - {name: genie, transport: stdio, config: {command: x}}\n"
    "tools:\n  - {name: query_a, server: genie, description: d, input_schema: {type: object}}\n";

std::string checked_domains(const std::string& text)
{
    return checked({{"config/mcp_servers.yaml", kServers}, {"config/domains.yaml", text}});
}

}  // namespace

TEST_CASE("domains: what is wrong with them is found with its line and column")  // DOM-02 U, DOM-03 U
{
    struct {
        const char* text;
        const char* says;
    } const cases[] = {
        {"domains:\n  - {name: Customer, display_name: C, description: d}\n",
         "config/domains.yaml:2:12: domains[0].name"},
        {"domains:\n  - {name: a, description: d}\n", "domains[0].display_name: is required"},
        {"domains:\n  - {name: a, display_name: A, description: d, related_domains: [b]}\n",
         "config/domains.yaml:2:66: domains[0].related_domains[0]: unknown domain \"b\""},
        {"domains:\n  - {name: a, display_name: A, description: d, mcp_tools: [query_b]}\n",
         "domains[0].mcp_tools[0]: unknown tool \"query_b\", did you mean \"query_a\"?"},
        {"domains:\n  - {name: a, display_name: A, description: d}\n  - {name: a, display_name: B, description: d}\n",
         "config/domains.yaml:3:12"},
        {"ask: {tool_ms: 50001}\ndomains: []\n", "config/domains.yaml:1:16: ask.tool_ms"},
        {"ask: {router: best}\ndomains: []\n", "config/domains.yaml:1:15: ask.router"},
        {"aks: {}\ndomains: []\n", "config/domains.yaml:1:1: aks: is not a field of domains, did you mean \"ask\"?"},
        {"domains:\n  - {name: a, display_name: A, description: d, mcp_tools: [query_a], ext: {poll: poll_a}}\n",
         "domains[0].ext.poll: must be one of the domain's mcp_tools"},
    };
    for (const auto& one : cases) {
        CAPTURE(one.text);
        const std::string said = checked_domains(one.text);
        CAPTURE(said);
        CHECK(said.find(one.says) != std::string::npos);
    }
}

TEST_CASE("domains: those of the document, with limits, have no mistake")
{
    CHECK(checked_domains("ask: {total_ms: 30000, tool_ms: 20000, max_parallel: 2, router: auto}\n"
                          "domains:\n  - {name: a, display_name: A, description: d, mcp_tools: [query_a], "
                          "ext: {source: warehouse}}\n") == "");
    CHECK(checked_domains("- {name: a, display_name: A, description: d, mcp_tools: [query_a]}\n") == "");
}
