#include "engine/window_compactor.hpp"

#include "base/async.hpp"
#include "base/error.hpp"
#include "base/pool.hpp"
#include "base/sha256.hpp"
#include "base/utf8.hpp"
#include "engine/run.hpp"
#include "engine/run_state.hpp"
#include "engine/summarizer.hpp"
#include "llm/window_summary.hpp"
#include "tools/builtin/workspace.hpp"
#include "tools/spill.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace cadre::engine {

namespace {

using llm::Weight;

/// Down to so many hundredths of the limit, of which so many are for the summary.
constexpr std::int64_t kTarget = 60, kSummary = 20;
/// A summary of less says nothing.
constexpr std::int64_t kLeastSummary = 48;
/// Of a model whose longest answer nobody knows.
constexpr std::int64_t kUsualAnswer = 16'384;
/// A question to whoever sums up is no longer, however large the window is.
constexpr std::int64_t kMostAsked = 48 << 10;
constexpr std::int64_t kLeastAsked = 400;
/// What stands around the texts in a question.
constexpr Weight kAround{100, 400};
/// In every language that we know a token has two bytes and more; where that is not so, the question is not asked.
constexpr std::int64_t kBytesOfToken = 2;
/// What an estimate may be short of.
constexpr std::int64_t kDoubtful = 150;

constexpr std::int64_t kEndless = std::numeric_limits<std::int64_t>::max() / 4;

Weight count(const llm::Model& model, const llm::Request& request, bool strict)
{
    const std::int64_t tokens = model.likely_input(request);
    return {tokens, strict ? model.most_input(request) : tokens * kDoubtful / 100};
}

std::int64_t answer_of(const llm::Model& model, const llm::Request& request, std::int64_t context)
{
    const std::int64_t most = model.most_output().value_or(kUsualAnswer);
    if (request.options.max_tokens)
        return model.most_output() ? std::min(*request.options.max_tokens, most) : *request.options.max_tokens;
    return std::min(most, context / 2);
}

/// Texts of tools under the names that they have there already.
std::string file_for(const llm::Message& message)
{
    if (!message.call_id.empty()) return tools::output_file(message.call_id);
    return tools::output_file("said_" + to_hex(sha256(message.text)).substr(0, 12));
}

/// What is there is whole: it was written when the call ended, or by the same cut in an earlier attempt.
void keep_whole(tools::Workspace& workspace, const std::string& file, const std::string& text)
{
    try {
        workspace.read(file, 0, 1);
    } catch (const Error&) {
        workspace.write(file, text, file);
    }
}

/// False: they cannot be kept.
Async<bool> keep_files(Run& run, const llm::WindowPlan& plan, const Window& window)
{
    std::vector<std::pair<std::string, std::string>> files;
    for (const llm::Cut& cut : plan.cuts)
        if (!cut.file.empty()) files.emplace_back(cut.file, window.request.messages[cut.message]->text);
    if (files.empty()) co_return true;
    try {
        const auto folder = run.state().env().workspace(run.task());
        co_await on(run.state().env().pool, [folder, files = std::move(files)] {
            tools::Workspace workspace(folder);
            for (const auto& [file, text] : files) keep_whole(workspace, file, text);
        });
        co_return true;
    } catch (const Error&) {
        co_return false;
    }
}

Agent summarizer_of(const Agent& agent, std::size_t bytes)
{
    Agent summarizer = agent;
    summarizer.name = summarizer_name(agent.name);
    summarizer.instructions = llm::summary_instructions(bytes);
    summarizer.prompt.reset();
    summarizer.tools.clear();
    summarizer.tool_specs = std::make_shared<const std::vector<llm::ToolSpec>>();
    summarizer.more_specs.reset();
    summarizer.options.output_schema.clear();
    summarizer.options.stop.clear();
    digest(summarizer);
    return summarizer;
}

std::string cut_to(std::string_view text, std::int64_t bytes)
{
    return std::string(utf8_prefix(text, static_cast<std::size_t>(std::max<std::int64_t>(bytes, 0))));
}

}  // namespace

// ---- counting ----

