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
#include "engine/artifact_port.hpp"
#include "engine/effect.hpp"
#include "engine/flow.hpp"
#include "engine/guard.hpp"
#include "engine/memory_port.hpp"
#include "engine/node_visits.hpp"
#include "engine/perform.hpp"
#include "engine/router.hpp"
#include "engine/sender.hpp"
#include "engine/strand.hpp"
#include "model/event.hpp"
#include "model/human.hpp"
#include "model/part.hpp"
#include "model/read.hpp"
#include "model/reply.hpp"
#include "model/write.hpp"

#include <array>
#include <cstdint>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace cadre::engine {

class EffectRun;
struct Compaction;
struct Window;
struct TurnMessage;
class Run;
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
    std::vector<std::string> recalled{};  // items of memory that it tells
};

struct UseOptions {
    std::optional<Millis> limit{};  // of each call, instead of what call and tool say
    /// Calls that the pattern does not allow, by their id, and why: the model is told.
    std::map<std::string, std::string> refused{};
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
    std::string from{};           // the agent that wanted it; empty: nobody's policies hold
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

struct CheckOptions {
    std::string agent{};
    std::string tool{};
    /// Path of what comes behind the check; null: whatever comes next in its scope.
    std::optional<std::string> followed_by{};
    std::string
        scope{};  // of let_pass(): one of its own, for checks that are newer than what else is in its scope; empty: this one
    bool is_call = true;  // one more for rules that count
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

/// How branches are told apart and how many of them are at work at once.
template <class Item>
struct MapOptions {
    /// A name of the item's own, so that its branch keeps its path when others come or go; else branches are numbered.
    std::function<std::string(const Item&)> key{};
    int width = 0;  // 0: all
};

struct Branches;

/// One scope of a run: the whole, a node or a parallel branch. One effect at a time; what is to happen at once goes through
/// map(), whose children have a Run of their own.
class Run {
public:
    Run(RunState& state, std::string scope);
    Run(const Run&) = delete;
    Run& operator=(const Run&) = delete;
    ~Run();

    // ---- what the task is ----

    const Id& task() const;
    const std::string& prompt() const;
    /// The file that its team, agent or workflow was read from; empty: not known.
    const std::string& source() const;
    const boost::json::object& input() const;
    /// Of a fork of a workflow: `after` which node its state gets which `update`; else empty.
    const boost::json::object& overrides() const;
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
        return model::from_text<T>(setup_text(), {.limits = model::kTeamLimits});
    }
    model::Reply reply(std::string text) const;

    // ---- the conversation of this scope, which think() shows to the model ----

    /// What was said in the task's session before it, if it has one.
    void tell_history();
    void tell(std::string text);
    void tell(llm::Message message);
    /// What was told here is forgotten: the next model call knows nothing of it.
    void forget();
    /// Everything that was said in that scope so far: this one carries its conversation on.
    void tell_all_of(const Run& other);
    /// What templates of prompts call `state` when agents think in this scope, and in those that it opens from now on.
    void set_state(std::shared_ptr<const boost::json::object> state) { shown_state_ = std::move(state); }

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
    /// The same where nothing is recorded when there is nothing: for loops that ask often.
    Async<Heard> heed_if_told();
    /// Whether people have changed something that was not heeded yet. Asked once, before anything else in its scope, when that has its
    /// seat. Not recorded: the result of its node must say what came of it.
    Async<bool> has_news();
    /// Which agents or domains are to deal with a query, without a model.
    Async<model::Decision> route(RouteQuery query);
    Async<Recall> recall(MemoryQuery query);
    Async<Remembered> remember(MemoryNote note);
    /// Keeps a file as an artifact of the task. The same content again is no new version.
    Async<Saved> save(ArtifactDraft draft);
    /// Sends a message to people, never twice on suspicion.
    Async<Sent> send(Outgoing message);
    /// What guardrails say of a text. Where they find nothing, nothing is recorded; without guardrails they find nothing.
    Async<GuardVerdict> check(Place place, std::string text, CheckOptions options = {});
    /// The text as guardrails let it pass there, once a person has agreed where they want that. Throws Error(forbidden) that names it
    /// by `what` where it does not.
    Async<std::string> let_pass(Place place, std::string what, std::string text, CheckOptions options);
    /// Makes the conversation of this scope shorter, if it has outgrown the agent's window. think() does it by itself.
    Async<> compact(const Agent& agent);
    Async<> sleep(Millis duration);
    Async<Time> now();
    Async<Id> fresh_id();

    // ---- structure ----

