#include "llm/script.hpp"

#include "base/json.hpp"
#include "base/sha256.hpp"
#include "base/timeout.hpp"
#include "config/finding.hpp"
#include "config/project.hpp"
#include "llm/estimate.hpp"
#include "llm/script_file.hpp"
#include "llm/script_match.hpp"
#include "model/write.hpp"

#include <boost/json.hpp>
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <mutex>
#include <set>
#include <tuple>

namespace cadre::llm {

namespace {

Completion completion_of(const ScriptLine& line, const Request& request, std::string spec)
{
    Completion out{.text = line.text, .model = std::move(spec), .reasoning = line.entry.reasoning};
    for (const ScriptCall& call : line.entry.tool_calls)
        out.calls.push_back({.id = call.id, .tool_name = call.name, .args = call.arguments});
    if (!out.calls.empty()) out.finish_reason = "tool_calls";
    if (line.entry.finish_reason) out.finish_reason = *line.entry.finish_reason;

    const ScriptUsage& usage = line.entry.usage;
    out.usage = {.input = usage.input ? *usage.input : estimated_tokens(request),
                 .output = usage.output ? *usage.output : estimated_tokens(out),
                 .cached = usage.cached,
                 .reasoning =
                     usage.reasoning > 0 ? usage.reasoning : estimated_tokens(Completion{.reasoning = out.reasoning}),
                 .cost = usage.cost};
    out.usage.reasoning = std::min(out.usage.reasoning, out.usage.output);
    return out;
}

ModelError failure_of(const ScriptFailure& failure, const std::string& place)
{
    const int status = failure.status;
    const Code code = status == 429                    ? Code::rate_limited
                      : status == 408 || status == 504 ? Code::timeout
                                                       : Code::upstream;
    std::optional<Millis> retry_after;
    if (failure.retry_after) retry_after = Millis(std::llround(*failure.retry_after * 1000));
    const std::string says = failure.message ? ": " + *failure.message : "";
    return {code, fmt::format("{} fails with status {}{} ({})", kScriptFailure, status, says, place),
            status == 408 || status == 429 || status >= 500, retry_after};
}

/// What a client of the vendor would make of it.
ModelError failure_of(const ScriptFault& fault, const std::string& place)
{
    const auto says = [&](std::string_view what) { return fmt::format("{} {} ({})", kScriptFailure, what, place); };
    switch (fault.how) {
    case ScriptBreak::cut: return {Code::upstream, says(fmt::format("was cut off after {} pieces", fault.after)), true};
    case ScriptBreak::stall:
        return {Code::upstream, says(fmt::format("fell silent for {}", to_text(Millis(fault.ms)))), true};
    case ScriptBreak::error: return {Code::upstream, says("sent an error in its answer"), true};
    case ScriptBreak::malformed: return {Code::upstream, says("sent what is no JSON"), true};
    case ScriptBreak::content_type: return {Code::upstream, says("sent text/html"), false};
    case ScriptBreak::oversized: break;
    }
    return {Code::too_large, says(fmt::format("sent an answer of {} bytes", fault.bytes)), false};
}

/// How many pieces come before the answer is spoilt; all of them if it is not.
std::size_t good_pieces(const ScriptLine& line)
{
    if (!line.entry.broken) return line.pieces.size();
    return std::min(line.pieces.size(), static_cast<std::size_t>(line.entry.broken->after));
}

bool can_fail(const ScriptEntry& entry)
{
    return entry.fail || entry.stall_ms || entry.truncate_after || entry.broken;
}

/// What is kept with an answer of that entry. Several may stand on one line, and another script may be in the file by then.
std::string mark_of(const std::string& name, std::size_t i, const ScriptLine& line)
{
    return fmt::format("{}#{} {}", name, i + 1, to_hex(sha256(model::to_json_text(line.entry))).substr(0, 8));
}

/// What an entry is, in a few words.
std::string shown(const ScriptLine& line)
{
    const ScriptEntry& entry = line.entry;
    if (entry.fail) return fmt::format("fail {}", entry.fail->status);
    if (entry.stall_ms) return "stall_ms";
    if (!entry.tool_calls.empty()) return "calls " + in_quotes(entry.tool_calls.front().name);
    return in_quotes(line.text);
}

}  // namespace

/// Several tasks on several loops may ask one model: what is used is counted under a lock.
struct ScriptModel::Impl {
    std::string name;
    std::vector<ScriptLine> lines;
    mutable std::mutex mutex{};
    std::vector<std::int64_t> used{};                     // how often, for each line
    std::set<std::tuple<std::string, int, int>> asked{};  // agent, which of its calls, attempt
    std::vector<std::string> marks{};                     // of each line
    std::shared_ptr<const std::vector<EarlierCall>> counted{};
    bool heard = false;  // a request

    std::string place(std::size_t i) const { return fmt::format("{}:{}", name, lines[i].line); }
    bool is_used_up(std::size_t i) const { return lines[i].times && used[i] >= *lines[i].times; }

    /// The first that matches and is not used up; counts it. Nothing when there is none.
    std::optional<std::size_t> take(const ScriptFacts& facts)
    {
        const std::lock_guard lock(mutex);
        heard = true;
        for (std::size_t i = 0; i < lines.size(); ++i)
            if (!is_used_up(i) && matches(lines[i].entry.when, facts)) {
                ++used[i];
                return i;
            }
        return std::nullopt;
    }

