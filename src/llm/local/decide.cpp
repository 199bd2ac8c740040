#include "llm/local/decide.hpp"

#include "base/json.hpp"
#include "base/trim.hpp"
#include "base/utf8.hpp"
#include "llm/local/arithmetic.hpp"
#include "llm/local/choose_tool.hpp"
#include "llm/local/extract.hpp"
#include "llm/local/structured.hpp"
#include "llm/local/turn.hpp"
#include "llm/local/words.hpp"
#include "text/route/choice.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <algorithm>

namespace cadre::llm::local {
namespace {

namespace json = boost::json;

constexpr double kNamed = 0.6;         // a tool whose name is said so far is meant
constexpr std::size_t kMostCalls = 6;  // of one step
constexpr std::size_t kMostQuotes = 2;
constexpr std::size_t kShortResult = 800;  // told as it is
constexpr std::size_t kLongText = 600;     // of a request that may be a text to sum up
constexpr const char* kConfigure = "A language model could say more: set a key like OPENAI_API_KEY or "
                                   "ANTHROPIC_API_KEY, or give --model (the verb `models` lists them).";

std::string quoted_lines(std::string_view text)
{
    std::string all = "> ";
    for (const char c : text) {
        all += c;
        if (c == '\n') all += "> ";
    }
    return all;
}

std::string arguments_text(const json::object& arguments)
{
    std::string text;
    for (const auto& [name, value] : arguments) {
        const std::string one = value.is_string() ? std::string(value.get_string()) : to_text(value);
        const bool is_long = one.size() > 80;
        text += fmt::format("{}{}: {}{}", text.empty() ? "" : ", ", std::string_view(name), utf8_prefix(one, 80),
                            is_long ? "…" : "");
    }
    return text;
}

std::string in_words(const std::vector<std::string>& names)
{
    if (names.size() < 2) return names.empty() ? "" : names.front();
    return fmt::format("{} and {}", fmt::join(names.begin(), names.end() - 1, ", "), names.back());
}

class Deciding {
public:
    Deciding(const Request& request, const std::shared_ptr<const text::Encoder>& encoder)
        : request_(request), encoder_(encoder), turn_(turn_of(request))
    {
        if (request.tools) tools_ = candidates(*request.tools);
    }

    Completion answer()
    {
        if (!request_.options.output_schema.empty() && !(may_call() && turn_.answered.empty() && call_tools())) {
            if (!completion_.calls.empty()) return std::move(completion_);
            completion_.text = structured_answer(turn_, request_.options.output_schema);
            return std::move(completion_);
        }
        if (!completion_.calls.empty()) return std::move(completion_);
        if (auto ballot = vote(turn_)) {
            completion_.text = std::move(*ballot);
            return std::move(completion_);
        }
        speak();
        return std::move(completion_);
    }

private:
    bool may_call() const { return !tools_.empty(); }
    bool was_called(std::string_view tool) const
    {
        return std::ranges::any_of(turn_.answered, [&](const Answered& one) { return one.call.tool_name == tool; });
    }
    bool has(std::string_view tool) const
    {
        return request_.tools &&
               std::ranges::any_of(*request_.tools, [&](const ToolSpec& one) { return one.name == tool; });
    }

    void say(std::string text, bool hand_over = true)
    {
        completion_.text = fmt::format("{}\n\n{}", trimmed(text), kNote);
        if (hand_over) pass_on_as_told();
    }

    void call(std::string_view tool, json::object arguments)
    {
        completion_.calls.push_back({.tool_name = std::string(tool), .args = std::move(arguments)});
        completion_.finish_reason = "tool_calls";
    }

    // ---- what is said ----

    void speak()
    {
        if (!turn_.answered.empty()) {
            if (was_called("search_tools") && call_tools(true)) return;
            return say_results();
        }
        if (is_greeting(turn_.request)) return say("Hello. " + abilities(), false);
        if (asks_for_help(turn_.request)) return say(abilities(), false);
        if (call_tools()) return;
        if (!problem_.empty()) return say(problem_, false);
        if (!turn_.others.empty()) return pass_on_what_others_said();
        if (hand_over_by_words()) return;
        if (sum_up()) return;
        if (quote_conversation()) return;
        say_cannot();
    }

