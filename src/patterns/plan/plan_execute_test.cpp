#include "patterns/plan/plan_execute.hpp"

#include "engine/plan_view.hpp"
#include "engine/projections/chronicle.hpp"
#include "engine/test_cut.hpp"
#include "support/error_of.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <functional>

using namespace cadre;
using namespace cadre::engine;
using namespace cadre::engine::testing;
using model::InterventionType;
using model::PlanItemStatus;
using model::TaskStatus;
using storage::RecordKind;
using test::error_of;

namespace {

constexpr const char* kPlan = R"({"goal":"a bill","tasks":[
    {"id":"a","agent":"worker","action":"pay 1"},
    {"id":"b","agent":"helper","action":"pay 2","parameters":{"to":"Ann"}},
    {"id":"c","agent":"helper","action":"pay 3","depends_on":["a"]},
    {"id":"d","agent":"worker","action":"pay 4","depends_on":["c","b"]}]})";
constexpr const char* kAsPlanned = "a: paid 1; b: paid 2; c: paid 3 after a; d: paid 4 after c b; ";

std::string between(std::string_view text, std::string_view begin, std::string_view end)
{
    const std::size_t at = text.find(begin);
    if (at == text.npos) return "";
    text.remove_prefix(at + begin.size());
    return std::string(text.substr(0, text.find(end)));
}

/// A model that plans, pays what its item says, and counts up what it hears in the end.
llm::Completion answer_to(const llm::Request& request, const std::vector<std::string>& plans)
{
    std::vector<std::string> texts;
    int planned = 0;
    for (const auto& message : request.messages) {
        texts.push_back(message->text);
        planned += message->role == model::Role::assistant;
    }
    if (texts.size() > 1 && texts[1].find("First make a plan") != std::string::npos)
        return says(plans[std::min<std::size_t>(static_cast<std::size_t>(planned), plans.size() - 1)]);
    if (const std::string id = between(texts[0], "You do one part of it, \"", "\""); !id.empty()) {
        if (id.starts_with("bad")) throw Error(Code::invalid, "no luck");
        if (request.messages.back()->role != model::Role::tool)
            return calls("pay", {{"n", std::stoi(between(texts[0], "pay ", "\n"))}});
        std::string after;
        for (const std::string& text : texts)
            if (const std::string other = between(text, "Item \"", "\""); !other.empty()) after += " " + other;
        return says(texts.back() + (after.empty() ? "" : " after" + after));
    }
    std::string all;
    for (const std::string& text : texts) {
        const std::string id = between(text, "Item \"", "\"");
        if (id.empty()) continue;
        const std::size_t at = text.find("came to:\n");
        all += id + ": " + (at != text.npos ? text.substr(at + 9) : text.substr(text.find(") ") + 2)) + "; ";
    }
    return says(all.empty() ? "right away" : all);
}

struct Planning : Stage {
    explicit Planning(std::vector<std::string> plans = {kPlan}) : Stage(patterns::plan_execute)
    {
        patterns.add({"plan@1", patterns::plan_execute});
        team->agents.push_back(team->agents.front());
        team->agents.back().name = "helper";
        model->delay = Millis(10);
        model->answer = [plans](const llm::Request& request) { return answer_to(request, plans); };
    }
    Id plan(TaskSpec spec = {})
    {
        spec.description = "Pay.";
        spec.agent = "worker";
        return begin("plan@1", std::move(spec));
    }
    void edit(Id id, std::string_view tasks, std::string_view goal = "a bill")
    {
        boost::json::object plan{{"goal", goal}, {"tasks", boost::json::parse(tasks)}};
        wait(commands->intervene(kAnn, id, {.type = InterventionType::plan_update, .details = {{"plan", plan}}}));
    }
    /// `a completed, b running`
    std::string progress(Id id)
    {
        std::string text;
        for (const auto& item : plan_in(records(id)).items)
            text += (text.empty() ? "" : ", ") + item.id + " " + model::to_json_text(item.status);
        std::erase(text, '"');
        return text;
    }
    void pass(int ms) { wait(sleep_for(Millis(ms))); }
};