template <class Count>
Weight WindowCompactor::counted(const std::shared_ptr<const void>& what, const std::shared_ptr<llm::Model>& model,
                                bool strict, Count make)
{
    auto& all = counted_[strict ? 1 : 0];
    if (all.size() >= 4096) forget_the_dead();
    Counted& known = all[{what.get(), model.get()}];
    if (known.what.lock() == what && known.model.lock() == model) return known.weight;
    known = {what, model, make()};
    return known.weight;
}

void WindowCompactor::forget_the_dead()
{
    for (auto& all : counted_)
        std::erase_if(all, [](const auto& one) { return one.second.what.expired() || one.second.model.expired(); });
}

/// What every request of the agent has.
Weight WindowCompactor::fixed_in(const Window& window, const std::shared_ptr<llm::Model>& model, bool strict)
{
    const llm::Request& request = window.request;
    Weight fixed = count(*model, {.instructions = request.instructions, .options = request.options}, strict);
    if (request.tools)
        fixed += counted(request.tools, model, strict,
                         [&] { return count(*model, {.tools = request.tools}, strict) - count(*model, {}, strict); });
    return fixed;
}

/// Where the vocabulary is public, tokens are counted; else a byte is a token at most. In a window so narrow that this would leave no
/// room, they are estimated, and half is added.
WindowCompactor::Room WindowCompactor::room_in(const Window& window)
{
    Room room{.messages = {window.limit, kEndless}};
    for (const auto& model : window.models) {
        const auto context = model->context();
        if (!context) continue;
        const std::int64_t answer = answer_of(*model, window.request, *context);
        if (fixed_in(window, model, true).most > (*context - answer) / 2) room.is_strict = false;
    }
    for (const auto& model : window.models) {
        const Weight weight = fixed_in(window, model, room.is_strict);
        room.fixed = most_of(room.fixed, weight);
        const auto context = model->context();
        if (!context) continue;
        const std::int64_t answer = answer_of(*model, window.request, *context);
        const std::int64_t left = *context - answer - weight.most;
        if (!room.model.empty() && left >= room.messages.most) continue;
        room.messages.most = left;
        room.model = model->spec();
        room.context = *context;
        room.answer = answer;
    }
    return room;
}

Weight WindowCompactor::weigh(const Window& window, const Room& room,
                              const std::shared_ptr<const llm::Message>& message)
{
    Weight most{};
    for (const auto& model : window.models)
        most = most_of(most, counted(message, model, room.is_strict, [&] {
                           return count(*model, {.messages = {message}}, room.is_strict) -
                                  count(*model, {}, room.is_strict);
                       }));
    return most;
}

llm::Weigh WindowCompactor::weigher(const Window& window, const Room& room)
{
    return [this, &window, &room](const auto& message) { return weigh(window, room, message); };
}

/// Without files.
llm::WindowTask WindowCompactor::task_for(const Window& window, const Room& room)
{
    llm::WindowTask task{.messages = window.request.messages,
                         .weigh = weigher(window, room),
                         .limit = room.messages,
                         .target = percent(room.messages, kTarget),
                         .summary = percent(room.messages, kSummary)};
    if (std::min(task.summary.tokens, task.summary.most) < kLeastSummary) task.summary = {};
    return task;
}

bool WindowCompactor::is_full(const Window& window)
{
    if (window.models.empty()) return false;  // the call will say why
    const Room room = room_in(window);
    return !held_weight(window.request.messages, weigher(window, room)).fits(room.messages);
}

std::optional<std::int64_t> WindowCompactor::measure(const Window& window)
{
    if (window.models.empty()) return std::nullopt;
    const Room room = room_in(window);
    const std::string& agent = window.request.agent;
    if (room.messages.most <= 0)
        throw Error(
            Code::invalid,
            fmt::format("instructions and tools of {} take up to {} tokens, and its model {} has room for {}: it "
                        "holds {}, and {} of them are for its answer. Make the instructions shorter, grant "
                        "fewer tools, or take a model that holds more",
                        agent, room.fixed.most, room.model, room.context - room.answer, room.context, room.answer));
    const Weight held = held_weight(window.request.messages, weigher(window, room));
    // a plan that an earlier release has made may leave more than this one counts: the next one mends that
    if (held.tokens > room.messages.tokens && !llm::plan_window(task_for(window, room)).fits)
        throw Error(Code::invalid,
                    fmt::format("what {} must be told of what was said takes {} tokens, and its short_term_limit is "
                                "{}; raise memory_config.short_term_limit",
                                agent, held.tokens, room.messages.tokens));
    if (held.most > room.messages.most)
        throw Error(Code::invalid,
                    fmt::format("what {} must be told takes {} tokens, and its model {} has room for {} beside its "
                                "instructions and tools ({}); make these shorter, or take a model that holds more",
                                agent, held.most, room.model, room.messages.most, room.fixed.most));
    std::int64_t tokens = room.fixed.tokens;
    for (const auto& message : window.request.messages) tokens += weigh(window, room, message).tokens;
    return tokens;
}

