#include "testing/cassette.hpp"

#include "base/error.hpp"
#include "base/json.hpp"
#include "base/redact.hpp"
#include "base/utf8.hpp"
#include "engine/body.hpp"
#include "engine/effect_body.hpp"
#include "engine/task_state.hpp"
#include "model/yaml_example.hpp"

#include <boost/json.hpp>
#include <fmt/core.h>

#include <map>
#include <optional>

namespace cadre::testing {
namespace {

using engine::IntentBody;
using engine::OutcomeBody;
using engine::ThinkIntent;
using engine::ThinkOutcome;
using storage::Record;
using storage::RecordKind;

/// By which a delegated task is known again.
constexpr std::size_t kMostOfPrompt = 200;

json::object usage_of(const llm::Usage& usage)
{
    json::object out{{"input", usage.input}, {"output", usage.output}};
    if (usage.cached > 0) out["cached"] = usage.cached;
    if (usage.reasoning > 0) out["reasoning"] = usage.reasoning;
    if (usage.cost > 0) out["cost"] = usage.cost;
    return out;
}

/// A failure is told once, and not tried again: that has been done.
json::object failure_of(const engine::RecordedError& error)
{
    return {{"status", 400}, {"message", error.message}};
}

void add_answer(json::object& entry, const ThinkOutcome& think)
{
    const std::string text = think.text.str(), reasoning = think.reasoning.str(), finish = think.finish.str();
    const std::vector<model::ToolCall> calls = think.calls.get();
    if (!text.empty() || calls.empty()) entry["text"] = text;
    json::array list;
    for (const model::ToolCall& call : calls) {
        json::object one{{"name", call.tool_name}};
        if (!call.args.empty()) one["arguments"] = call.args;
        list.push_back(std::move(one));
    }
    if (!list.empty()) entry["tool_calls"] = std::move(list);
    if (!reasoning.empty()) entry["reasoning"] = reasoning;
    const bool is_usual = finish.empty() || finish == (calls.empty() ? "stop" : "tool_calls");
    if (!is_usual) entry["finish_reason"] = finish;
    if (const auto usage = think.usage.find()) entry["usage"] = usage_of(*usage);
}

json::object masked(const json::object& entry)
{
    const auto text = find_redacted(to_text(entry));
    return text ? parse_json(*text, {.bytes = std::size_t{64} << 20}).as_object() : entry;
}

}  // namespace

std::vector<json::object> cassette_of(std::span<const Record> records)
{
    std::vector<std::string_view> order;  // paths of the calls
    std::map<std::string_view, json::object> entries;
    std::map<std::string_view, bool> ended;
    for (const Record& record : records) {
        if (engine::effect_of(record) != engine::EffectKind::think) continue;
        json::object& entry = entries[record.path];
        if (record.kind == RecordKind::intent) {
            const auto intent = engine::body_of<IntentBody>(record);
            const auto& think = engine::own_of<ThinkIntent>(intent, record);
            if (entry.empty()) order.push_back(record.path);
            entry["when"] = json::object{{"agent", think.agent.str()}, {"nth", think.nth}};
        } else if (record.kind == RecordKind::outcome) {
            const auto outcome = engine::body_of<OutcomeBody>(record);
            if (outcome.cancelled) continue;
            if (const auto error = outcome.error.find()) entry["fail"] = failure_of(*error);
            else add_answer(entry, engine::own_of<ThinkOutcome>(outcome, record));
            ended[record.path] = true;
        }
    }
    std::vector<json::object> list;
    for (const std::string_view path : order)
        if (ended[path]) list.push_back(masked(entries[path]));
    return list;
}

std::vector<json::object> cassette_of(const Family& family)
{
    std::vector<json::object> list;
    std::map<std::string, std::string> known;  // what is answered, by when
    for (std::size_t i = family.tasks.size(); i-- > 0;) {
        const std::string prompt = engine::fold(family.tasks[i]).spec.description;
        for (json::object& entry : cassette_of(family.tasks[i])) {
            json::object& when = entry["when"].as_object();
            if (i > 0 && when.at("nth") == 1) when["contains"] = std::string(utf8_prefix(prompt, kMostOfPrompt));
            const std::string key = to_text(when), text = to_text(entry);
            const auto [place, is_new] = known.emplace(key, text);
            if (is_new) list.push_back(std::move(entry));
            else if (place->second != text)
                throw Error(Code::conflict,
                            fmt::format("{} answered differently in two tasks, and a script cannot tell its calls "
                                        "there apart: {}",
                                        in_quotes(std::string(when.at("agent").as_string())), key));
        }
    }
    return list;
}

std::string cassette_text(const std::vector<json::object>& entries)
{
    json::array list;
    for (const json::object& entry : entries) list.push_back(entry);
    const std::string text = list.empty() ? "\n[]\n" : model::yaml_example(list);
    return fmt::format("{}; the model replay:FILE plays it again.{}", kCassetteHead, text);
}

}  // namespace cadre::testing
