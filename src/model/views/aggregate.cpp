#include "model/views/aggregate.hpp"

#include "base/trim.hpp"

#include <algorithm>
#include <vector>

namespace cadre::model::orchestration {

namespace {

/// Whether it ends as sentences do, a closing quote or bracket after the full stop included.
bool is_sentence(std::string_view text)
{
    while (!text.empty() && std::string_view("\"')]*_").find(text.back()) != std::string_view::npos)
        text.remove_suffix(1);
    return text.ends_with("…") ||
           (!text.empty() && std::string_view(".!?:").find(text.back()) != std::string_view::npos);
}

std::string as_sentence(std::string text)
{
    if (!text.empty() && !is_sentence(text)) text += '.';
    return text;
}

std::string join(std::span<const std::string> texts, std::string_view between)
{
    std::string all;
    for (const std::string& text : texts) (all.empty() ? all : all.append(between)) += text;
    return all;
}

/// In one pass, so that what an agent said is never taken for a placeholder.
std::string render(std::string_view pattern, std::string_view success, std::string_view failure)
{
    std::string out;
    while (!pattern.empty()) {
        auto take = [&](std::string_view name, std::string_view value) {
            if (!pattern.starts_with(name)) return false;
            out += value;
            pattern.remove_prefix(name.size());
            return true;
        };
        if (take("{successMessage}", success) || take("{failureMessage}", failure)) continue;
        out += pattern.front();
        pattern.remove_prefix(1);
    }
    return out;
}

}  // namespace

std::string join_naturally(std::span<const std::string> texts)
{
    if (texts.empty()) return {};
    if (texts.size() == 1) return texts[0];
    if (std::ranges::none_of(texts, is_sentence))
        return join(texts.first(texts.size() - 1), ", ") + " and " + texts.back();
    std::string all;
    for (const std::string& text : texts) all += (all.empty() ? "" : " Also, ") + as_sentence(text);
    return all;
}

std::string aggregate(std::span<const AgentReplyView> replies, const ResultAggregatorOptions& options)
{
    std::vector<std::string> successes, failures;
    const AgentReplyView* only = nullptr;
    for (const AgentReplyView& reply : replies) {
        const std::string text(trimmed(reply.success ? reply.content : reply.error_message.value_or("")));
        if (reply.success) only = &reply;
        if (!text.empty()) (reply.success ? successes : failures).push_back(text);
        else if (!reply.success) failures.push_back(reply.agent_id + " failed");
    }
    if (!only) return options.default_fallback_message;
    if (replies.size() == 1) return only->content;
    std::string success = options.enable_natural_language_joining ? join_naturally(successes) : join(successes, " ");
    if (failures.empty()) return success;
    return std::string(
        trimmed(render(options.partial_failure_template, as_sentence(success), as_sentence(join_naturally(failures)))));
}

}  // namespace cadre::model::orchestration