    /// Runs `body(Run&)` in a scope of its own. Once it has ended well it never runs again: its recorded result is returned. The
    /// result is void, a string or anything described.
    template <class F>
    auto node(std::string name, F body) -> std::invoke_result_t<F&, Run&>;

    /// Runs `body(Run&, Item)` for all items at once; results in the order of the items. The first failure cancels the others.
    template <class Item, class F, class R = AsyncValue<std::invoke_result_t<F&, Run&, Item>>>
    auto map(std::vector<Item> items, MapOptions<Item> options, F body) -> Async<std::vector<R>>;
    template <class Item, class F, class R = AsyncValue<std::invoke_result_t<F&, Run&, Item>>>
    auto map(std::vector<Item> items, F body) -> Async<std::vector<R>>
    {
        return map(std::move(items), MapOptions<Item>{}, std::move(body));
    }

    /// The same; a failure is a value, and ends nobody.
    template <class Item, class F, class R = AsyncValue<std::invoke_result_t<F&, Run&, Item>>>
    auto collect(std::vector<Item> items, MapOptions<Item> options, F body) -> Async<std::vector<Settled<R>>>;
    template <class Item, class F, class R = AsyncValue<std::invoke_result_t<F&, Run&, Item>>>
    auto collect(std::vector<Item> items, F body) -> Async<std::vector<Settled<R>>>
    {
        return collect(std::move(items), MapOptions<Item>{}, std::move(body));
    }

    /// Runs `body(Run&, Item)` for all items at once until `enough` have succeeded; all others count as cancelled, and are. Which
    /// ones succeeded is recorded, because it depends on time. Throws Error with all reasons when so many cannot succeed any more.
    template <class Item, class F, class R = AsyncValue<std::invoke_result_t<F&, Run&, Item>>>
    auto quorum(std::size_t enough, std::vector<Item> items, MapOptions<Item> options, F body)
        -> Async<std::vector<Settled<R>>>;
    template <class Item, class F, class R = AsyncValue<std::invoke_result_t<F&, Run&, Item>>>
    auto quorum(std::size_t enough, std::vector<Item> items, F body) -> Async<std::vector<Settled<R>>>
    {
        return quorum(enough, std::move(items), MapOptions<Item>{}, std::move(body));
    }

    /// Runs `body(Run&, Item)` for all items at once until one succeeds; the others are cancelled. Which one it was is recorded,
    /// because it depends on time. Throws the failure of the lowest when none succeeds.
    template <class Item, class F, class R = AsyncValue<std::invoke_result_t<F&, Run&, Item>>>
    auto first(std::vector<Item> items, MapOptions<Item> options, F body) -> Async<std::pair<std::size_t, R>>;
    template <class Item, class F, class R = AsyncValue<std::invoke_result_t<F&, Run&, Item>>>
    auto first(std::vector<Item> items, F body) -> Async<std::pair<std::size_t, R>>
    {
        return first(std::move(items), MapOptions<Item>{}, std::move(body));
    }

    /// Runs `body(Run&, part, const Inputs<R>&)` for the parts of the flow, each as a node of its name and as soon as its own
    /// inputs have settled. The flow outlives it. A failure that is not tolerated cancels the others and is thrown.
    template <class R, class F>
    auto flow(const Flow& flow, F body) -> Async<std::vector<Settled<R>>>;
    /// The same for a flow whose rules hang on what its parts came to: that is in `results`, which outlives it, before those that
    /// hang on a part are asked.
    template <class R, class F>
    Async<> flow(const Flow& flow, F body, std::vector<Settled<R>>& results);

    /// At most so many scopes of this task are at work as that agent at once: this one waits for a seat before its next effect, and
    /// keeps it as long as it lives. What lies inside sits on it too.
    void take_seat(const Agent& agent, int seats);

    /// At most so many nodes and turns in them, over restarts and with the tasks below: a model call, and the tool call that a node begins
    /// with, fails with Error(limit) beyond that. Called before the first node.
    void limit_iterations(int most);
    /// A turn of a loop, which the next such effect in this scope pays for.
    void count_iteration();

    /// Runs `body(Run&)` for at most `limit`, however often the process dies meanwhile; nothing when time was up first. Such
    /// limits may be nested: the shortest wins. Throws what `body` throws.
    template <class F>
    auto within(Millis limit, F body) -> Async<std::optional<AsyncValue<std::invoke_result_t<F&, Run&>>>>;

    // ---- for effects ----

    /// The one path of every effect: recorded? return → wait for the replay's end → stopped? → reserve → intent → durable →
    /// perform → outcome. Returns the recorded outcome, or nothing when `performer` has just performed it. Awaited on the spot: the
    /// effect stays where its caller has it.
    Async<std::optional<storage::Record>> perform(Effect&& effect, Performer& performer);
    std::string next_path(EffectKind kind);
    RunState& state() { return state_; }
    /// Its path with a slash behind it; empty: the whole run.
    const std::string& scope() const { return scope_; }

