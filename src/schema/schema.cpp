#include "schema/schema.hpp"

#include "base/error.hpp"
#include "schema/compile.hpp"
#include "schema/evaluation.hpp"

#include <fmt/core.h>

namespace cadre::schema {

std::string to_text(const Findings& findings)
{
    std::string text;
    for (const Finding& finding : findings)
        text += fmt::format("{}{}{}\n", finding.value_path, finding.value_path.empty() ? "" : ": ", finding.message);
    return text;
}

Schema Schema::compile(const json::value& schema, const Options& options)
{
    return Schema(std::make_shared<const Program>(compile_program(schema, options)));
}

bool Schema::accepts(const json::value& value) const
{
    return Evaluation(*program_, nullptr).check(0, value, {}, nullptr);
}

Findings Schema::validate(const json::value& value) const
{
    if (accepts(value)) return {};
    Findings findings;
    try {
        Evaluation(*program_, &findings).check(0, value, {}, nullptr);
    } catch (const Error&) {
        // to say everything costs more than to say no; what has been found so far is true
    }
    if (findings.empty()) findings.push_back({.message = "is not as its schema says"});
    return findings;
}

}  // namespace cadre::schema
