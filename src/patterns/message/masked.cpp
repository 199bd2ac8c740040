#include "patterns/message/masked.hpp"

#include "text/pii.hpp"

#include <boost/json.hpp>

namespace cadre::patterns {

namespace {

using model::conversation::ScorecardCriterion;

void mask(boost::json::value& value)
{
    if (value.is_string()) value = masked(std::string(value.get_string()));
    else if (auto* object = value.if_object())
        for (auto& member : *object) mask(member.value());
    else if (auto* array = value.if_array())
        for (auto& item : *array) mask(item);
}

void mask(std::vector<ScorecardCriterion>& criteria)
{
    for (ScorecardCriterion& criterion : criteria) {
        criterion.description = masked(std::move(criterion.description));
        criterion.expected = masked(std::move(criterion.expected));
        if (criterion.feedback) criterion.feedback = masked(std::move(*criterion.feedback));
    }
}

}  // namespace

std::string masked(std::string text)
{
    auto without = text::find_masked_pii(text);
    return without ? std::move(*without) : std::move(text);
}

boost::json::object masked(boost::json::object object)
{
    for (auto& member : object) mask(member.value());
    return object;
}

model::conversation::ValidationFailureLog masked(model::conversation::ValidationFailureLog line)
{
    line.original_question = masked(std::move(line.original_question));
    line.final_outcome = masked(std::move(line.final_outcome));
    line.failure_reason = masked(std::move(line.failure_reason));
    mask(line.scorecard.criteria);
    mask(line.validation_results);
    return line;
}

}  // namespace cadre::patterns