    // ---- for structure ----

    void give_seats_back() noexcept;
    /// The paths of a part's node and of the record who was counted for it.
    std::pair<std::string, std::string> enter_part(std::string_view name);
    std::optional<std::vector<std::uint32_t>> recorded_winners(const std::string& path);
    Async<> record_winners(std::string path, std::vector<std::uint32_t> winners);

private:
    const std::string& setup_text() const;
    bool came_by(std::string_view next);
    Async<Heard> take_changes(Effect effect);
    /// Whether check() has anything to do there. Otherwise it counts as made, so that the paths of those that follow are the same.
    bool must_check(Place place, std::string_view agent);
    Async<> check_input(const Agent& agent, const std::string& next);
    Async<> compact_before(const Agent& agent, std::string next);
    Async<Compaction> plan_compaction(Run& outer, const Agent& agent, bool begun);
    enum class Waiting : std::uint8_t { told, left_out };
    Window window_of(const Agent& agent, Waiting waiting);
    void hear(const std::vector<std::uint32_t>& inputs);
    std::vector<TurnMessage> texts_of_history() const;
    bool replace_messages(const Compaction& compaction);
    /// While an effect, or branches, are under way in this scope nothing else may begin in it.
    class Busy {
    public:
        Busy(Run& run, std::string_view with);
        Busy(const Busy&) = delete;
        Busy& operator=(const Busy&) = delete;
        ~Busy() { run_.busy_with_ = {}; }

    private:
        Run& run_;
    };

    void expect_free(std::string_view what) const;
    /// The path of the node that is entered now.
    std::string enter(std::string_view name);
    std::string visit_path(std::string_view name, std::uint32_t visit) const;
    /// What lies inside the node at `path`.
    static std::string scope_of(std::string_view path);
    Async<> sit_down(EffectRun& work, const std::string& path);
    void claim_seat(std::string group, int most);
    /// What is recorded of a finished node; null: it must run.
    const storage::Record* find_done(const std::string& path);
    void record_done(std::string path, std::string result);
    Branches fork(std::size_t count, std::vector<std::string> keys, int width);
    template <class Item>
    Branches fork_for(const std::vector<Item>& items, const MapOptions<Item>& options);
    template <class R, class Item, class F>
    auto gather_all(Branches& fork, std::vector<Item>& items, F& body, Gathering& shared)
        -> Async<std::vector<Settled<R>>>;
    template <class T>
    static void expect_quorum(const Branches& branches, const Gathering& shared,
                              const std::vector<Settled<T>>& results);
    template <class F>
    auto visit(std::string name, bool is_path, F body) -> std::invoke_result_t<F&, Run&>;
    template <class R, class F>
    Async<> flow_part(FlowRun& flow, std::size_t part, F& body, std::vector<Settled<R>>& results);
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
    void tell_again(Thinking& thinking, const std::string& path);

    RunState& state_;
    std::string scope_;  // with its last slash
    std::array<std::uint32_t, kEffectKinds> ordinals_{};
    std::uint32_t forks_ = 0;
    NodeVisits nodes_;
    std::vector<std::shared_ptr<const llm::Message>> messages_;
    std::vector<std::shared_ptr<const llm::Message>> history_;  // of them, those of the session before the task
    std::shared_ptr<const boost::json::object> shown_state_;    // null: there is none
    std::vector<std::string> shown_tools_;                      // found by a search
    std::vector<std::string> recalled_;                         // items of memory that the next turn is told
    std::vector<std::shared_ptr<llm::Model>> models_;  // of the agent that thinks now, as far as they can be asked
    Digest messages_digest_{};                         // of the first `digested_` of them
    std::size_t digested_ = 0;
    std::size_t checked_ = 0;     // of them, by guardrails
    std::string_view busy_with_;  // empty: nothing
    bool has_seat_ = false;
    bool owes_iteration_ = false;
    bool is_compacting_ = false;  // then its own model calls are not made shorter, and hear no instructions
    bool fails_when_spent_ = false;
};

/// The scopes of a fork.
struct Branches {
    std::string prefix{};                    // `x/branch:1.`
    std::vector<std::string> keys{};         // none: they are numbered
    std::vector<std::optional<Run>> runs{};  // all of them

    std::string name(std::size_t index) const { return keys.empty() ? std::to_string(index) : keys[index]; }
};

}  // namespace cadre::engine

#include "engine/run_structure.hpp"
