// Objects whose form no description knows: schemas of tools, agents and states, compiled once to see whether they are any, and retry
// policies, in which a typo would be a setting without effect.
#include "base/error.hpp"
#include "base/suggest.hpp"
#include "config/read_into.hpp"
#include "config/references.hpp"
#include "schema/schema.hpp"

#include <boost/json.hpp>
#include <fmt/core.h>

#include <algorithm>
#include <string>
#include <vector>

namespace cadre::config {

namespace {

void expect_schema(const boost::json::object& value, const File& file, const PathSteps& path, Findings& findings)
{
    try {
        schema::Schema::compile(value);
    } catch (const Error& error) {
        report(path, fmt::format("is not a JSON Schema: {}", error.what()), *file.document, findings);
    }
}

void expect_schemas(const auto& tool, const File& file, const PathSteps& path, const auto& input, Findings& findings)
{
    if (input) expect_schema(*input, file, joined(path, {"input_schema"}), findings);
    if (tool.output_schema) expect_schema(*tool.output_schema, file, joined(path, {"output_schema"}), findings);
}

void expect_policy(const boost::json::object& policy, const File& file, const PathSteps& path, Findings& findings)
{
    static const std::vector<std::string> known{"max_retries", "retries", "delay"};  // engine::retry_from()
    for (const auto& member : policy) {
        const std::string name(member.key());
        if (std::ranges::find(known, name) != known.end()) continue;
        if (const auto meant = nearest(name, known))
            report(joined(path, {"retry_policy", name}),
                   fmt::format("is not a setting of a retry policy, did you mean {}?", in_quotes(*meant)),
                   *file.document, findings);
    }
}

void expect_agent(const model::Agent& agent, const File& file, const PathSteps& path, Findings& findings)
{
    if (agent.output_schema) expect_schema(*agent.output_schema, file, joined(path, {"output_schema"}), findings);
    if (agent.llm_config) expect_policy(agent.llm_config->retry_policy, file, joined(path, {"llm_config"}), findings);
}

}  // namespace

void check_schemas(const Contents& contents, Findings& findings)
{
    for (const auto& [tool, file, path] : contents.tools)
        expect_schemas(tool, *file, path, std::optional(tool.input_schema), findings);
    for (const auto& [agent, file, path] : contents.agents) expect_agent(agent, *file, path, findings);
    for (const auto& [team, file, path] : contents.teams) {
        for (std::size_t i = 0; i < team.tools.size(); ++i) {
            expect_schemas(team.tools[i], *file, {"tools", i}, team.tools[i].input_schema, findings);
            expect_policy(team.tools[i].retry_policy, *file, {"tools", i}, findings);
        }
        for (std::size_t i = 0; i < team.agents.size(); ++i)
            expect_agent(team.agents[i], *file, {"agents", i}, findings);
        expect_policy(team.default_llm.retry_policy, *file, {"default_llm"}, findings);
    }
    for (const auto* workflows : {&contents.workflows, &contents.faulty_workflows})
        for (const auto& [graph, file, path] : *workflows)
            for (const auto& [name, field] : graph.state)
                expect_schema(field.schema, *file, {"state", name, "schema"}, findings);
}

}  // namespace cadre::config
