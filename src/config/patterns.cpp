// Regular expressions of guardrails, compiled once to see whether they are any.
#include "config/read_into.hpp"
#include "config/references.hpp"

#include <boost/json.hpp>
#include <fmt/core.h>
#include <re2/re2.h>

namespace cadre::config {

namespace {

void expect_pattern(std::string_view text, const File& file, const PathSteps& path, Findings& findings)
{
    const re2::RE2 pattern(re2::StringPiece(text.data(), text.size()), re2::RE2::Quiet);
    if (!pattern.ok())
        report(path,
               fmt::format("is not a pattern: {}; mend it (patterns are RE2's: no look-around, no back references)",
                           pattern.error()),
               *file.document, findings);
}

}  // namespace

void check_patterns(const Contents& contents, Findings& findings)
{
    for (const auto& [team, file, at] : contents.teams)
        for (std::size_t i = 0; i < team.guardrail_policies.size(); ++i) {
            const auto& rules = team.guardrail_policies[i].rules;
            for (std::size_t k = 0; k < rules.size(); ++k)
                if (rules[k].kind == model::RuleKind::regex && rules[k].value && rules[k].value->is_string())
                    expect_pattern(rules[k].value->get_string(), *file, {"guardrail_policies", i, "rules", k, "value"},
                                   findings);
        }
}

}  // namespace cadre::config
