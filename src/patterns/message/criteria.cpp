#include "patterns/message/criteria.hpp"

#include "base/trim.hpp"
#include "patterns/message/format.hpp"
#include "patterns/message/numbers.hpp"
#include "text/channel/markdown.hpp"
#include "text/code_point.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <algorithm>

namespace cadre::patterns {

using model::conversation::Scorecard;
using model::conversation::ScorecardCriterion;

namespace {

ScorecardCriterion broken(std::string id, std::string description, std::string expected, std::string feedback)
{
    return {.id = std::move(id),
            .description = std::move(description),
            .expected = std::move(expected),
            .passed = false,
            .feedback = std::move(feedback)};
}

std::optional<ScorecardCriterion> too_long(const JudgedAnswer& answer)
{
    const auto most = answer.setup.channel.max_length;
    if (!most) return std::nullopt;
    for (const text::MessagePiece& piece : answer.message.pieces) {
        const bool is_card = answer.message.metadata.contains("text");
        const std::size_t length = text::count_code_points(is_card ? piece.alternative : piece.content);
        if (length > static_cast<std::size_t>(*most))
            return broken("within_limits", "Each piece is as short as its channel wants it",
                          fmt::format("At most {} characters", *most),
                          fmt::format("piece {} has {} characters", piece.sequence, length));
    }
    return std::nullopt;
}

std::optional<ScorecardCriterion> shown_marks(const JudgedAnswer& answer, const std::string& seen)
{
    if (answer.setup.channel.supports_markdown || answer.setup.channel.channel == model::conversation::Channel::teams)
        return std::nullopt;
    const text::MarkdownUse uses = text::read_markdown(seen).uses;
    if (!uses.bold && !uses.headers && !uses.tables && !uses.links && !uses.strike) return std::nullopt;
    return broken("no_markdown", "The text has no marks of Markdown, which its channel shows as they are", "Plain text",
                  "write it without asterisks, number signs, bars and links in brackets");
}

std::optional<ScorecardCriterion> made_up_numbers(const JudgedAnswer& answer, const std::string& seen)
{
    if (!answer.sources) return std::nullopt;
    const auto unsupported = unsupported_numbers(seen, *answer.sources);
    if (unsupported.empty()) return std::nullopt;
    return broken("no_unsupported_numbers", "Every number comes from the data, the message or what was said before",
                  "Numbers that are known, or follow from two that are",
                  fmt::format("nothing says {}", fmt::join(unsupported, ", ")));
}

const boost::json::object* verdict_on(std::string_view id, const boost::json::value& verdicts)
{
    const auto* all = verdicts.if_array();
    for (std::size_t i = 0; all && i < all->size(); ++i) {
        const auto* verdict = (*all)[i].if_object();
        const auto* about = verdict ? verdict->if_contains("id") : nullptr;
        if (about && about->is_string() && about->get_string() == id) return verdict;
    }
    return nullptr;
}

void take_verdict(ScorecardCriterion& criterion, const boost::json::object* verdict)
{
    const auto* passed = verdict ? verdict->if_contains("passed") : nullptr;
    const auto* feedback = verdict ? verdict->if_contains("feedback") : nullptr;
    criterion.passed = passed && passed->is_bool() && passed->get_bool();
    criterion.feedback.reset();
    if (!passed || !passed->is_bool()) criterion.feedback = "not evaluated";
    else if (!*criterion.passed)
        criterion.feedback = feedback && feedback->is_string() && !feedback->get_string().empty()
                                 ? std::string(feedback->get_string())
                                 : "expected: " + criterion.expected;
}

}  // namespace

std::vector<ScorecardCriterion> broken_rules(const JudgedAnswer& answer)
{
    std::vector<ScorecardCriterion> all;
    const std::string seen = seen_text(answer.message);
    if (trimmed(seen).empty())
        all.push_back(broken("not_empty", "The answer says something", "Some words", "there is no text"));
    for (auto& found : {too_long(answer), shown_marks(answer, seen), made_up_numbers(answer, seen)})
        if (found) all.push_back(*found);
    return all;
}

Scorecard judged(Scorecard scorecard, const boost::json::value& verdicts, std::vector<ScorecardCriterion> broken,
                 Time now)
{
    for (ScorecardCriterion& criterion : scorecard.criteria)
        take_verdict(criterion, verdict_on(criterion.id, verdicts));
    for (ScorecardCriterion& rule : broken) {
        const auto same = std::ranges::find(scorecard.criteria, rule.id, &ScorecardCriterion::id);
        if (same == scorecard.criteria.end()) scorecard.criteria.push_back(std::move(rule));
        else *same = std::move(rule);  // the planner has asked for it, too
    }
    evaluate(scorecard, now);
    return scorecard;
}

}  // namespace cadre::patterns
