#include "cli/trace_text.hpp"

#include "base/json_writer.hpp"
#include "base/redact.hpp"
#include "cli/event_text.hpp"
#include "cli/layout.hpp"
#include "cli/task_text.hpp"
#include "engine/budget.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

namespace cadre::cli {
namespace {

using engine::Span;
using engine::SpanKind;
using engine::SpanStatus;
using engine::Trace;

constexpr std::size_t kShortestBar = 10;
constexpr std::size_t kShortestLabel = 8;
constexpr std::size_t kGap = 2;
constexpr std::size_t kBelow = 4;  // steps of a task below another one
constexpr std::size_t kDeepestMargin = 5;

/// What it is, for people; not yet safe for a terminal.
std::string label_of(const Span& span)
{
    switch (span.kind) {
    case SpanKind::question: return (span.agent.empty() ? "asks: " : span.agent + " asks: ") + span.input;
    case SpanKind::pause: return "paused, " + span.name;
    case SpanKind::delegate: return "has " + span.name + " do it";
    case SpanKind::gap: return span.name;
    case SpanKind::fact:
        if (span.event) return words_of(*span.event);
        if (span.name == "compact") return span.agent + ": " + span.output;
        return (span.agent.empty() ? "" : span.agent + ": ") +
               (span.name == "plan" ? plan_text(span.output) : span.name);
    case SpanKind::task: return span.depth == 0 ? "task" : "task of " + span.name;
    case SpanKind::node:
        return span.name + (span.joins ? fmt::format(" joins {}", fmt::join(span.after, ", ")) : std::string());
    case SpanKind::step:
    case SpanKind::call:
    case SpanKind::sleep: break;
    }
    return span.name + (span.kind == SpanKind::step ? " thinks" : "") +
           (span.attempts > 1 ? fmt::format(" ({} attempts)", span.attempts) : "");
}

/// A time limit that did not run out says nothing.
bool is_unused_limit(const Span& span)
{
    return span.kind == SpanKind::sleep && span.status == SpanStatus::cancelled;
}

/// A node with those around it: `polish, turn 2`. Empty: nobody has named it, or what is in it is told elsewhere or not at all.
std::string node_label(const Trace& trace, std::size_t place)
{
    const Span& span = trace.spans[place];
    if (!span.is_named) return "";
    if (place + 1 < trace.spans.size() && trace.spans[place + 1].depth > span.depth && !span.joins)
        if (const Span& inner = trace.spans[place + 1]; inner.kind == SpanKind::node || is_unused_limit(inner))
            return "";
    std::string label = label_of(span);
    for (int above = span.depth; place-- > 0 && above > 1;) {
        const Span& outer = trace.spans[place];
        if (outer.depth >= above) continue;
        above = outer.depth;
        if (outer.kind == SpanKind::node) label = outer.name + ", " + label;
    }
    return label;
}

/// A call lies below the step that asked for it, to the eye.
std::size_t indent_of(const Span& span)
{
    return 2 * static_cast<std::size_t>(span.depth) + (span.kind == SpanKind::call && span.depth > 0 ? 2 : 0);
}

std::string tokens_of(const Span& span)
{
    const std::int64_t tokens = span.usage.input + span.usage.output;
    return tokens > 0 ? std::to_string(tokens) : "";
}

std::string cost_of(const Span& span)
{
    return span.usage.cost > 0 ? engine::dollars(span.usage.cost) : "";
}

Tone tone_of(const Span& span)
{
    if (span.status == SpanStatus::failed || span.status == SpanStatus::cancelled || span.kind == SpanKind::gap)
        return Tone::red;
    const bool rests = span.kind == SpanKind::question || span.kind == SpanKind::pause || span.kind == SpanKind::sleep;
    return rests || span.status == SpanStatus::open ? Tone::yellow : Tone::green;
}

std::string_view stroke_of(const Span& span, bool utf8)
{
    if (span.kind == SpanKind::gap) return utf8 ? "╳" : "x";
    if (span.kind == SpanKind::fact) return utf8 ? "◆" : "+";
    const bool rests = span.kind == SpanKind::question || span.kind == SpanKind::pause || span.kind == SpanKind::sleep;
    if (rests) return utf8 ? "┄" : ".";
    if (span.kind == SpanKind::task || span.kind == SpanKind::node) return utf8 ? "─" : "-";
    return utf8 ? "━" : "=";
}

std::string repeated(std::string_view text, std::size_t times)
{
    std::string all;
    for (std::size_t i = 0; i < times; ++i) all += text;
    return all;
}

/// From `begin` to `end` of `whole`, on a line of `width` columns: never nothing.
struct Place {
    std::size_t from = 0;
    std::size_t length = 1;
};
Place place_of(const Span& span, const Trace& trace, Time now, std::size_t width)
{
    const Time begin = trace.spans.front().begin;
    const auto whole = static_cast<double>(std::max<std::int64_t>(1, trace.spans.front().lasted(now).count()));
    const auto scaled = [&](Millis time) {
        const double part = std::clamp(static_cast<double>(time.count()) / whole, 0.0, 1.0);
        return static_cast<std::size_t>(part * static_cast<double>(width));
    };
    const std::size_t from = std::min(scaled(span.begin - begin), width - 1);
    const std::size_t to = scaled(span.begin - begin + span.lasted(now));
    return {from, std::max<std::size_t>(1, std::min(to, width) - std::min(from, to))};
}

std::string right_aligned(std::string_view text, std::size_t width)
{
    const std::size_t used = columns(text);
    return std::string(width > used ? width - used : 0, ' ') + std::string(text);
}

/// Texts of the first lines of a long text.
std::string brief(std::string_view text, std::size_t width, bool utf8)
{
    return one_line(redact(text), width, utf8);
}

std::string mark_of(const Span& span, const TraceLook& look)
{
    if (span.status == SpanStatus::failed) return look.paint(Tone::red, look.utf8 ? "✗" : "x");
    if (span.status == SpanStatus::cancelled) return look.paint(Tone::red, "-");
    return span.status == SpanStatus::open ? look.paint(Tone::yellow, look.utf8 ? "…" : "~")
                                           : look.paint(Tone::green, look.utf8 ? "✓" : "*");
}

std::string call_row(const Span& span, const TraceLook& look)
{
    const std::string time = cadre::to_text(span.lasted(look.now));
    const std::string_view arrow = look.utf8 ? " → " : " -> ";
    const std::size_t taken = 7 + columns(arrow) + kGap + columns(time);
    const std::size_t room = std::max<std::size_t>(look.width, taken + 20) - taken;
    const std::string& result = span.error.empty() ? span.output : span.error;
    const std::string whole = brief(result, room, look.utf8);
    const std::string asked =
        brief(span.name + " " + span.input, std::max(room / 2, room - std::min(room, columns(whole))), look.utf8);
    std::string row = fmt::format("     {} {}", mark_of(span, look), asked);
    if (const std::string shown = brief(result, room - columns(asked), look.utf8); !shown.empty())
        row += std::string(arrow) + shown;
    return row + "  " + time + "\n";
}

std::string step_rows(const Span& span, std::size_t number, const std::string& margin, const TraceLook& look)
{
    const std::string head = fmt::format("{:>3}  {}", number, brief(label_of(span), 40, look.utf8));
    std::vector<std::string> facts{cadre::to_text(span.lasted(look.now))};
    if (const std::string tokens = tokens_of(span); !tokens.empty()) facts.push_back(tokens + " tokens");
    if (const std::string cost = cost_of(span); !cost.empty()) facts.push_back(cost);
    if (span.status == SpanStatus::open) facts.push_back("running");
    std::string text = margin + look.paint(Tone::bold, head) + fmt::format("  {}\n", fmt::join(facts, ", "));
    if (!span.output.empty()) text += margin + "     " + brief(span.output, look.width - 5, look.utf8) + "\n";
    if (!span.error.empty())
        text += margin + "     " + look.paint(Tone::red, brief(span.error, look.width - 5, look.utf8)) + "\n";
    return text;
}

std::string remark_row(const Span& span, const TraceLook& look)
{
    if (is_unused_limit(span)) return "";
    const bool is_well = span.kind == SpanKind::delegate && span.status != SpanStatus::failed;
    const std::string mark =
        is_well ? mark_of(span, look) : look.paint(tone_of(span), span.kind == SpanKind::question ? "?" : "!");
    const std::string said = span.output.empty() ? "" : (look.utf8 ? " → " : " -> ") + span.output;
    const std::string time = cadre::to_text(span.lasted(look.now));
    return fmt::format("     {} {}  {}\n", mark,
                       brief(label_of(span) + said, look.width - 9 - columns(time), look.utf8), time);
}

std::string node_row(const Span& span, const std::string& label, const TraceLook& look)
{
    const std::string_view became = span.status == SpanStatus::failed      ? ", failed"
                                    : span.status == SpanStatus::cancelled ? ", cancelled"
                                                                           : "";
    const std::string row = brief(label, look.width - 7 - became.size(), look.utf8) + std::string(became);
    return fmt::format("     {} {}\n", look.utf8 ? "▸" : ">", look.paint(Tone::bold, row));
}

std::string fact_row(const Span& span, const TraceLook& look)
{
    const auto mark = span.event ? team_mark(*span.event, look.utf8) : std::nullopt;
    return fmt::format("     {} {}\n", mark ? look.paint(mark->tone, mark->sign) : std::string(look.utf8 ? "◆" : "+"),
                       brief(label_of(span), look.width - 7, look.utf8));
}

}  // namespace

std::string timeline(const Trace& trace, const TraceLook& look)
{
    if (trace.spans.empty()) return "";
    struct Line {
        std::string label;
        std::array<std::string, 3> numbers;
    };
    std::vector<Line> lines;
    std::size_t widest = 0;
    std::array<std::size_t, 3> wide{};
    for (const Span& span : trace.spans) {
        const std::string time = span.kind == SpanKind::fact ? "" : cadre::to_text(span.lasted(look.now));
        lines.push_back({std::string(indent_of(span), ' ') + brief(label_of(span), look.width, look.utf8),
                         {time, tokens_of(span), cost_of(span)}});
        widest = std::max(widest, columns(lines.back().label));
        for (std::size_t i = 0; i < wide.size(); ++i) wide[i] = std::max(wide[i], columns(lines.back().numbers[i]));
    }
    std::size_t beside = 0;
    for (const std::size_t one : wide) beside += one > 0 ? one + kGap : 0;
    const std::size_t most = look.width > beside + kShortestLabel ? look.width - beside : kShortestLabel;
    const std::size_t label = std::min({widest, most, std::max<std::size_t>(look.width * 2 / 5, 12)});
    const std::size_t taken = label + kGap + beside;
    const std::size_t bar = look.width > taken + kShortestBar ? look.width - taken : 0;

    std::string text;
    for (std::size_t i = 0; i < lines.size(); ++i) {
        const Span& span = trace.spans[i];
        text += padded(one_line(lines[i].label, label, look.utf8), label);
        if (bar > 0) {
            const auto [from, length] = place_of(span, trace, look.now, bar);
            text += std::string(kGap + from, ' ') +
                    look.paint(tone_of(span), repeated(stroke_of(span, look.utf8), length)) +
                    std::string(bar - from - length, ' ');
        }
        std::string numbers;
        for (std::size_t n = 0; n < wide.size(); ++n)
            if (wide[n] > 0) numbers += std::string(kGap, ' ') + right_aligned(lines[i].numbers[n], wide[n]);
        text += numbers;
        while (text.ends_with(' ')) text.pop_back();
        text += '\n';
    }
    return text;
}

std::string step_page(const Trace& trace, const TraceLook& page)
{
    std::string text;
    std::size_t number = 0;
    std::vector<int> tasks;  // depths of those below the first that we are in
    for (const Span& span : trace.spans) {
        while (!tasks.empty() && span.depth <= tasks.back()) tasks.pop_back();
        const std::string margin(kBelow * std::min(tasks.size(), kDeepestMargin), ' ');
        TraceLook look = page;
        look.width -= std::min(look.width / 2, margin.size());
        switch (span.kind) {
        case SpanKind::step: text += step_rows(span, ++number, margin, look); break;
        case SpanKind::call: text += margin + call_row(span, look); break;
        case SpanKind::question:
        case SpanKind::pause:
        case SpanKind::gap:
        case SpanKind::delegate:
        case SpanKind::sleep:
            if (const std::string row = remark_row(span, look); !row.empty()) text += margin + row;
            break;
        case SpanKind::fact: text += margin + fact_row(span, look); break;
        case SpanKind::task:
            if (span.depth > 0) tasks.push_back(span.depth);
            break;
        case SpanKind::node:
            if (const std::string label = node_label(trace, static_cast<std::size_t>(&span - trace.spans.data()));
                !label.empty())
                text += margin + node_row(span, label, look);
            if (!span.error.empty()) text += margin + one_line("! " + span.error, look.width, look.utf8) + "\n";
            break;
        }
    }
    return text;
}

std::string trace_json(const Trace& trace, Time now, std::string_view status)
{
    std::string text;
    JsonWriter json(text);
    const Time zero = trace.spans.empty() ? now : trace.spans.front().begin;
    json.begin_object().field("task", to_string(trace.task));
    if (!status.empty()) json.field("status", status);
    json.field("begin", to_iso(zero)).key("spans").begin_array();
    for (const Span& span : trace.spans) {
        json.begin_object().field("kind", name_of(span.kind)).field("status", name_of(span.status));
        json.field("depth", span.depth).field("path", span.path);
        json.field("name", redact(span.kind == SpanKind::fact ? label_of(span) : span.name));
        json.field("agent", redact(span.agent)).field("begin_ms", (span.begin - zero).count());
        json.field("duration_ms", span.lasted(now).count()).field("attempts", span.attempts);
        json.field("input_tokens", span.usage.input).field("output_tokens", span.usage.output);
        json.field("cost_usd", span.usage.cost).field("input", redact(span.input));
        json.field("output", redact(span.output));
        json.field("error", redact(span.error)).key("calls").begin_array();
        for (const std::string& call : span.calls) json.value(redact(call));
        json.end_array();
        if (!span.after.empty()) {
            json.field("joins", span.joins).key("after").begin_array();
            for (const std::string& node : span.after) json.value(redact(node));
            json.end_array();
        }
        if (!span.model.empty()) json.field("model", redact(span.model));
        if (span.child) json.field("task", to_string(*span.child));
        json.end_object();
    }
    json.end_array().end_object();
    return text;
}

}  // namespace cadre::cli
