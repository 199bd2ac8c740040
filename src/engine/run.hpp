// Run: what a pattern may do. Effects are recorded with their outcomes; run again, the pattern gets the recorded outcomes at
// once, so it goes on where it stopped. Between effects a pattern is plain deterministic code.
//
//     Async<model::Reply> react(Run& run, const Agent& agent)
//     {
//         for (int i = 0; i < agent.max_iterations; ++i) {
//             const Step step = co_await run.think(agent);
//             if (step.calls.empty()) co_return run.reply(step.text);
//             co_await run.use(agent, step.calls);
//         }
//         …
//     }
#pragma once

#include "base/async.hpp"
#include "base/cancel.hpp"
#include "base/join.hpp"
#include "engine/agent.hpp"
#include "engine/effect.hpp"
#include "engine/perform.hpp"
#include "model/event.hpp"
#include "model/human.hpp"
#include "model/part.hpp"
#include "model/read.hpp"
#include "model/reply.hpp"
#include "model/write.hpp"

#include <array>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace cadre::engine {

class RunState;

/// One turn of a model.
struct Step {
    std::string id{};
    std::string agent{};
    std::string text{};
    std::vector<model::ToolCall> calls{};
    llm::Usage usage{};
    bool is_paused = false;  // the model wants to be asked to go on
    bool was_cut = false;    // at the most tokens that it may write
};

/// What became of one tool call. A failure is an answer for the model, not an exception.
struct ToolReply {
    std::string call{};
    std::string text{};
    bool is_error = false;
    bool refused = false;  // it was not made: forbidden, declined, or with arguments that do not fit
    std::vector<std::string> artifacts{};
    std::vector<llm::Image> images{};
    std::vector<std::string> found{};  // tools that the agent is shown from now on
    Time started_at{};                 // what the call's records say, so that it is the same in a replay
    Time ended_at{};
    std::string code{};  // why it failed, where the tool itself did not answer: `timeout`, `upstream`, …
};

struct UseOptions {
    std::optional<Millis> limit{};  // of each call, instead of what call and tool say
};

/// Thrown by a pattern: the task has failed, and has something to say all the same.
class Failed : public Error {
public:
    Failed(Code code, std::string why, model::Reply reply) : Error(code, std::move(why)), reply(std::move(reply)) {}

    model::Reply reply;
};

/// How a task that is delegated differs from the one above it.
struct DelegateOptions {
    std::string pattern{};        // empty: the same
    boost::json::object input{};  // for that pattern
    std::string parent_step{};    // the step that wanted it
    Budget budget{};              // beyond what those above may spend, which bounds it in any case
};

/// What a delegated task came to, where a failure is a value too.
struct DelegateReply {
    Id task{};
    std::optional<model::Reply> reply{};
    std::optional<Error> failure{};  // when there is no reply
};

/// What people have changed since the run last asked.
struct Heard {
    std::optional<boost::json::value> plan{};
    std::string next_agent{};      // empty: nobody said
    bool is_team_changed = false;  // team() and agents() are the new ones; who has an agent of the old one keeps it
};

/// Something that the run has come to, for journal, events and history.
struct Fact {
    std::string what{};  // `handoff`, `vote`, …
    std::string agent{};
    std::string key{};  // which of several: a proposal, a point; nothing that depends on time
    boost::json::object fact{};
    std::vector<model::Event> events{};  // their time is the record's
};

/// Something that a person must say.
struct Question {
    model::HumanRequestType type = model::HumanRequestType::approval;
    std::string agent{};
    boost::json::object context{};
    std::optional<Millis> timeout{};  // then the answer is HumanVerb::timeout
};

template <class T>
struct AsyncValueOf;
template <class T>
struct AsyncValueOf<Async<T>> {
    using type = T;
};
/// T of Async<T>.
template <class A>
using AsyncValue = typename AsyncValueOf<A>::type;

