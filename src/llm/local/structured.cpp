#include "llm/local/structured.hpp"

#include "base/error.hpp"
#include "base/json.hpp"
#include "base/trim.hpp"
#include "llm/local/fill.hpp"
#include "llm/local/words.hpp"
#include "text/route/choice.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <algorithm>

namespace cadre::llm::local {
namespace {

namespace json = boost::json;

constexpr std::string_view kCannotJudge =
    "The local model does not judge texts (generated: false): configure a language model for that.";

const json::object* find_object(const json::object& in, std::string_view name)
{
    const auto* found = in.if_contains(name);
    return found ? found->if_object() : nullptr;
}

[[noreturn]] void refuse(std::string what)
{
    throw ModelError(
        Code::invalid,
        fmt::format("the local model {}; give this agent a language model, for example with --model openai/gpt-5-mini",
                    what),
        false);
}

/// The parts of a request that can be asked for by themselves, in its order.
std::vector<std::string> parts_of(const std::string& request)
{
    std::vector<std::string> parts;
    std::size_t begin = 0;
    const auto add = [&](std::size_t end) {
        const std::string_view part = trimmed(std::string_view(request).substr(begin, end - begin), " \t\r\n,;");
        if (!part.empty()) parts.emplace_back(part);
    };
    for (const text::route::Cut& cut : text::route::cuts_of(request)) {
        if (cut.end < begin) continue;
        add(cut.end);
        begin = cut.start;
    }
    add(request.size());
    return parts;
}

/// An item for each part, one after the other, each by whom its words name best.
json::value plan(const Turn& turn, const json::object& item)
{
    std::vector<std::string> agents;
    if (const json::object* properties = find_object(item, "properties"))
        if (const json::object* agent = find_object(*properties, "agent"))
            if (const auto* names = agent->if_contains("enum"); names && names->is_array())
                for (const auto& name : names->get_array())
                    if (name.is_string()) agents.emplace_back(name.get_string());
    const auto role_of = [&](const std::string& agent) -> std::string {  // `- writer: Writes the text.`
        const std::string line = "\n- " + agent + ": ";
        const std::size_t at = turn.told.find(line);
        return at == std::string::npos
                   ? agent
                   : agent + " " + turn.told.substr(at + line.size(), turn.told.find('\n', at + 1) - at - line.size());
    };
    json::array tasks;
    std::string before;
    for (const std::string& part : parts_of(turn.request.substr(0, turn.request.find("\nFirst make a plan")))) {
        const Stems said = stems_of(part);
        std::string best = agents.empty() ? "" : agents.front();
        std::size_t most = 0;
        for (const std::string& agent : agents) {
            const Stems about = stems_of(spaced_name(role_of(agent)));
            const auto shared = static_cast<std::size_t>(
                std::ranges::count_if(said, [&](const std::string& stem) { return about.contains(stem); }));
            if (shared > most) {
                most = shared;
                best = agent;
            }
        }
        json::object task{{"id", fmt::format("part_{}", tasks.size() + 1)}, {"action", part}};
        if (!best.empty()) task["agent"] = best;
        if (!before.empty()) task["depends_on"] = json::array{json::string(before)};
        before = std::string(task.at("id").as_string());
        tasks.push_back(std::move(task));
    }
    return json::object{{"tasks", std::move(tasks)}};
}

}  // namespace

std::string structured_answer(const Turn& turn, std::string_view text)
{
    if (turn.is_complaint) refuse("has no other answer than the one that did not fit: " + turn.told.substr(0, 300));
    const json::value parsed = parse_json(text);
    const json::object* schema = parsed.if_object();
    const json::object* properties = schema ? find_object(*schema, "properties") : nullptr;
    if (!properties) refuse("answers with the fields of an object alone, and this agent's output_schema names none");

    if (properties->contains("met") && properties->contains("reason"))
        return to_text(json::object{{"met", json::array{}}, {"reason", kCannotJudge}});
    if (const json::object* ballot = find_object(*properties, "vote"); ballot && properties->contains("reasoning")) {
        const auto* choices = ballot->if_contains("enum");
        const bool may_abstain =
            choices && choices->is_array() &&
            std::ranges::any_of(choices->get_array(), [](const json::value& one) { return one == "abstain"; });
        return to_text(json::object{{"vote", may_abstain ? "abstain" : "reject"}, {"reasoning", kCannotJudge}});
    }
    if (const json::object* tasks = find_object(*properties, "tasks"))
        if (const json::object* item = find_object(*tasks, "items");
            item && find_object(*item, "properties") && find_object(*item, "properties")->contains("action"))
            return to_text(plan(turn, *item));

    std::string said = turn.request;
    for (const Answered& one : turn.answered)
        if (!one.is_error) said += "\n" + one.text;
    const Filled filled = fill(*schema, said, "");
    if (filled.is_whole()) return to_text(json::value(filled.arguments));
    std::vector<std::string> names;
    for (const Missing& one : filled.missing) names.push_back(one.name);
    refuse(fmt::format("takes fields from what is said to it, and did not find {} there, which output_schema requires",
                       fmt::join(names, ", ")));
}

std::optional<std::string> vote(const Turn& turn)
{
    if (turn.told.find("Vote on it.") == std::string::npos && !turn.told.starts_with("That cannot be read as a vote"))
        return std::nullopt;
    return to_text(json::object{{"vote", "abstain"}, {"reasoning", kCannotJudge}});
}

}  // namespace cadre::llm::local