/// A run that goes on from any beginning of the journal ends as `says` for its length, and pays nothing twice.
void check_all_cuts(const std::vector<storage::Record>& journal, const std::function<std::string(std::size_t)>& says,
                    const std::vector<std::string>& plans = {kPlan})
{
    const Id id = journal.front().task;
    for (std::size_t length = 2; length < journal.size(); ++length) {
        CAPTURE(length);
        CAPTURE(journal[length - 1].path);
        Planning world(plans);
        world.adopt(journal, length);
        CHECK(ending(world.finish(id)) == says(length));
        auto keys = keys_in(journal, length);
        for (const std::string& key : world.pay->dispatched) CHECK(keys.insert(key).second);
        CHECK(world.wait(world.commands->replay(kAnn, id)).diverged == "");
    }
}

/// `before` without the first edit, else `after`.
std::function<std::string(std::size_t)> with_edit(std::size_t edit, std::string before, std::string after)
{
    return [=](std::size_t length) { return length > edit ? after : before; };
}

std::function<std::string(std::size_t)> always(std::string says)
{
    return [=](std::size_t) { return says; };
}

std::size_t edit_in(const std::vector<storage::Record>& journal)
{
    return static_cast<std::size_t>(std::ranges::find(journal, RecordKind::setting, &storage::Record::kind) -
                                    journal.begin());
}

}  // namespace

TEST_CASE("a plan is worked through as its items depend on each other, and its maker answers from all results")
{
    Planning world;
    const Id id = world.plan();
    world.pass(15);
    CHECK(world.progress(id) == "a running, b running, c pending, d pending");
    const TaskState state = world.finish(id);
    CHECK(ending(state) == kAsPlanned);
    CHECK_FALSE(state.reply->partial);
    CHECK(world.progress(id) == "a completed, b completed, c completed, d completed");
    CHECK(world.wait(world.commands->replay(kAnn, id)).diverged == "");

    // who works on an item is told nothing else
    const auto told = [&](std::string_view item) {
        std::string all;
        for (const auto& request : world.model->requests)
            if (request.messages[0]->text.find("part of it, \"" + std::string(item) + "\"") != std::string::npos)
                for (const auto& message : request.messages) all += message->text + "\n";
        return all;
    };
    CHECK(told("b").find(R"(With: {"to":"Ann"})") != std::string::npos);
    CHECK(told("b").find("paid 1") == std::string::npos);
    CHECK(told("c").find("paid 1") != std::string::npos);
    CHECK(told("c").find("First make a plan") == std::string::npos);

    // a step names its item, which the plan has
    Chronicle chronicle;
    for (const auto& record : world.records(id)) chronicle.apply(record);
    CHECK(chronicle.plan().items.size() == 4);
    std::map<std::string, int> steps;
    for (const model::Step& step : chronicle.history()) ++steps[step.plan_item.value_or("")];
    CHECK(steps == std::map<std::string, int>{{"", 3}, {"a", 3}, {"b", 3}, {"c", 3}, {"d", 3}});
}

TEST_CASE("a plan is worked through to the same end after a crash at any of its records")
{
    Planning world;
    const Id id = world.plan();
    world.finish(id);
    check_all_cuts(world.records(id), always(kAsPlanned));
}

TEST_CASE("a plan that is changed while items run: these end, the others are the new ones, after a crash anywhere too")
{
    Planning world;
    const Id id = world.plan();
    world.pass(15);
    CHECK(world.progress(id) == "a running, b running, c pending, d pending");
    // c is another one, d is gone, b is left out although it runs, a is changed too late, what the file says of statuses says nothing
    world.edit(id, R"([{"id":"e","agent":"worker","action":"pay 5","depends_on":["c"],"status":"completed"},
                       {"id":"a","agent":"helper","action":"pay 6"},
                       {"id":"c","agent":"worker","action":"pay 7","depends_on":["a"]}])");
    const std::string changed = "b: paid 2; e: paid 5 after c; a: paid 1; c: paid 7 after a; ";
    CHECK(ending(world.finish(id)) == changed);
    CHECK(world.progress(id) == "b completed, e completed, a completed, c completed");
    const auto journal = world.records(id);
    check_all_cuts(journal, with_edit(edit_in(journal), kAsPlanned, changed));
}

TEST_CASE("an item that waits for its agent's seat has not begun, and a changed plan takes it away")
{
    const std::string both = R"({"tasks":[{"id":"a","agent":"worker","action":"pay 1"},
                                          {"id":"b","agent":"worker","action":"pay 2"}]})";
    Planning world({both});
    const Id id = world.plan();
    world.pass(15);
    CHECK(world.progress(id) == "a running, b pending");
    world.edit(id, R"([{"id":"a","agent":"worker","action":"pay 1"}])");
    CHECK(ending(world.finish(id)) == "a: paid 1; ");
    const auto journal = world.records(id);
    check_all_cuts(journal, with_edit(edit_in(journal), "a: paid 1; b: paid 2; ", "a: paid 1; "), {both});
}