    std::string abilities() const
    {
        std::vector<std::string> acts, searches;
        for (const Candidate& tool : tools_) (tool.searches ? searches : acts).push_back(tool.spec->name);
        std::string text = "I am Cadre's local model: no language model, so I need no key and no network.";
        if (!searches.empty()) text += fmt::format(" I quote what {} finds, with its sources.", in_words(searches));
        if (!acts.empty()) text += fmt::format(" I can call {} with what you name.", in_words(acts));
        if (acts.empty() && searches.empty())
            text += " This agent has no tools and no knowledge, so there is little that I can do here.";
        return text + "\n" + kConfigure;
    }

    void say_cannot()
    {
        std::string why = "I cannot answer that: ";
        if (tools_.empty()) why += "this agent has no tools and no knowledge to quote.";
        else {
            std::vector<std::string> names;
            for (const Candidate& tool : tools_) names.push_back(tool.spec->name);
            why += fmt::format("it asks for nothing that {} can do with what it names.", in_words(names));
        }
        if (!has("calculator") && find_arithmetic(turn_.request))
            why = "I cannot answer that: sums are for the tool calculator, which this agent does not have.";
        say(why + "\n" + kConfigure);
    }

    // ---- calls ----

    /// Whether there are calls now. Where a tool is meant and cannot be called, `problem_` says what is missing.
    bool call_tools(bool only_new = false)
    {
        if (turn_.request.empty()) return false;
        for (const std::string_view part : parts()) add_call(part, only_new);
        if (completion_.calls.empty()) add_call(turn_.request, only_new);
        if (completion_.calls.empty() && problem_.empty() && !only_new && turn_.others.empty()) search();
        return !completion_.calls.empty();
    }

    /// The parts of a request that are each for a tool by themselves; none where it is one request.
    std::vector<std::string_view> parts() const
    {
        std::vector<std::string_view> all;
        const std::string_view request = turn_.request;
        std::size_t begin = 0;
        const auto cuts = text::route::cuts_of(request);
        for (std::size_t i = 0; i <= cuts.size() && all.size() < kMostCalls; ++i) {
            const std::size_t end = i < cuts.size() ? cuts[i].end : request.size();
            if (end <= begin) continue;
            const std::string_view part = request.substr(begin, end - begin);
            const auto ranked = rank(tools_, part, encoder_);
            if (ranked.empty() || ranked.front().score < kCalled || !ranked.front().filled.is_whole()) return {};
            all.push_back(part);
            begin = i < cuts.size() ? cuts[i].start : end;
        }
        return all.size() > 1 ? all : std::vector<std::string_view>();
    }

    void add_call(std::string_view part, bool only_new)
    {
        std::vector<Ranked> ranked = rank(tools_, part, encoder_);
        if (only_new) std::erase_if(ranked, [&](const Ranked& one) { return was_called(one.tool->spec->name); });
        std::erase_if(ranked, [](const Ranked& one) { return one.tool->searches && one.score < kCalled; });
        if (ranked.empty() || ranked.front().score < kCalled) return;
        const auto whole = std::ranges::find_if(ranked, [](const Ranked& one) { return one.filled.is_whole(); });
        Ranked& best = ranked.front();
        // a tool that has all it needs is meant rather than one that is about as near and lacks something
        Ranked& chosen = whole != ranked.end() && best.score - whole->score < kApart ? *whole : best;
        if (!chosen.filled.is_whole()) {
            if (chosen.named >= kNamed || chosen.filled.found > 0) problem_ = missing_text(chosen);
            return;
        }
        const auto rival = std::ranges::find_if(
            ranked, [&](const Ranked& one) { return &one != &chosen && one.filled.is_whole() && !one.tool->searches; });
        if (!only_new && rival != ranked.end() && chosen.score - rival->score < kApart / 2 && rival->score >= kCalled &&
            rival->filled.arguments != chosen.filled.arguments) {
            problem_ = fmt::format("That may be for {} or for {}; please say which.", chosen.tool->spec->name,
                                   rival->tool->spec->name);
            return;
        }
        if (std::ranges::any_of(completion_.calls, [&](const model::ToolCall& one) {
                return one.tool_name == chosen.tool->spec->name && one.args == chosen.filled.arguments;
            }))
            return;
        call(chosen.tool->spec->name, std::move(chosen.filled.arguments));
    }

    static std::string missing_text(const Ranked& one)
    {
        std::string text = fmt::format("For {} I need", one.tool->spec->name);
        for (std::size_t i = 0; i < one.filled.missing.size(); ++i) {
            const Missing& missing = one.filled.missing[i];
            text += fmt::format("{} {}{}", i == 0 ? "" : " and", missing.name,
                                missing.description.empty() ? ""
                                                            : fmt::format(" ({})", trimmed(missing.description, " .")));
        }
        return text + ", which I did not find in what you wrote. Please say it.";
    }

