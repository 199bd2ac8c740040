#include "cli/task_text.hpp"

#include "base/json.hpp"
#include "base/plural.hpp"
#include "base/utf8.hpp"
#include "base/visible.hpp"
#include "cli/layout.hpp"
#include "cli/output.hpp"
#include "cli/verb.hpp"
#include "engine/task_state.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <ctime>
#include <vector>

namespace cadre::cli {
namespace {

/// Of a question's id, as it is typed: enough among those of one task.
constexpr std::size_t kShortRequest = 8;

std::tm local_parts(Time time)
{
    const std::time_t seconds = std::chrono::floor<std::chrono::seconds>(time).time_since_epoch().count();
    std::tm parts{};
    ::localtime_r(&seconds, &parts);
    return parts;
}

std::string formatted(const std::tm& parts, const char* format)
{
    std::string text(40, '\0');
    text.resize(std::strftime(text.data(), text.size(), format, &parts));
    return text;
}

std::string text_in(const boost::json::object& object, std::string_view name)
{
    const auto* value = object.if_contains(name);
    if (!value) return "";
    return value->is_string() ? std::string(value->get_string()) : cadre::to_text(*value);
}

/// `write_file {"path":"a.txt"}`
std::string call_text(const boost::json::object& context)
{
    std::string text = text_in(context, "tool");
    if (const std::string arguments = text_in(context, "arguments"); !arguments.empty()) text += " " + arguments;
    return text;
}

std::string choices_text(const boost::json::object& context)
{
    const auto* choices = context.if_contains("choices");
    if (!choices || !choices->is_array() || choices->get_array().empty()) return "";
    std::vector<std::string> texts;
    for (const auto& choice : choices->get_array())
        texts.push_back(choice.is_string() ? std::string(choice.get_string()) : cadre::to_text(choice));
    return fmt::format(" ({})", fmt::join(texts, ", "));
}

/// Twice what was there, which is more than was needed so far. Which limit is short is a guess: those that are half used up, or else all.
std::string raised_budget(const engine::TaskState& state)
{
    const engine::Budget& budget = state.budget;
    const llm::Usage own = state.own_work().usage;
    const std::int64_t used = own.input + own.output;
    const bool is_money = budget.cost && own.cost * 2 >= *budget.cost;
    const bool is_tokens = budget.tokens && used * 2 >= *budget.tokens;
    const bool all = !is_money && !is_tokens;
    std::vector<std::string> parts;
    if (is_money || (all && budget.cost))
        parts.push_back(fmt::format("${:.2f}", std::max({own.cost * 2, *budget.cost * 2, 0.01})));
    if (is_tokens || (all && (budget.tokens || !budget.cost)))
        parts.push_back(
            fmt::format("{}tokens", std::max<std::int64_t>({budget.tokens.value_or(0) * 2, used * 2, 1000})));
    return fmt::format("{}", fmt::join(parts, ","));
}

}  // namespace

std::string age_text(Millis age)
{
    using namespace std::chrono;
    if (age < 1min) return age < 1s ? "now" : fmt::format("{} s", duration_cast<seconds>(age).count());
    if (age < 1h) return fmt::format("{} min", duration_cast<minutes>(age).count());
    if (age < 48h) return fmt::format("{} h", duration_cast<hours>(age).count());
    return fmt::format("{} d", duration_cast<days>(age).count());
}

std::string local_time(Time time, Time now)
{
    const std::tm then = local_parts(time);
    const std::tm today = local_parts(now);
    if (then.tm_year != today.tm_year) return formatted(then, "%Y-%m-%d");
    return formatted(then, then.tm_yday == today.tm_yday ? "%H:%M:%S" : "%b %e %H:%M");
}

std::string throttled_text(Time until)
{
    const auto whole = std::chrono::ceil<std::chrono::seconds>(until);
    return "throttled until " + formatted(local_parts(whole), "%H:%M:%S");
}

std::string one_line(std::string_view text, std::size_t most, bool utf8)
{
    std::string line;
    // a word more than fits is enough to know that something is cut off
    for (const char c : utf8_prefix(text, most * 4 + 16)) line += c == '\n' || c == '\r' || c == '\t' ? ' ' : c;
    line = printable(line);
    if (columns(line) <= most) return line;
    const std::string_view dots = utf8 ? "…" : "...";
    const std::size_t room = most - std::min(most, columns(dots));
    return std::string(fitting(line, room)) + std::string(dots);
}

namespace {

/// Whoever agrees to a call should know that the tool is not what it was.
std::string changed_text(const boost::json::object& context)
{
    if (!context.contains("changed")) return "";
    const std::string server = text_in(context, "changed");
    return fmt::format(", which its server describes differently now than at first (to see and accept that: {})",
                       as_typed("cadre mcp approve " + server));
}

/// Who asks: an agent, or a node of a workflow.
std::string asker_of(const model::HumanRequest& request)
{
    const std::string node = text_in(request.context, "node"), workflow = text_in(request.context, "workflow");
    if (!node.empty()) return workflow.empty() ? node : fmt::format("{} of workflow {}", node, workflow);
    return request.agent.empty() ? "the task" : request.agent;
}

/// What a node of a workflow asks about, where the question itself does not say it.
std::string subject_of(const boost::json::object& context, const std::string& question)
{
    constexpr std::size_t kMost = 2'000;
    const std::string text = context.contains("node") ? text_in(context, "text") : "";
    if (text.empty() || question.find(text) != question.npos) return "";
    const std::string_view begin = utf8_prefix(text, kMost);
    return fmt::format("\n\n{}{}", begin, begin.size() < text.size() ? " […]" : "");
}

/// What is decided on, before the words that the model has for it: it could say anything.
std::string handed_over(const boost::json::object& context)
{
    const auto* arguments = context.if_contains("arguments");
    if (!arguments || !arguments->is_object() || context.contains("node")) return "";
    boost::json::object rest = arguments->get_object();
    for (const char* words : {"question", "choices"}) rest.erase(words);
    return rest.empty() ? "" : fmt::format("{} {}", text_in(context, "tool"), cadre::to_text(rest));
}

/// The model's words are marked as its own; a tool's description is not its.
std::string own_words(const boost::json::object& context, const std::string& question)
{
    const auto* arguments = context.if_contains("arguments");
    const bool is_its = arguments && arguments->is_object() && arguments->get_object().contains("question");
    return fmt::format("\n{}: {}{}", is_its ? "in the model's words" : "what it is for", question,
                       choices_text(context));
}

std::string digest_text(const boost::json::object& context)
{
    const std::string digest = text_in(context, "sha256");
    return digest.empty() ? "" : "\nsha256 " + digest;
}

std::string in_brackets(const std::string& text)
{
    return text.empty() ? "" : " (" + text + ")";
}

std::string asked_text(const model::HumanRequest& request)
{
    const std::string who = asker_of(request);
    const std::string question = text_in(request.context, "question");
    switch (request.type) {
    case model::HumanRequestType::approval:
        if (question.empty())
            return fmt::format("{} wants to call {}{}{}", who, call_text(request.context),
                               changed_text(request.context), digest_text(request.context));
        break;
    case model::HumanRequestType::outcome_unknown:
        if (request.context.contains("channel"))
            return fmt::format("{} sent a message to {} ({}), and it is not known whether that happened{}", who,
                               text_in(request.context, "to"), text_in(request.context, "channel"),
                               in_brackets(text_in(request.context, "why")));
        return fmt::format("{} called {}, and it is not known whether that happened{}", who, call_text(request.context),
                           in_brackets(text_in(request.context, "why")));
    case model::HumanRequestType::feedback:
    case model::HumanRequestType::escalation: break;
    }
    if (question.empty()) return fmt::format("{} asks: {}", who, cadre::to_text(request.context));
    const std::string whom = text_in(request.context, "policy");
    if (const std::string call = handed_over(request.context); !call.empty())
        return fmt::format("{} asks{} about {}{}{}", who, whom.empty() ? "" : " " + whom, call,
                           digest_text(request.context), own_words(request.context, question));
    return fmt::format("{} asks{}: {}{}{}", who, whom.empty() ? "" : " " + whom, question,
                       choices_text(request.context), subject_of(request.context, question));
}

}  // namespace

std::string question_text(const model::HumanRequest& request)
{
    // whoever decides sees every character: what cannot be seen is written out
    std::string text;
    const std::string asked = asked_text(request);
    for (std::string_view rest = asked;;) {
        const std::size_t end = rest.find('\n');
        text += visible(rest.substr(0, end));
        if (end == rest.npos) return text;
        text += '\n';
        rest.remove_prefix(end + 1);
    }
}

std::vector<std::string> answer_commands(const Id& task, const model::HumanRequest& request)
{
    // by the question's own id, however many there are: typed twice, it must not answer the next one
    const std::string id = fmt::format("{} --request {}", short_id(task), request.id.substr(0, kShortRequest));
    switch (request.type) {
    case model::HumanRequestType::approval: return {as_typed("cadre approve " + id), as_typed("cadre reject " + id)};
    case model::HumanRequestType::outcome_unknown:
        return {as_typed(fmt::format("cadre answer {} --happened RESULT", id)),
                as_typed(fmt::format("cadre answer {} --not-happened", id))};
    case model::HumanRequestType::feedback:
    case model::HumanRequestType::escalation: break;
    }
    return {as_typed(fmt::format("cadre answer {} \"text\"", id))};
}

std::string answer_command(const Id& task, const model::HumanRequest& request)
{
    return fmt::format("{}", fmt::join(answer_commands(task, request), ", or "));
}

std::string resume_command(const engine::TaskState& state)
{
    const std::string id = short_id(state.id);
    if (state.pause_reason == model::PauseReason::step_mode) return as_typed("cadre step " + id);
    if (state.pause_reason == model::PauseReason::breakpoint) return as_typed("cadre continue " + id);
    if (state.pause_reason != model::PauseReason::budget) return as_typed("cadre resume " + id);
    return as_typed(fmt::format("cadre resume {} --budget '{}'", id, raised_budget(state)));
}

Hint way_on(const engine::TaskState& state)
{
    // as patterns::throw_iterations_reached() words it
    constexpr std::string_view kBegin = "max_iterations (", kBetween = ") reached: ", kEnd = " may call its model ";
    std::string_view text = state.error;
    if (state.status != model::TaskStatus::failed || !text.starts_with(kBegin)) return {};
    text.remove_prefix(kBegin.size());
    int most = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), most);
    if (error != std::errc{}) return {};
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    const std::size_t agent = text.find(kEnd);
    if (!text.starts_with(kBetween) || agent == text.npos) return {};
    constexpr std::uint32_t kEventsOfFailure = 2;
    return {.purpose = "to continue with more",
            .verb = fmt::format("fork {} --at {} --set agents.{}.max_iterations={}", short_id(state.id),
                                state.end.event_seq - kEventsOfFailure,
                                text.substr(kBetween.size(), agent - kBetween.size()), 2 * std::int64_t{most})};
}

std::string usage_text(const engine::TaskState& state)
{
    const auto number = [](int count) { return static_cast<std::size_t>(count); };
    const engine::Work own = state.own_work();
    std::string text = plural(number(own.steps), "model call") + ", " + plural(number(own.calls), "tool call");
    text += fmt::format(", {} tokens", own.usage.input + own.usage.output);
    if (own.usage.cost > 0) text += ", " + engine::dollars(own.usage.cost);
    return text;
}

}  // namespace cadre::cli