// ---- making it shorter ----

Async<Compaction> WindowCompactor::plan(Run& run, const Agent& agent, const Window& window)
{
    const Room room = room_in(window);
    llm::WindowTask task = task_for(window, room);
    if (agent.find_tool(tools::kReadFile)) task.file_of = file_for;
    llm::WindowPlan plan = llm::plan_window(task);
    const bool are_kept = co_await keep_files(run, plan, window);
    if (!are_kept) {
        task.file_of = nullptr;
        plan = llm::plan_window(task);
    }

    Compaction compaction{.upto = static_cast<std::int64_t>(plan.upto),
                          .tokens_before = plan.before.tokens,
                          .tokens_after = plan.after.tokens};
    for (const std::size_t number : plan.kept) compaction.kept.push_back(static_cast<std::uint32_t>(number));
    for (llm::Cut& cut : plan.cuts)
        compaction.shortened.push_back({static_cast<int>(cut.message), std::move(cut.text)});
    if (plan.upto == 0) co_return compaction;
    const auto bytes = [](const Weight& weight) {
        return std::min({weight.tokens * kBytesOfToken, weight.most, kMostAsked});
    };
    compaction.most_summary = bytes(task.summary);
    compaction.most_asked = bytes(room.messages - task.summary - kAround);
    compaction.sums_up = compaction.most_summary > 0 && compaction.most_asked >= kLeastAsked &&
                         std::ranges::all_of(window.models, [](const auto& model) { return model->can_sum_up(); });
    co_return compaction;
}

Async<> WindowCompactor::sum_up(Run& run, const Agent& agent, const Window& window, Compaction& plan)
{
    if (plan.most_summary <= 0) co_return;
    const llm::Conversation messages = window.request.messages;
    std::vector<std::size_t> gone;
    for (std::size_t i = 0; i < static_cast<std::size_t>(plan.upto); ++i)
        if (std::ranges::find(plan.kept, i) == plan.kept.end()) gone.push_back(i);
    const auto most = static_cast<std::size_t>(plan.most_summary);

    std::string summary;
    if (plan.sums_up) {
        const Agent summarizer = summarizer_of(agent, most);
        std::string so_far = cut_to(llm::earlier_summary(messages, gone), plan.most_summary);
        try {
            for (const std::string& piece :
                 llm::transcript(messages, gone, static_cast<std::size_t>(plan.most_asked))) {
                run.forget();
                run.tell(llm::summary_question(so_far, piece));
                so_far = cut_to((co_await run.think(summarizer)).text, plan.most_summary);
            }
            summary = std::move(so_far);
        } catch (const Error&) {
            // it is summed up without a model, then
        }
    }
    if (summary.empty()) summary = llm::extract(messages, gone, most);
    if (summary.empty()) co_return;

    const Room room = room_in(window);
    const Weight limit = percent(room.messages, kSummary);
    const auto weight = [&](const std::string& text) {
        return weigh(
            window, room,
            std::make_shared<const llm::Message>(llm::Message{.text = std::string(llm::kSummaryStart) + text}));
    };
    while (!summary.empty() && !weight(summary).fits(limit))
        summary = std::string(utf8_prefix(summary, summary.size() * 3 / 4));
    if (!summary.empty()) plan.summary = std::string(llm::kSummaryStart) + summary;
    plan.tokens_after -= limit.tokens - (summary.empty() ? 0 : weight(summary).tokens);
}

}  // namespace cadre::engine