    /// What no other tool is for may be found.
    void search()
    {
        for (const Candidate& tool : tools_) {
            if (!tool.searches) continue;
            Filled filled = fill(tool.schema, turn_.request, tool.spec->name);
            const std::string question = question_argument(tool.schema);
            filled.arguments[question] = std::string(utf8_prefix(turn_.request, 1000));
            std::erase_if(filled.missing, [&](const Missing& one) { return one.name == question; });
            if (!filled.is_whole()) continue;
            call(tool.spec->name, std::move(filled.arguments));
            if (completion_.calls.size() == kMostCalls) return;
        }
        if (completion_.calls.empty() && has("search_tools"))
            call("search_tools", {{"query", std::string(utf8_prefix(turn_.request, 1000))}});
    }

    // ---- results ----

    void say_results()
    {
        std::string text;
        std::vector<text::Passage> passages;
        bool nothing_found = false, any = false;
        const auto add = [&](std::string_view more) { text += fmt::format("{}{}", text.empty() ? "" : "\n\n", more); };
        for (const Answered& one : turn_.answered) {
            if (one.call.tool_name == "handoff" || one.call.tool_name == "search_tools") continue;
            any = true;
            if (one.is_error) {
                add(fmt::format("{} failed: {}", one.call.tool_name, utf8_prefix(trimmed(one.text), kShortResult)));
                continue;
            }
            auto found = text::passages_in(one.text);
            const bool searched = std::ranges::any_of(
                tools_, [&](const Candidate& tool) { return tool.searches && tool.spec->name == one.call.tool_name; });
            if (!found.empty()) std::ranges::move(found, std::back_inserter(passages));
            else if (searched && one.text.find("found") != std::string::npos && one.text.size() < kShortResult)
                nothing_found = true, add(trimmed(one.text));
            else add(result_text(one));
        }
        if (!passages.empty()) add(quotes_text(passages));
        else if (nothing_found) text += fmt::format("\n{}", kConfigure);
        if (!any) return say_cannot();
        say(text);
    }

    std::string quotes_text(const std::vector<text::Passage>& passages) const
    {
        const std::vector<Quote> found = quotes(passages, turn_.request, kMostQuotes);
        // what nobody asked is not answered by what comes near to it
        if (found.empty() || (found.front().share < kAnswers && !is_question(turn_.request)))
            return fmt::format("I found nothing about that in what I may search.\n{}", kConfigure);
        std::string text = found.front().share < kAnswers ? "I did not find an answer; this comes nearest:\n" : "";
        for (const Quote& quote : found) {
            if (&quote != found.data() && quote.share < 0.6 * found.front().share) break;
            text += fmt::format("{}{}\n{}", text.empty() || text.ends_with('\n') ? "" : "\n\n",
                                quoted_lines(quote.text), quote.place);
        }
        return text;
    }

    std::string result_text(const Answered& one) const
    {
        const std::string source = fmt::format("{}({})", one.call.tool_name, arguments_text(one.call.args));
        const std::string_view whole = trimmed(one.text);
        if (whole.empty()) return fmt::format("{} gave nothing.", source);
        if (const std::string told = told_json(whole, turn_.request); !told.empty())
            return fmt::format("{}\nSource: {}", told, source);
        if (whole.size() <= kShortResult) return fmt::format("{}\nSource: {}", whole, source);
        const auto found = quotes(text::split_document(whole, source, true), turn_.request, kMostQuotes);
        if (found.empty())
            return fmt::format("{}…\nSource: {}, the beginning of {} characters", utf8_prefix(whole, kShortResult),
                               source, whole.size());
        std::string text;
        for (const Quote& quote : found)
            text += fmt::format("{}{}\n{}", text.empty() ? "" : "\n\n", quoted_lines(quote.text), quote.place);
        return text;
    }

    // ---- others ----

    /// Whom its instructions tell it to hand over to, whatever happens.
    std::string told_to_hand_over() const
    {
        for (const ToolSpec& tool : request_.tools ? *request_.tools : std::vector<ToolSpec>()) {
            if (tool.name != "handoff") continue;
            for (const text::Sentence& sentence : text::sentences_of(request_.instructions)) {
                const bool is_told = names(sentence.text, "hand over") || names(sentence.text, "hand it over") ||
                                     names(sentence.text, "hand off") || names(sentence.text, "pass it on");
                if (!is_told || names(sentence.text, "if") || names(sentence.text, "unless")) continue;
                for (const std::string& name : targets(tool))
                    if (names(sentence.text, spaced_name(name)) || names(sentence.text, name)) return name;
            }
        }
        return "";
    }

