// Expressions in files of teams, parsed once to see whether they are any.
#include "config/read_into.hpp"
#include "config/references.hpp"
#include "text/template_names.hpp"

#include <boost/json.hpp>
#include <fmt/core.h>

#include <string_view>

namespace cadre::config {

namespace {

constexpr std::string_view kCriterion = "expr:";
constexpr std::string_view kCondition = "condition:";

void expect_expression(std::string_view text, std::span<const text::KnownName> names, const File& file,
                       const PathSteps& path, std::size_t prefix, Findings& findings)
{
    try {
        text::expect_known(text::Expression::parse(text.substr(prefix)), names);
    } catch (const text::TemplateError& error) {
        const Found found = find(file.document->value, file.document->root, path);
        // of what a variable gave nothing is told but where it stands
        if (!found.exact || !found.place->variable.empty())
            return report(path, error.reason(), *file.document, findings);
        const auto [name, line, column] = error.place();
        const Position at = file.document->inside(path, line, column + (line == 1 ? prefix : 0));
        if (found.place->reported || findings.has_error_at(file.shown, at)) return;
        findings.error(file.shown, at, fmt::format("{}: {}", model::path_text(path), error.reason()));
    }
}

/// Those of them that begin so.
void expect_expressions(const std::vector<std::string>& texts, std::string_view prefix,
                        std::span<const text::KnownName> names, const File& file, const PathSteps& list,
                        Findings& findings)
{
    for (std::size_t i = 0; i < texts.size(); ++i)
        if (texts[i].starts_with(prefix))
            expect_expression(texts[i], names, file, joined(list, {i}), prefix.size(), findings);
}

}  // namespace

void check_expressions(const Contents& contents, Findings& findings)
{
    for (const auto& [team, file, at] : contents.teams) {
        for (std::size_t i = 0; i < team.handoff_rules.size(); ++i)
            if (const auto& condition = team.handoff_rules[i].condition)
                expect_expression(*condition, text::turn_names(), *file, {"handoff_rules", i, "condition"}, 0,
                                  findings);
        const model::ExecutionConfig& config = team.execution_config;
        const PathSteps here{"execution_config"};
        expect_expressions(config.success_criteria, kCriterion, text::turn_names(), *file,
                           joined(here, {"success_criteria"}), findings);
        expect_expressions(config.failure_criteria, kCriterion, text::turn_names(), *file,
                           joined(here, {"failure_criteria"}), findings);
        expect_expressions(config.breakpoints, kCondition, text::breakpoint_names(), *file,
                           joined(here, {"breakpoints"}), findings);
    }
}

}  // namespace cadre::config