/// One scope of a run: the whole, a node or a parallel branch. One effect at a time; what is to happen at once goes through
/// map(), whose children have a Run of their own.
class Run {
public:
    Run(RunState& state, std::string scope);
    Run(const Run&) = delete;
    Run& operator=(const Run&) = delete;

    // ---- what the task is ----

    const std::string& prompt() const;
    const boost::json::object& input() const;
    /// The one that the task begins with; the one of that name, or Error(not_found).
    const Agent& agent() const;
    const Agent& agent(std::string_view name) const;
    const std::vector<Agent>& agents() const;
    /// The team that the task is pinned to; empty for a pattern that needs none.
    const model::Team& team() const;
    /// The document that the task is pinned to beside its team, read as T. Error(invalid) when it has none.
    template <class T>
    T setup() const
    {
        return model::from_text<T>(setup_text());
    }
    model::Reply reply(std::string text) const;

    // ---- the conversation of this scope, which think() shows to the model ----

    /// What was said in the task's session before it, if it has one.
    void tell_history();
    void tell(std::string text);
    void tell(llm::Message message);

    // ---- effects ----

    Async<Step> think(const Agent& agent);
    /// From now on a model call for which the budget does not suffice fails, instead of pausing the run: somebody outside waits for it.
    void fail_when_spent() { fails_when_spent_ = true; }
    /// The agent's calls at once, results in order; only what it was granted, and with a person's approval where one is asked.
    Async<std::vector<ToolReply>> use(const Agent& agent, std::vector<model::ToolCall> calls, UseOptions options = {});
    /// Waits as long as it takes. A run that waits is not kept in memory.
    Async<model::HumanAnswer> ask(Question question);
    /// Has another agent of the team do it, as a task of its own with its own journal, which spends this one's budget. Throws
    /// EffectFailed when that task fails.
    Async<model::Reply> delegate(const Agent& agent, std::string message, DelegateOptions options = {});
    /// The same where that is a value.
    Async<DelegateReply> try_delegate(const Agent& agent, std::string message, DelegateOptions options = {});
    Async<> announce(Fact fact);
    /// Takes in what people changed since the last time.
    Async<Heard> heed();
    Async<> sleep(Millis duration);
    Async<Time> now();
    Async<Id> fresh_id();

    // ---- structure ----

    /// Runs `body(Run&)` in a scope of its own. Once it has ended well it never runs again: its recorded result is returned. The
    /// result is void, a string or anything described.
    template <class F>
    auto node(std::string name, F body) -> std::invoke_result_t<F&, Run&>;

    /// Runs `body(Run&, Item)` for all items at once; results in the order of the items. The first failure cancels the others.
    template <class Item, class F>
    auto map(std::vector<Item> items, F body) -> Async<std::vector<AsyncValue<std::invoke_result_t<F&, Run&, Item>>>>;

    /// Runs `body(Run&, Item)` for all items at once until one succeeds; the others are cancelled. Which one it was is recorded,
    /// because it depends on time. Throws the failure of the lowest when none succeeds.
    template <class Item, class F>
    auto first(std::vector<Item> items, F body)
        -> Async<std::pair<std::size_t, AsyncValue<std::invoke_result_t<F&, Run&, Item>>>>;

    /// Runs `body(Run&)` for at most `limit`, however often the process dies meanwhile; nothing when time was up first. Such
    /// limits may be nested: the shortest wins. Throws what `body` throws.
    template <class F>
    auto within(Millis limit, F body) -> Async<std::optional<AsyncValue<std::invoke_result_t<F&, Run&>>>>;

    // ---- for effects ----

