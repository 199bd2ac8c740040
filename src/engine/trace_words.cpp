#include "engine/trace_words.hpp"

#include "base/json.hpp"
#include "base/plural.hpp"
#include "engine/effect_path.hpp"
#include "model/wire_name.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <algorithm>

namespace cadre::engine {
namespace {

constexpr std::string_view kCompact = "compact:";

}  // namespace

bool is_compaction_plan(std::string_view path)
{
    const std::string_view outer = outside(path);
    return outer.substr(outer.rfind('/') + 1).starts_with(kCompact);
}

std::string scope_name(std::string_view path)
{
    constexpr std::string_view kBranch = "branch:";
    const std::string_view outer = outside(path);
    std::string name(path.substr(outer.empty() ? 0 : outer.size() + 1));
    if (name.starts_with(kCompact)) return "shortens the conversation";
    if (!name.starts_with(kBranch)) {
        std::ranges::replace(name, '/', ' ');
        return name;
    }
    const auto dot = name.find('.');
    const std::string index = name.substr(dot + 1);
    return is_number(index) ? "branch " + std::to_string(std::stoul(index) + 1) : index;
}

std::string question_in(const model::HumanRequest& request)
{
    const auto* question = request.context.if_contains("question");
    const auto* tool = request.context.if_contains("tool");
    const auto* arguments = request.context.if_contains("arguments");
    const bool is_ours = request.type == model::HumanRequestType::outcome_unknown;
    if (question && question->is_string()) {
        const std::string words(question->get_string());
        if (is_ours || !arguments || !tool || !tool->is_string()) return words;
        return std::string(tool->get_string()) + " " + to_text(*arguments) + ", in its own words: " + words;
    }
    if (tool && tool->is_string()) {
        const std::string call =
            std::string(tool->get_string()) + (arguments ? " " + to_text(*arguments) : std::string());
        return request.type == model::HumanRequestType::approval ? "may I call " + call + "?"
                                                                 : "did this call happen: " + call + "?";
    }
    return to_text(boost::json::value(request.context));
}

std::string answered_text(const model::HumanAnswer& answer)
{
    std::string text(model::participle(answer.verb));
    if (answer.verb == model::HumanVerb::happened) text = "said to have happened";
    if (answer.verb == model::HumanVerb::not_happened) text = "said not to have happened";
    if (answer.by) text += " by " + *answer.by;
    return text + (answer.message.empty() ? "" : ": " + answer.message);
}

std::string text_of(const CompactOutcome& compact)
{
    std::string text = fmt::format("the conversation was shortened from {} to {} tokens",
                                   compact.tokens_before.value_or(0), compact.tokens_after.value_or(0));
    const auto gone = compact.upto.value_or(0) - static_cast<std::int64_t>(compact.kept.get().size());
    if (gone > 0) text += fmt::format(", {} summed up", plural(gone, "message"));
    if (const auto cut = compact.shortened.get().size(); cut > 0)
        text += fmt::format(", {} cut", plural(cut, "message"));
    return text;
}

}  // namespace cadre::engine