TEST_CASE("a plan can be changed before it is made, when all of it is done, and twice before anything begins")
{
    Planning early;
    const Id first = early.plan();
    early.pass(5);
    CHECK(early.progress(first) == "");
    early.edit(first, R"([{"id":"x","agent":"helper","action":"pay 8"}])");
    early.edit(first, R"([{"id":"y","agent":"helper","action":"pay 9"}])");
    CHECK(ending(early.finish(first)) == "y: paid 9; ");
    const auto begun = early.records(first);
    const std::size_t edit = edit_in(begun);
    REQUIRE(begun[edit + 1].kind == RecordKind::setting);
    check_all_cuts(begun, [&](std::size_t length) {
        return length <= edit ? kAsPlanned : length == edit + 1 ? "x: paid 8; " : "y: paid 9; ";
    });

    Planning late({R"({"tasks":[]})"});
    const Id second = late.plan();
    late.pass(15);
    late.edit(second, R"([{"id":"x","agent":"helper","action":"pay 8"}])");
    CHECK(ending(late.finish(second)) == "x: paid 8; ");
    const auto journal = late.records(second);
    check_all_cuts(journal, with_edit(edit_in(journal), "right away", "x: paid 8; "), {R"({"tasks":[]})"});
}

TEST_CASE("a change of a plan that cannot be is refused when it is sent, and names what is wrong")
{
    Planning world;
    const Id id = world.plan();
    world.pass(15);
    const auto refused = [&](std::string_view tasks) { return error_of([&] { world.edit(id, tasks); }); };
    CHECK(refused(R"([{"id":"e","agent":"worker","action":"pay 5","depends_on":["a"]}])") ==
          R"(invalid: "e" depends on "a", which the plan leaves out although it is running; keep "a" in the plan)");
    CHECK(refused(R"([{"id":"e","agent":"wroker","action":"pay 5"}])") ==
          R"(invalid: tasks[0].agent: the team has no agent "wroker"; it has: worker, helper)");
    CHECK(refused(R"([{"id":"e","agent":"worker","action":"x"},{"id":"e","agent":"worker","action":"x"}])") ==
          doctest::Contains(R"("e" is here twice)"));
    CHECK(refused(R"([{"id":"e","agent":"worker","action":"x","depends_on":["e"]}])") ==
          doctest::Contains("wait for each other"));
    CHECK(refused(R"(["pay"])") == doctest::Contains("tasks[0]: must be an object"));
    const auto change = [&](InterventionType type, boost::json::object details) {
        return error_of([&] { world.wait(world.commands->intervene(kAnn, id, {.type = type, .details = details})); });
    };
    CHECK(change(InterventionType::agent_override, {{"next_agent", "helper"}}) ==
          doctest::Contains("its items say who works; change the plan"));
    model::Team alone = *world.team;
    alone.agents.pop_back();
    alone.tools.push_back(world.pay->definition());
    CHECK(change(InterventionType::team_modification, {{"team", parse_json(model::to_json_text(alone))}}) ==
          R"(invalid: team: "helper" is to do "b" of the plan, and is not in it; change the plan first)");
    CHECK(ending(world.finish(id)) == kAsPlanned);
    CHECK(std::ranges::count(world.records(id), RecordKind::setting, &storage::Record::kind) == 0);
    CHECK(refused("[]") == doctest::Contains("has ended"));
}

TEST_CASE("a changed team works from the next item on")
{
    Planning world;
    const Id id = world.plan();
    world.pass(15);
    model::Team more = *world.team;
    more.agents.push_back(more.agents.front());
    more.agents.back().name = "third";
    more.tools.push_back(world.pay->definition());
    world.wait(world.commands->intervene(
        kAnn, id,
        {.type = InterventionType::team_modification, .details = {{"team", parse_json(model::to_json_text(more))}}}));
    world.edit(id, R"([{"id":"a","agent":"worker","action":"pay 1"},{"id":"b","agent":"worker","action":"pay 2"},
                       {"id":"c","agent":"third","action":"pay 3","depends_on":["a"]}])");
    CHECK(ending(world.finish(id)) == "a: paid 1; b: paid 2; c: paid 3 after a; ");
    CHECK(std::ranges::count(world.model->requests, "third", &llm::Request::agent) == 2);
}