    /// The one path of every effect: recorded? return → wait for the replay's end → stopped? → reserve → intent → durable →
    /// perform → outcome. Returns the recorded outcome, or nothing when `performer` has just performed it.
    Async<std::optional<storage::Record>> perform(Effect effect, Performer& performer);
    std::string next_path(EffectKind kind);
    RunState& state() { return state_; }

private:
    const std::string& setup_text() const;
    /// The path of the node that is entered now.
    std::string enter(const std::string& name);
    /// What is recorded of a finished node; null: it must run.
    const storage::Record* find_done(const std::string& path);
    void record_done(const std::string& path, std::string result);
    std::vector<std::unique_ptr<Run>> fork(std::size_t branches);
    std::optional<std::size_t> recorded_winner(const std::string& path);
    Async<> record_winner(std::string path, std::size_t winner);
    class Thinking;
    Async<ToolReply> ask_person(const Agent& agent, const model::ToolCall& call, const model::Tool& tool);
    Async<ToolReply> call_one(const Agent& agent, model::ToolCall call, const model::Tool* pinned, std::string path,
                              UseOptions options);
    Async<ToolReply> call_tool(const Agent& agent, model::ToolCall call, std::string path, UseOptions options);
    std::optional<Time> recorded_start(std::string_view path);
    Async<ToolReply> search_tools(const Agent& agent, const model::ToolCall& call, const std::string& path);
    void show(const Agent& agent, std::string_view tool);
    std::shared_ptr<const std::vector<llm::ToolSpec>> shown_to(const Agent& agent) const;
    llm::Request request_for(const Agent& agent, int nth, int attempt) const;
    const Digest& conversation_digest();
    void recall(Thinking& thinking, const std::string& path);

    template <class Item, class F>
    static auto branch(Run& run, F& body, Item item) -> std::invoke_result_t<F&, Run&, Item>;

    RunState& state_;
    std::string scope_;  // with its last slash
    std::array<std::uint32_t, kEffectKinds> ordinals_{};
    std::uint32_t forks_ = 0;
    std::vector<std::pair<std::string, std::uint32_t>> nodes_;  // how often each was entered
    std::vector<std::shared_ptr<const llm::Message>> messages_;
    std::vector<std::string> shown_tools_;  // found by a search
    Digest messages_digest_{};              // of the first `digested_` of them
    std::size_t digested_ = 0;
    bool in_effect_ = false;
    bool fails_when_spent_ = false;
};

/// Parallel branches for the run's bookkeeping: their parent stands still while one lives.
class Strands {
public:
    Strands(RunState& state, std::size_t count);
    ~Strands();

private:
    RunState& state_;
};

/// One branch: ends with the scope it stands in.
class Strand {
public:
    explicit Strand(RunState& state) : state_(state) {}
    ~Strand();

private:
    RunState& state_;
};

/// Who was first: what the branches of first() share.
struct Race {
    explicit Race(const Context& outer_context)
        : outer(outer_context.scope),
          scope(outer_context.scope),
          inner{outer_context.loop, &scope, outer_context.deadline}
    {}
    Race(const Race&) = delete;
    Race& operator=(const Race&) = delete;

    const CancelScope* outer;
    CancelScope scope;
    Context inner;
    std::optional<std::size_t> recorded;  // who won when this ran before
    std::optional<std::size_t> winner;
    std::exception_ptr failure;  // of the lowest branch that failed
    std::size_t failed = SIZE_MAX;
};

/// `work` as one branch of a race. Nothing: it did not win.
template <class T>
Async<std::optional<T>> race(RunState& state, Race& shared, std::size_t index, Async<T> work)
{
    const Strand strand(state);
    Async<T> mine = std::move(work);
    try {
        std::optional<T> result = co_await std::move(mine).under(shared.inner);
        if (shared.winner || (shared.recorded && *shared.recorded != index)) co_return std::nullopt;
        shared.winner = index;
        shared.scope.cancel();
        co_return result;
    } catch (const Cancelled&) {
        if (shared.outer && shared.outer->cancelled()) throw;
    } catch (const Error&) {
        if (index < shared.failed) {
            shared.failed = index;
            shared.failure = std::current_exception();
        }
    }
    co_return std::nullopt;
}