    /// Counts what other processes used up, each attempt of each call once.
    void count(const Request& request)
    {
        const std::lock_guard lock(mutex);
        asked.insert({request.agent, request.nth, request.attempt});
        if (request.earlier == counted) return;
        counted = request.earlier;
        if (!counted) return;
        for (const EarlierCall& call : *counted) {
            const auto entry = find_marked(call.mark);
            if (entry && asked.insert({call.agent, call.nth, call.attempt}).second) ++used[*entry];
        }
    }

    /// The entry that gave such an answer, or failed so. Failures name their line; of those on one line the first that is left.
    std::optional<std::size_t> find_marked(std::string_view said) const
    {
        for (std::size_t i = 0; i < lines.size(); ++i) {
            if (said == marks[i]) return i;
            if (can_fail(lines[i].entry) && !is_used_up(i) && said.starts_with(kScriptFailure) &&
                said.ends_with(fmt::format("({})", place(i))))
                return i;
        }
        return std::nullopt;
    }

    /// Why nothing matched: shown with the entry that comes nearest, of equals the last.
    std::string no_match(const ScriptFacts& facts) const
    {
        std::string text = fmt::format("no entry of {} answers this request: {}", name, facts.text());
        if (lines.empty()) return text + "\nthe script has no entries";
        std::size_t nearest = 0;
        ScriptDistance best = distance(lines[0].entry.when, facts);
        for (std::size_t i = 1; i < lines.size(); ++i) {
            ScriptDistance other = distance(lines[i].entry.when, facts);
            if (other.broken > best.broken || (other.broken == best.broken && other.held < best.held)) continue;
            nearest = i;
            best = std::move(other);
        }
        if (best.broken == 0) best.first = fmt::format("it is used up (times: {})", lines[nearest].times.value_or(0));
        return fmt::format("{}\nnearest is {}: {}", text, place(nearest), best.first);
    }
};

ScriptModel::ScriptModel(std::unique_ptr<Impl> impl) : impl_(std::move(impl))
{}
ScriptModel::~ScriptModel() = default;

std::shared_ptr<ScriptModel> ScriptModel::from_text(std::string_view text, std::string name)
{
    auto lines = read_script(text, name);
    auto impl = std::make_unique<Impl>(std::move(name), std::move(lines));
    impl->used.resize(impl->lines.size());
    for (std::size_t i = 0; i < impl->lines.size(); ++i) impl->marks.push_back(mark_of(impl->name, i, impl->lines[i]));
    return std::shared_ptr<ScriptModel>(new ScriptModel(std::move(impl)));
}

std::shared_ptr<ScriptModel> ScriptModel::from_file(const std::filesystem::path& file)
{
    std::error_code error;
    if (!std::filesystem::exists(file, error) && !error)
        throw Error(Code::not_found, fmt::format("the script {} does not exist", file.string()));
    config::Findings findings;
    const auto text = config::read_file(file, file.string(), findings);
    findings.raise();
    return from_text(*text, file.string());
}

std::string ScriptModel::spec() const
{
    return "script:" + impl_->name;
}

const std::vector<ScriptLine>& ScriptModel::lines() const
{
    return impl_->lines;
}

ScriptTurn ScriptModel::take(const Request& request)
{
    const ScriptFacts facts = facts_of(request);
    const auto found = impl_->take(facts);
    if (!found) throw ModelError(Code::invalid, impl_->no_match(facts), false);
    const ScriptLine& line = impl_->lines[*found];  // lines never change
    return {.line = line, .completion = completion_of(line, request, spec()), .place = impl_->place(*found)};
}

Async<Completion> ScriptModel::complete(Request request, ChunkSink& sink)
{
    impl_->count(request);
    ScriptTurn turn = take(request);
    turn.completion.mark = impl_->marks[static_cast<std::size_t>(&turn.line - impl_->lines.data())];
    const ScriptLine& line = turn.line;
    const ScriptEntry& entry = line.entry;

    if (entry.delay_ms > 0) co_await sleep_for(Millis(entry.delay_ms));
    if (entry.fail) throw failure_of(*entry.fail, turn.place);
    if (entry.stall_ms) {
        co_await sleep_for(Millis(*entry.stall_ms));
        throw ModelError(Code::upstream,
                         fmt::format("{} was silent for {} and ended without an answer ({})", kScriptFailure,
                                     to_text(Millis(*entry.stall_ms)), turn.place),
                         true);
    }
    for (std::size_t i = 0; i < good_pieces(line); ++i) {
        if (i > 0 && entry.pace_ms > 0) co_await sleep_for(Millis(entry.pace_ms));
        sink.chunk(line.pieces[i]);
    }
    if (entry.truncate_after)
        throw ModelError(Code::upstream,
                         fmt::format("{}'s stream broke after {} characters ({})", kScriptFailure,
                                     *entry.truncate_after, turn.place),
                         true);
    if (entry.broken) {
        if (entry.broken->ms > 0) co_await sleep_for(Millis(entry.broken->ms));
        throw failure_of(*entry.broken, turn.place);
    }
    co_return std::move(turn.completion);
}

std::vector<std::string> ScriptModel::left_over() const
{
    const std::lock_guard lock(impl_->mutex);
    if (!impl_->heard) return {};
    std::vector<std::string> left;
    for (std::size_t i = 0; i < impl_->lines.size(); ++i) {
        const ScriptLine& line = impl_->lines[i];
        if (line.times && impl_->used[i] < *line.times)
            left.push_back(
                fmt::format("{}: used {} of {} times: {}", impl_->place(i), impl_->used[i], *line.times, shown(line)));
    }
    return left;
}

}  // namespace cadre::llm