TEST_CASE("an item that fails takes with it what hangs on it; the rest is done, and the answer is partial")
{
    const std::string plan = R"({"tasks":[{"id":"d","agent":"worker","action":"pay 4","depends_on":["c","a"]},
        {"id":"a","agent":"worker","action":"pay 1"},{"id":"bad","agent":"helper","action":"pay 2"},
        {"id":"c","agent":"helper","action":"pay 3","depends_on":["bad"]}]})";
    Planning world({plan});
    const Id id = world.plan();
    const TaskState state = world.finish(id);
    const std::string says = "d: was skipped, because something that it depends on failed.; a: paid 1; bad: failed: no "
                             "luck; c: was skipped, because something that it depends on failed.; ";
    CHECK(ending(state) == says);
    CHECK(state.reply->partial);
    CHECK(world.progress(id) == "d skipped, a completed, bad failed, c skipped");
    check_all_cuts(world.records(id), always(says), {plan});
}

TEST_CASE("a plan that cannot be may be mended once, with what is wrong; then the task fails with that")
{
    const std::string twice = R"({"tasks":[{"id":"a","agent":"worker","action":"pay 1"},
                                           {"id":"a","agent":"helper","action":"pay 2","depends_on":["conclude"]}]})";
    Planning mended({twice, kPlan});
    const Id first = mended.plan();
    CHECK(ending(mended.finish(first)) == kAsPlanned);
    CHECK(mended.model->requests[1].messages.back()->text.find("\"a\" is here twice") != std::string::npos);

    Planning hopeless({twice});
    const TaskState state = hopeless.finish(hopeless.plan());
    CHECK(state.status == TaskStatus::failed);
    CHECK(state.error.starts_with("the plan of \"worker\" cannot be: "));
    CHECK(state.error.find("\"a\" is here twice") != std::string::npos);
    CHECK(hopeless.model->requests.size() == 2);

    std::string many = R"({"tasks":[)";
    for (int i = 0; i < 65; ++i)
        many += std::string(i ? "," : "") + R"({"agent":"worker","action":"pay 1","id":"i)" + std::to_string(i) + "\"}";
    Planning large({many + "]}"});
    CHECK(large.finish(large.plan()).status == TaskStatus::failed);
}

TEST_CASE("a plan without items is an answer right away, and a team of one need not name its agent")
{
    Planning none({R"({"tasks":[]})"});
    CHECK(ending(none.finish(none.plan())) == "right away");
    Planning alone({R"({"tasks":[{"id":"a","action":"pay 1"}]})"});
    alone.team->agents.pop_back();
    CHECK(ending(alone.finish(alone.plan())) == "a: paid 1; ");
}

TEST_CASE("a cancelled plan begins nothing more, and says what it did not get to")
{
    Planning world;
    const Id id = world.plan();
    world.pass(45);  // a and b are about to end
    world.wait(world.commands->cancel(kAnn, id, ""));
    CHECK(world.rest(id).status == TaskStatus::cancelled);
    CHECK(world.progress(id) == "a skipped, b skipped, c pending, d pending");
    const std::size_t requests = world.model->requests.size();
    world.pass(1000);
    CHECK(world.model->requests.size() == requests);
}

TEST_CASE("a plan whose budget is spent pauses, and with more of it comes to its end")
{
    Planning world;
    world.model->answer = [](const llm::Request& request) {
        llm::Completion completion = answer_to(request, {kPlan});
        completion.usage.cost = 0.01;
        return completion;
    };
    TaskSpec spec;
    spec.budget.cost = 0.055;
    const Id id = world.plan(std::move(spec));
    const TaskState state = world.finish(id);
    CHECK(state.status == TaskStatus::paused);
    CHECK(state.pause_text.find("is used up") != std::string::npos);
    CHECK(world.progress(id).find("d pending") != std::string::npos);
    world.wait(world.commands->raise_budget(kAnn, id, {.cost = 1}));
    world.wait(world.commands->resume(kAnn, id));
    CHECK(ending(world.finish(id)) == kAsPlanned);
}

TEST_CASE("a plan that needs more than max_steps fails with that")
{
    Planning world;
    TaskSpec spec;
    spec.budget.steps = 4;
    const Id id = world.plan(std::move(spec));
    const TaskState state = world.finish(id);
    CHECK(state.status == TaskStatus::failed);
    CHECK(state.error == "max_steps (4) reached");
    CHECK(world.wait(world.commands->replay(kAnn, id)).diverged == "");
}
