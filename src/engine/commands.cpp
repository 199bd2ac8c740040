#include "engine/commands.hpp"

#include "base/async.hpp"
#include "base/mutant.hpp"
#include "engine/body.hpp"
#include "engine/host.hpp"
#include "engine/queries.hpp"
#include "engine/run_state.hpp"
#include "model/ask_setup.hpp"
#include "model/graph.hpp"
#include "model/read.hpp"
#include "model/wire_name.hpp"
#include "model/write.hpp"
#include "schema/schema.hpp"
#include "tools/arguments.hpp"

#include <boost/json.hpp>
#include <fmt/core.h>

#include <algorithm>
#include <ranges>
#include <set>

namespace cadre::engine {

using storage::Record;
using storage::RecordKind;

namespace {

const OpenQuestion& find_question(const TaskState& state, const std::string& request)
{
    if (state.questions.empty())
        throw Error(Code::conflict,
                    "task " + to_string(state.id) + " asks nothing" + (state.finished() ? "; it has ended" : ""));
    if (request.empty()) {
        if (state.questions.size() == 1) return state.questions.front();
        std::string ids;
        for (const OpenQuestion& question : state.questions) ids += (ids.empty() ? "" : ", ") + question.request.id;
        throw Error(Code::invalid, "the task asks several things; name one: " + ids);
    }
    const OpenQuestion* found = nullptr;
    for (const OpenQuestion& question : state.questions) {
        if (!question.request.id.starts_with(request)) continue;
        if (found)
            throw Error(Code::invalid, in_quotes(request) + " begins the ids of several questions: " +
                                           found->request.id + ", " + question.request.id);
        found = &question;
    }
    if (!found) throw Error(Code::not_found, "the task does not ask " + in_quotes(request));
    return *found;
}

/// The answer that was given to that question before, or the last of all where none is named; nothing when there is none.
std::optional<std::string> recorded_answer(const std::vector<Record>& records, const std::string& request)
{
    for (const Record& record : std::views::reverse(records)) {
        if (record.kind != RecordKind::answer) continue;
        const auto given = body_of<AnswerBody>(record);
        if (!request.empty() && !given.request.str().starts_with(request)) continue;
        const auto answer = given.answer.get();
        return std::string(model::participle(answer.verb)) + (answer.message.empty() ? "" : ": " + answer.message) +
               " (" + to_iso(record.at) + ")";
    }
    return std::nullopt;
}

/// Where the agent gave a choice, an answer is one of it.
void expect_choice(const model::HumanRequest& request, const model::HumanAnswer& answer)
{
    const auto* choices = request.context.if_contains("choices");
    if (!choices || !choices->is_array() || choices->get_array().empty()) return;
    if (request.type != model::HumanRequestType::feedback || answer.verb != model::HumanVerb::approve) return;
    std::string all;
    for (const auto& choice : choices->get_array()) {
        if (!choice.is_string() || choice.get_string() == answer.message) return;
        all += (all.empty() ? "" : ", ") + in_quotes(choice.get_string());
    }
    throw Error(Code::invalid, in_quotes(answer.message) + " is not a choice; answer with one of: " + all);
}

/// Arguments that a person puts in place of the agent's fit the tool, or the question stays open.
void expect_arguments(const model::HumanRequest& request, const model::HumanAnswer& answer,
                      std::span<const Agent> agents)
{
    const auto* name = request.context.if_contains("tool");
    const auto* arguments = answer.updates.if_contains("arguments");
    const auto agent = std::ranges::find(agents, request.agent, &Agent::name);
    if (!name || !name->is_string() || !arguments || !arguments->is_object() || agent == agents.end()) return;
    const model::Tool* tool = agent->find_tool(name->get_string());
    if (!tool) return;
    if (const auto problem = tools::check_arguments(*tool, arguments->get_object()))
        throw Error(Code::invalid, *problem);
}

/// What the person put into the answer's updates is as the question says, or the question stays open.
void expect_updates(const model::HumanRequest& request, const model::HumanAnswer& answer)
{
    const auto* rules = request.context.if_contains("updates_schema");
    const bool gives = answer.verb == model::HumanVerb::approve || answer.verb == model::HumanVerb::modify;
    if (!rules || !gives) return;
    if (answer.updates.contains("arguments") && !request.context.contains("arguments"))
        throw Error(Code::invalid,
                    "the question is about the state of a workflow, not about a call: change its fields");
    const auto findings = schema::Schema::compile(*rules).validate(answer.updates);
    if (findings.empty()) return;
    const auto* keys = request.context.if_contains("keys");
    const bool lacks_key = keys && rules->as_object().contains("required") && !answer.updates.contains("routing_key");
    throw Error(Code::invalid, lacks_key ? "say which way it goes: routing_key is one of " + to_text(*keys)
                                         : "the state cannot be changed so: " + schema::to_text(findings));
}

/// Whether somebody stopped it, and only has to let it go on.
bool is_stopped(const TaskState& task)
{
    using model::PauseReason;
    const auto reason = task.pause_reason;
    return reason == PauseReason::step_mode || reason == PauseReason::breakpoint || reason == PauseReason::user_request;
}

/// Which tasks of a tree a command about its first is for. Without a word about steps: that one. Steps: that one, or if it waits for
/// others, those of them that are stopped. No more steps: all of them.
std::vector<Id> told_to_go_on(const std::vector<std::shared_ptr<const TaskState>>& tree, Onward how)
{
    if (tree.empty()) return {};  // it has just ended
    const TaskState& first = *tree.front();
    std::vector<Id> below;
    for (const auto& task : tree | std::views::drop(1))
        if (is_stopped(*task) || (how.freely && task->stepping)) below.push_back(task->id);
    std::vector<Id> told;
    if (first.pause_reason || (how.freely && first.stepping) || (how.steps > 0 && below.empty()))
        told.push_back(first.id);
    if (how.freely || (how.steps > 0 && told.empty())) told.insert(told.end(), below.begin(), below.end());
    return told;
}

/// What a workflow or a question is pinned to can be read, or no task of it begins.
void expect_setup(const CreateTask& request)
{
    if (request.pattern.starts_with("ask@") && !request.setup.empty())
        model::from_text<model::AskSetup>(request.setup, {.limits = model::kTeamLimits});
    if (!request.pattern.starts_with("graph@")) return;
    if (request.setup.empty() && request.session.empty())
        throw Error(Code::invalid, "a task of a workflow needs the workflow: setup is empty");
    if (!request.setup.empty()) model::from_text<model::WorkflowSetup>(request.setup, {.limits = model::kTeamLimits});
}

}  // namespace

Commands::Commands(Host& host, Queries& queries) : host_(host), queries_(queries), store_(host.env().store)
{}

Async<Id> Commands::create(Principal by, CreateTask request, bool held)
{
    expect_may(by, Act::work);
    const bool has_team = !request.team.agents.empty();
    if (!has_team && request.session.empty()) throw Error(Code::invalid, "the team has no agents");
    expect_setup(request);
    TaskSpec spec{.description = std::move(request.description),
                  .agent = request.agent.empty() && has_team ? request.team.agents.front().name : request.agent,
                  .pattern = std::move(request.pattern),
                  .model = std::move(request.model),
                  .mode = request.mode,
                  .budget = request.budget,
                  .created_by = by.subject,
                  .kind = std::move(request.kind),
                  .project = std::move(request.project),
                  .source = std::move(request.source),
                  .retention_days = request.retention_days,
                  .breakpoints = std::move(request.breakpoints),
                  .pending = !request.start,
                  .input = std::move(request.input),
                  .metadata = std::move(request.metadata)};
    const Id id = request.id ? *request.id : new_id(host_.env().random);
    std::optional<model::Team> team;
    if (has_team) team = std::move(request.team);
    if (!request.setup.empty()) co_await host_.teams().pin_setup(std::move(request.setup), spec);
    if (!request.session.empty()) {
        spec.session = std::move(request.session);
        co_return co_await create_turn(std::move(by), id, std::move(spec), std::move(team), request.queue, held);
    }
    if (!co_await host_.create(by.tenant, id, std::move(spec), std::move(team), held)) co_await was_made(by, id);
    co_return id;
}

/// Whether there is a task of that id, which an earlier request of the same people has made. Throws Error(conflict) when it is another
/// tenant's.
Async<bool> Commands::was_made(Principal by, Id id)
{
    const auto entry = co_await store_.find_task(id);
    if (!entry) co_return false;
    if (entry->tenant != by.tenant)
        throw Error(Code::conflict, "the id " + to_string(id) + " is taken; choose another");
    expect_may(by, Act::work, Owned{entry->tenant, entry->created_by}, missing_task(id));
    co_return true;
}

Async<> Commands::start(Principal by, Id task)
{
    co_await queries_.expect(std::move(by), Act::work, task);
    co_await host_.start(task);
}

Async<> Commands::answer(Principal by, Id task, std::string request, model::HumanAnswer answer, bool held)
{
    const std::string owner = co_await queries_.owner_of(by, task);
    const auto may = [&](Act act) { expect_may(by, act, Owned{by.tenant, owner}, missing_task(task)); };
    const auto records = co_await read_whole(store_, task);
    const TaskState state = fold(records);
    bool open = false;
    for (const OpenQuestion& question : state.questions) open = open || question.request.id.starts_with(request);
    if (!open) {
        may(Act::reply);
        if (const auto before = recorded_answer(records, request))
            throw Error(Code::conflict,
                        "already answered: " + *before + (state.finished() ? "; the task has ended" : ""));
    }
    const OpenQuestion& question = find_question(state, request);
    may(question.request.type == model::HumanRequestType::feedback ? Act::reply : Act::approve);
    // who sits at the machine may say for whom they speak
    if (!answer.by || by != local_user(by.subject)) {
        answer.by.reset();
        if (!by.subject.empty()) answer.by = by.subject;
    }
    if (!model::suits(question.request.type, answer.verb))
        throw Error(Code::invalid, "a question of type " + model::to_json_text(question.request.type) +
                                       " cannot be answered with " + model::to_json_text(answer.verb));
    expect_choice(question.request, answer);
    expect_updates(question.request, answer);
    if (answer.verb == model::HumanVerb::modify)
        expect_arguments(question.request, answer, *co_await host_.teams().agents_for(state.spec));
    bool raced = false;  // somebody, or time, was quicker: then what was said is waited for, and told
    co_await host_.input(
        task,
        [&question, &answer, &raced](RunState& run) {
            const auto is_open = [&](const OpenQuestion& one) { return one.request.id == question.request.id; };
            raced = std::ranges::none_of(run.view().questions, is_open) && !is_mutant(Mutant::second_answer_accepted);
            if (raced) return run.journal().seq();
            raced = question.due && run.deadline_of(question.path, *question.due, question.asked_at) <=
                                        run.env().loop.now();  // while nobody ran
            return run.answer(question, raced ? RunState::silence() : answer);
        },
        held ? Waking::held : Waking::goes_on);
    if (!raced) co_return;
    const auto before = recorded_answer(co_await read_whole(store_, task), question.request.id);
    throw Error(Code::conflict, before ? "already answered: " + *before : "the question is no longer open");
}

Async<> Commands::instruct(Principal by, Id task, std::string text)
{
    co_await queries_.expect(by, Act::work, task);
    co_await host_.input(task, [&](RunState& run) { return run.instruct(text, by.subject); }, Waking::held);
}

Async<> Commands::pause(Principal by, Id task)
{
    co_await queries_.expect(by, Act::work, task);
    const auto act = [&by](RunState& run) {
        if (run.view().pause_reason)
            throw Error(Code::conflict, "the task is paused already",
                        Hint{"to continue", "continue " + to_string(run.view().id)});
        return run.pause(by.subject);
    };
    co_await host_.input(task, act, Waking::held);
}

Async<> Commands::resume(Principal by, Id task, int steps)
{
    return go_on(std::move(by), task, {.steps = steps});
}

Async<> Commands::continue_task(Principal by, Id task)
{
    return go_on(std::move(by), task, {.freely = true});
}

Async<> Commands::go_on(Principal by, Id task, Onward how)
{
    const auto state = co_await queries_.task_for(by, Act::work, task);
    if (state->finished())
        throw Error(Code::conflict, "task " + to_string(task) + " has ended",
                    Hint{"to run it again from any point", "fork " + to_string(task) + " --at 1"});
    const auto says_something = [how](const TaskState& view) {
        return view.pause_reason || how.steps > 0 || (how.freely && view.stepping);
    };
    const Waking waking = how.held ? Waking::readied : Waking::goes_on;
    const std::vector<Id> told = told_to_go_on(co_await queries_.open_tree(by, task), how);
    for (const Id& one : told) {
        const auto act = [&](RunState& run) {
            return says_something(run.view()) ? run.resume({how.steps, how.freely}, by.subject) : run.journal().seq();
        };
        co_await host_.input(one, act, waking);
    }
    if (!how.held && std::ranges::find(told, task) == told.end()) co_await host_.wake(task);
    if (!told.empty()) host_.raised(task, how.held);
}

Async<> Commands::raise_budget(Principal by, Id task, Budget budget, bool held)
{
    const llm::Usage own = (co_await queries_.task_for(std::move(by), Act::change, task))->own_work().usage;
    if (budget.tokens && *budget.tokens < own.input + own.output)
        throw Error(Code::invalid, fmt::format("the task has spent {} tokens already; allow it more than that",
                                               own.input + own.output));
    if (budget.cost && *budget.cost < own.cost)
        throw Error(Code::invalid,
                    fmt::format("the task has spent {} already; allow it more than that", dollars(own.cost)));
    const auto act = [budget](RunState& run) { return run.raise_budget(budget); };
    co_await host_.input(task, act, held ? Waking::held : Waking::goes_on);
    host_.raised(task, held);
}

Async<std::vector<std::string>> Commands::change_breakpoints(Principal by, Id task, BreakpointChange change)
{
    const auto state = co_await queries_.task_for(std::move(by), Act::work, task);
    if (!change.add.empty()) co_await check_names(*state, change.add);
    std::vector<std::string> now;
    co_await host_.input(
        task,
        [&](RunState& run) {
            now = changed(run.view().breakpoints, change);
            return now == run.view().breakpoints ? run.journal().seq() : run.set_breakpoints(now);
        },
        Waking::held);
    co_return now;
}

Async<> Commands::check_names(const TaskState& state, std::vector<std::string> breakpoints)
{
    const auto agents = co_await host_.teams().agents_for(state.spec);
    std::set<std::string> names, tools;
    for (const Agent& agent : *agents) {
        names.insert(agent.name);
        tools.insert(agent.tools.begin(), agent.tools.end());
    }
    for (const std::string& text : breakpoints) {
        const Breakpoint wanted = breakpoint_from(text);
        const bool is_agent = wanted.type == Breakpoint::Type::agent;
        if ((!is_agent && wanted.type != Breakpoint::Type::tool) || agents->empty()) continue;
        const auto& known = is_agent ? names : tools;
        if (known.contains(wanted.name)) continue;
        std::string list;
        for (const std::string& name : known) list += (list.empty() ? "" : ", ") + name;
        throw Error(Code::invalid, std::string("the task has no ") + (is_agent ? "agent" : "tool") + " called " +
                                       in_quotes(wanted.name) + (list.empty() ? "" : "; it has: " + list));
    }
}

Async<bool> Commands::cancel(Principal by, Id task, std::string reason)
{
    co_await queries_.expect(by, Act::work, task);
    co_return co_await host_.cancel(task, std::move(by.subject), std::move(reason));
}

Async<std::unique_ptr<Subscription>> Commands::watch(Principal by, Id task, std::uint32_t after, bool children)
{
    // whoever comes back has seen most of the journal: it is not read for them again
    std::shared_ptr<const TaskState> seen;
    if (after > 0) seen = co_await queries_.task(std::move(by), task);
    else co_await queries_.expect(std::move(by), Act::read, task);
    auto events = std::make_unique<Subscription>(host_.hub(), task, after, children);
    if (seen && !seen->finished() && seen->end.event_seq <= after) events->skip(seen->end.seq, seen->end.event_seq);
    co_return events;
}

}  // namespace cadre::engine