    static std::vector<std::string> targets(const ToolSpec& tool)
    {
        std::vector<std::string> all;
        const json::value schema = parse_json(tool.input_schema.empty() ? "{}" : tool.input_schema);
        const json::value* names = &schema;
        for (const std::string_view step : {"properties", "to", "enum"}) {
            const json::object* object = names ? names->if_object() : nullptr;
            names = object ? object->if_contains(step) : nullptr;
        }
        if (names && names->is_array())
            for (const auto& name : names->get_array())
                if (name.is_string()) all.emplace_back(name.get_string());
        return all;
    }

    void pass_on_as_told()
    {
        if (was_called("handoff") || turn_.must_continue) return;
        if (const std::string to = told_to_hand_over(); !to.empty())
            call("handoff", {{"to", to}, {"reason", "My instructions say so."}});
    }

    /// A request that names another agent, or what the instructions say that one is for.
    bool hand_over_by_words()
    {
        if (!request_.tools || turn_.must_continue) return false;
        const Stems said = stems_of(turn_.request);
        std::string best_tool, best;
        std::size_t most = 0;
        for (const ToolSpec& tool : *request_.tools) {
            if ((tool.name != "handoff" && tool.name != "delegate") || was_called(tool.name)) continue;
            for (const std::string& name : targets(tool)) {
                std::string about = spaced_name(name);
                for (const text::Sentence& sentence : text::sentences_of(request_.instructions))
                    if (names(sentence.text, spaced_name(name)) || names(sentence.text, name))
                        about += ' ' + sentence.text;
                const Stems stems = stems_of(about);
                const auto shared = static_cast<std::size_t>(
                    std::ranges::count_if(said, [&](const std::string& stem) { return stems.contains(stem); }));
                if (shared <= most) continue;
                most = shared;
                best = name;
                best_tool = tool.name;
            }
        }
        if (best.empty()) return false;
        if (best_tool == "delegate") call("delegate", {{"to", best}, {"task", turn_.request}});
        else
            call("handoff",
                 {{"to", best}, {"reason", fmt::format("This is for {}: {}", best, utf8_prefix(turn_.request, 300))}});
        return true;
    }

    void pass_on_what_others_said()
    {
        std::string text;
        for (const Said& one : turn_.others)
            if (!one.text.empty() && &one == &turn_.others.back())
                text = one.text + fmt::format("\nSource: {}, unchanged: I do not judge or rewrite texts.", one.who);
        say(text.empty() ? "Nothing was said that I could pass on." : text);
    }

    // ---- texts that were given ----

    bool sum_up()
    {
        const bool is_asked = names(turn_.request, "summarise") || names(turn_.request, "summarize") ||
                              names(turn_.request, "summary") || names(turn_.request, "sum up") ||
                              names(turn_.request, "zusammenfassen") || names(turn_.request, "resume") ||
                              names(request_.instructions, "summarise") || names(request_.instructions, "summarize");
        if (!is_asked) return false;
        std::string_view text = turn_.request;
        const std::size_t colon = text.find_first_of(":\n");
        if (colon != text.npos && colon < 80) text.remove_prefix(colon + 1);
        if (text.size() < kLongText / 3 || text::sentences_of(text).size() < 3) return false;
        say(fmt::format("{}\nSource: your text, its own sentences.", quoted_lines(summary(text, 3))));
        return true;
    }

    /// What was said before in this conversation.
    bool quote_conversation()
    {
        std::vector<text::Passage> said;
        for (const Said& one : turn_.before)
            if (one.who == "user") said.push_back({.source = "you", .line = said.size() + 1, .text = one.text});
        const auto found = quotes(said, turn_.request, 1);
        if (found.empty() || found.front().share < kAnswers || !is_question(turn_.request)) return false;
        say(fmt::format("{}\nSource: what you said before.", quoted_lines(found.front().text)));
        return true;
    }

    const Request& request_;
    const std::shared_ptr<const text::Encoder>& encoder_;
    Turn turn_;
    std::vector<Candidate> tools_;
    std::string problem_;
    Completion completion_;
};

}  // namespace

Completion decide(const Request& request, const std::shared_ptr<const text::Encoder>& encoder)
{
    return Deciding(request, encoder).answer();
}

}  // namespace cadre::llm::local
