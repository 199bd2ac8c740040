#include "llm/script_entry.hpp"

#include "base/json.hpp"
#include "model/describe.hpp"
#include "net/http_answer.hpp"

#include <boost/json.hpp>

namespace cadre::llm {

namespace {

using model::field;
using model::Path;
using model::Problems;

/// A year; what is longer is a mistake, and would not fit a deadline one day.
constexpr double kMaxMillis = 366.0 * 24 * 3600 * 1000;

/// The text that the pieces make; nothing when they are no list of texts.
std::optional<std::string> joined(const json::array& pieces)
{
    std::string text;
    for (const json::value& piece : pieces) {
        if (!piece.is_string()) return std::nullopt;
        text += std::string_view(piece.get_string());
    }
    return text;
}

void check_chunks(const ScriptEntry& entry, const Path& path, Problems& problems)
{
    if (entry.chunks.is_null()) return;
    if (const std::int64_t* count = entry.chunks.if_int64()) {
        if (*count < 1) problems.add(path, "must be at least 1, is " + std::to_string(*count));
        else if (!entry.text && !entry.json) problems.add(path, "needs the text, or json, that it divides");
        return;
    }
    const auto* list = entry.chunks.if_array();
    const auto text = list ? joined(*list) : std::nullopt;
    if (!text) problems.add(path, "must be the number of pieces, or a list of texts");
    else if (entry.json) problems.add(path, "must be a number beside json; a list of pieces is the text itself");
    else if (entry.text && *entry.text != *text)
        problems.add(path, "must make the text when they are put together; leave text out, the pieces are enough");
}

void check_times(const json::value& times, const Path& path, Problems& problems)
{
    const std::int64_t* count = times.if_int64();
    const json::string* word = times.if_string();
    if (count ? *count < 1 : !word || *word != "any") problems.add(path, "must be a number from 1 on, or any");
}

void check_headers(const model::Dict<std::string>& headers, const Path& path, Problems& problems)
{
    for (const auto& [name, value] : headers)
        if (!net::can_be_sent({name, value}))
            problems.add(Path(path, name),
                         "is not a header that can be sent; a name has no spaces, a value no line breaks");
}

void check_fault(const ScriptEntry& entry, const Path& path, Problems& problems)
{
    const ScriptFault& fault = *entry.broken;
    if (entry.truncate_after) problems.add(path, "cannot stand beside truncate_after, which is a cut too");
    if (fault.ms > 0 && fault.how != ScriptBreak::stall) problems.add(Path(path, "ms"), "is how long a stall lasts");
    if (fault.ms == 0 && fault.how == ScriptBreak::stall)
        problems.add(Path(path, "ms"), "is required: how long it lasts");
}

void check_entry(const ScriptEntry& entry, const Path& path, Problems& problems)
{
    check_times(entry.times, Path(path, "times"), problems);
    check_chunks(entry, Path(path, "chunks"), problems);

    const bool speaks = entry.text || entry.json || entry.chunks.is_array();
    const bool answers = speaks || !entry.tool_calls.empty();
    if (!answers && !entry.fail && !entry.stall_ms)
        problems.add(path, "answers nothing; give text, json, tool_calls, fail or stall_ms");
    if (entry.fail && entry.stall_ms)
        problems.add(Path(path, "stall_ms"), "cannot stand beside fail; give one of the two");
    if (answers && entry.fail)
        problems.add(Path(path, "fail"), "cannot stand beside an answer; make it an entry of its own");
    if (answers && entry.stall_ms)
        problems.add(Path(path, "stall_ms"), "cannot stand beside an answer; an answer that is late has delay_ms");
    if (entry.text && entry.json) problems.add(Path(path, "json"), "cannot stand beside text; give one of the two");
    if (entry.truncate_after && !speaks) problems.add(Path(path, "truncate_after"), "needs the text that it cuts");
    check_headers(entry.headers, Path(path, "headers"), problems);
    if (entry.broken) check_fault(entry, Path(path, "broken"), problems);
    if (!answers && entry.broken) problems.add(Path(path, "broken"), "needs the answer that it spoils");
    if (!answers && !entry.reasoning.empty()) problems.add(Path(path, "reasoning"), "needs an answer after it");
    if (!answers && entry.finish_reason) problems.add(Path(path, "finish_reason"), "needs an answer that ends so");
    if (!answers && entry.usage != ScriptUsage{})
        problems.add(Path(path, "usage"), "needs an answer: what fails has none");
}

}  // namespace

const model::Entity& describe(const ScriptCondition*)
{
    static const model::Entity entity{
        .name = "script_condition",
        .doc = "Which requests an entry answers: all conditions that are given must hold.",
        .fields = {field("agent", &ScriptCondition::agent, "Name of the agent that asks.", {.min_length = 1}),
                   field(
                       "contains", &ScriptCondition::contains,
                       "Words in what the model hears for the first time: messages and results since its last answer.",
                       {.min_length = 1}),
                   field("nth", &ScriptCondition::nth, "Which model call of this agent in its task, the first being 1.",
                         {.min = 1}),
                   field("after_tool", &ScriptCondition::after_tool,
                         "Whether a tool's result is among what it hears for the first time.")},
        .example = R"({"agent":"researcher","contains":"2+3","nth":1,"after_tool":false})"};
    return entity;
}

const model::Entity& describe(const ScriptCall*)
{
    static const model::Entity entity{
        .name = "script_call",
        .doc = "A tool call that the scripted model asks for.",
        .fields = {field("name", &ScriptCall::name, "Name of the tool.", {.required = true, .min_length = 1}),
                   field("arguments", &ScriptCall::arguments, "Its arguments."),
                   field("id", &ScriptCall::id, "Id of the call; left out: Cadre makes one.")},
        .example = R"({"name":"calculator","arguments":{"expression":"2+3"},"id":"call_1"})"};
    return entity;
}

const model::Entity& describe(const ScriptUsage*)
{
    static const model::Entity entity{
        .name = "script_usage",
        .doc = "What the answer is said to cost.",
        .fields =
            {field("input", &ScriptUsage::input, "Tokens of the request; null: a quarter of its bytes.", {.min = 0}),
             field("output", &ScriptUsage::output, "Tokens of the answer; null: a quarter of its bytes.", {.min = 0}),
             field("cached", &ScriptUsage::cached, "How many of the input tokens came from a cache.", {.min = 0}),
             field("reasoning", &ScriptUsage::reasoning, "How many of the output tokens were thoughts.", {.min = 0}),
             field("cost", &ScriptUsage::cost, "US dollars.", {.min = 0})},
        .checks = {model::check<ScriptUsage>({"input", "output", "cached", "reasoning"},
                                             "`cached` is part of `input`, and `reasoning` part of `output`.",
                                             [](const ScriptUsage& usage, const Path& path, Problems& problems) {
                                                 if (usage.input && usage.cached > *usage.input)
                                                     problems.add(Path(path, "cached"),
                                                                  "is part of input, so at most that");
                                                 if (usage.output && usage.reasoning > *usage.output)
                                                     problems.add(Path(path, "reasoning"),
                                                                  "is part of output, so at most that");
                                             })},
        .example = R"({"input":120,"output":12,"cached":100,"reasoning":4,"cost":0.002})"};
    return entity;
}

const model::Entity& describe(const ScriptFailure*)
{
    static const model::Entity entity{
        .name = "script_failure",
        .doc = "How the request fails.",
        .fields = {field("status", &ScriptFailure::status, "HTTP status; 408, 429 and 500 to 599 may be tried again.",
                         {.required = true, .min = 400, .max = 599}),
                   field("retry_after", &ScriptFailure::retry_after, "Seconds to wait before the next attempt.",
                         {.min = 0, .max = kMaxMillis / 1000}),
                   field("message", &ScriptFailure::message, "What the error says; left out: where it stands.")},
        .example = R"({"status":429,"retry_after":2.5,"message":"Slow down."})"};
    return entity;
}

std::span<const model::EnumName> names_of(const ScriptBreak*)
{
    static constexpr model::EnumName names[] = {{static_cast<int>(ScriptBreak::cut), "cut"},
                                                {static_cast<int>(ScriptBreak::stall), "stall"},
                                                {static_cast<int>(ScriptBreak::error), "error"},
                                                {static_cast<int>(ScriptBreak::malformed), "malformed"},
                                                {static_cast<int>(ScriptBreak::content_type), "content_type"},
                                                {static_cast<int>(ScriptBreak::oversized), "oversized"}};
    return names;
}

const model::Entity& describe(const ScriptFault*)
{
    static const model::Entity entity{
        .name = "script_fault",
        .doc = "How an answer is spoilt on its way.",
        .fields = {field(
                       "how", &ScriptFault::how,
                       "`cut`: the connection is closed. `stall`: silence, and then the connection is closed. `error`: "
                       "an error in the middle of the stream. `malformed`: what comes is no JSON. `content_type`: a "
                       "page of HTML instead. `oversized`: an answer that does not end for a long time.",
                       {.required = true}),
                   field("after", &ScriptFault::after, "After how many pieces of the stream.", {.min = 0}),
                   field("ms", &ScriptFault::ms, "stall: how many milliseconds.", {.min = 0, .max = kMaxMillis}),
                   field("bytes", &ScriptFault::bytes, "oversized: how large it is.", {.min = 1, .max = 1e12})},
        .example = R"({"how":"stall","after":2,"ms":60000,"bytes":134217728})"};
    return entity;
}

const model::Entity& describe(const ScriptEntry*)
{
    static const model::Entity entity{
        .name = "script_entry",
        .doc = "One answer of a scripted model, and the requests that it is for.",
        .fields =
            {field("when", &ScriptEntry::when, "Which requests it answers; left out: any."),
             field("text", &ScriptEntry::text, "The text of the answer."),
             field("json", &ScriptEntry::json, "The text of the answer is this JSON."),
             field("tool_calls", &ScriptEntry::tool_calls, "Tools that the answer asks for."),
             field("reasoning", &ScriptEntry::reasoning, "What the model shows of its thinking, before the answer."),
             field("finish_reason", &ScriptEntry::finish_reason,
                   "Why the answer ends: `stop`, `tool_calls`, `length`, `content_filter`; left out: as it is.",
                   {.min_length = 1}),
             field("usage", &ScriptEntry::usage, "What the answer is said to cost."),
             field("headers", &ScriptEntry::headers, "Headers of the HTTP answer; only mock-llm sends them."),
             field("chunks", &ScriptEntry::chunks,
                   "In how many pieces the text is streamed, or the pieces themselves; left out: one."),
             field("delay_ms", &ScriptEntry::delay_ms, "Milliseconds before the first piece, or the failure.",
                   {.min = 0, .max = kMaxMillis}),
             field("pace_ms", &ScriptEntry::pace_ms, "Milliseconds between two pieces.", {.min = 0, .max = kMaxMillis}),
             field("times", &ScriptEntry::times, "How often it must be used; `any`: as often as it matches, or never."),
             field("fail", &ScriptEntry::fail, "The request fails."),
             field("stall_ms", &ScriptEntry::stall_ms,
                   "Silence for so many milliseconds; then the connection is closed without an answer.",
                   {.min = 0, .max = kMaxMillis}),
             field("truncate_after", &ScriptEntry::truncate_after,
                   "The stream breaks after so many characters of the text.", {.min = 0}),
             field("broken", &ScriptEntry::broken, "The answer is spoilt on its way.")},
        .dialect = {.writes_null = false},
        .checks = {model::check<ScriptEntry>(
            {"text", "json", "tool_calls", "reasoning", "finish_reason", "usage", "headers", "fail", "stall_ms",
             "truncate_after", "broken"},
            "An entry answers (`text` or `json`, `tool_calls`), or fails (`fail`), or is silent (`stall_ms`): one of "
            "the three; "
            "`usage`, `reasoning`, `finish_reason` and `broken` go with an answer, and `truncate_after` with a text.",
            check_entry)},
        .example = R"({"when":{"agent":"researcher","contains":"2+3","nth":1,"after_tool":false},"text":"Let me see.",
"tool_calls":[{"name":"calculator","arguments":{"expression":"2+3"},"id":"call_1"}],
"reasoning":"A sum.","finish_reason":"tool_calls",
"usage":{"input":120,"output":12,"cached":100,"reasoning":4,"cost":0.002},
"headers":{"x-ratelimit-remaining-requests":"9"},"chunks":3,"delay_ms":20,"pace_ms":5,"times":2})"};
    return entity;
}

}  // namespace cadre::llm