/// `work` as one branch.
template <class T>
Async<T> as_strand(RunState& state, Async<T> work)
{
    const Strand strand(state);
    co_return co_await std::move(work);
}

// ---- implementation ----

template <class F>
auto Run::node(std::string name, F body) -> std::invoke_result_t<F&, Run&>
{
    using Result = AsyncValue<std::invoke_result_t<F&, Run&>>;
    F held = std::move(body);
    const std::string path = enter(name);
    if constexpr (std::is_void_v<Result>) {
        if (find_done(path)) co_return;
        Run inner(state_, path + '/');
        co_await held(inner);
        record_done(path, "null");
    } else {
        if (const auto* done = find_done(path)) co_return model::from_text<Result>(done->body);
        Run inner(state_, path + '/');
        Result result = co_await held(inner);
        record_done(path, model::to_json_text(result));
        co_return result;
    }
}

template <class Item, class F>
auto Run::branch(Run& run, F& body, Item item) -> std::invoke_result_t<F&, Run&, Item>
{
    const Strand strand(run.state_);
    co_return co_await body(run, std::move(item));
}

template <class Item, class F>
auto Run::first(std::vector<Item> items, F body)
    -> Async<std::pair<std::size_t, AsyncValue<std::invoke_result_t<F&, Run&, Item>>>>
{
    using Result = AsyncValue<std::invoke_result_t<F&, Run&, Item>>;
    F held = std::move(body);
    const std::string path = next_path(EffectKind::first);
    Race shared(co_await this_context());
    shared.recorded = recorded_winner(path);
    const auto runs = fork(items.size());
    std::vector<Async<std::optional<Result>>> branches;
    for (std::size_t i = 0; i < items.size(); ++i)
        branches.push_back(race<Result>(state_, shared, i, held(*runs[i], std::move(items[i]))));
    std::vector<std::optional<Result>> results;
    {
        const Strands strands(state_, branches.size());
        results = co_await all(std::move(branches));
    }
    if (!shared.winner) {
        if (shared.failure) std::rethrow_exception(shared.failure);
        throw Error(Code::invalid, "first() of nothing");
    }
    co_await record_winner(path, *shared.winner);
    co_return std::pair(*shared.winner, std::move(*results[*shared.winner]));
}

template <class F>
auto Run::within(Millis limit, F body) -> Async<std::optional<AsyncValue<std::invoke_result_t<F&, Run&>>>>
{
    struct Raced {
        std::optional<AsyncValue<std::invoke_result_t<F&, Run&>>> value{};
        std::exception_ptr failure{};
    };
    enum class Who : std::uint8_t { body, clock };
    F held = std::move(body);
    const auto branch = [&held, limit](Run& run, Who who) -> Async<Raced> {
        Raced raced;
        if (who == Who::clock) {
            co_await run.sleep(limit);
            co_return raced;
        }
        try {
            raced.value = co_await held(run);
        } catch (const Error&) {
            raced.failure = std::current_exception();  // a failure ends it too, it need not wait for the clock
        }
        co_return raced;
    };
    auto [who, raced] = co_await first(std::vector{Who::body, Who::clock}, branch);
    if (raced.failure) std::rethrow_exception(raced.failure);
    co_return std::move(raced.value);
}

template <class Item, class F>
auto Run::map(std::vector<Item> items, F body) -> Async<std::vector<AsyncValue<std::invoke_result_t<F&, Run&, Item>>>>
{
    using Result = AsyncValue<std::invoke_result_t<F&, Run&, Item>>;
    F held = std::move(body);
    const auto runs = fork(items.size());
    std::vector<Async<Result>> branches;
    branches.reserve(items.size());
    for (std::size_t i = 0; i < items.size(); ++i) branches.push_back(branch(*runs[i], held, std::move(items[i])));
    const Strands strands(state_, branches.size());
    co_return co_await all(std::move(branches));
}

}  // namespace cadre::engine
