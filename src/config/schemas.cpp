// Schemas of tools and of states, compiled once to see whether they are any.
#include "base/error.hpp"
#include "config/read_into.hpp"
#include "config/references.hpp"
#include "schema/schema.hpp"

#include <boost/json.hpp>
#include <fmt/core.h>

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

}  // namespace

void check_schemas(const Contents& contents, Findings& findings)
{
    for (const auto& [tool, file, path] : contents.tools)
        expect_schemas(tool, *file, path, std::optional(tool.input_schema), findings);
    for (const auto& [team, file, path] : contents.teams)
        for (std::size_t i = 0; i < team.tools.size(); ++i)
            expect_schemas(team.tools[i], *file, {"tools", i}, team.tools[i].input_schema, findings);
    for (const auto* workflows : {&contents.workflows, &contents.faulty_workflows})
        for (const auto& [graph, file, path] : *workflows)
            for (const auto& [name, field] : graph.state)
                expect_schema(field.schema, *file, {"state", name, "schema"}, findings);
}

}  // namespace cadre::config
