// Several tenants in one process: who sees, does and finds what.
#include "engine/retention.hpp"
#include "engine/session.hpp"
#include "engine/test_world.hpp"
#include "engine/transfer.hpp"
#include "storage/temporary_folder.hpp"
#include "support/error_of.hpp"

#include <doctest/doctest.h>

using namespace cadre;
using namespace cadre::engine;
using namespace cadre::engine::testing;
using model::TaskStatus;

namespace {

const std::string kSession = "6f1c0a52-1111-4222-8333-444455556666";

Principal somebody(std::string tenant, std::string name, Roles roles)
{
    return {.tenant = std::move(tenant), .subject = std::move(name), .roles = roles};
}
const Principal kBob = somebody("acme", "bob", {Role::admin});

Async<model::Reply> ask_or_talk(Run& run)
{
    if (run.prompt() == "approve") {
        const auto answer = co_await run.ask({.type = model::HumanRequestType::approval, .agent = "worker"});
        co_return run.reply(std::string(model::participle(answer.verb)));
    }
    if (run.prompt() == "ask") {
        const auto answer = co_await run.ask({.type = model::HumanRequestType::feedback, .agent = "worker"});
        co_return run.reply(answer.message);
    }
    if (run.prompt() == "delegate") co_return co_await run.delegate(run.agent("worker"), "talk");
    co_return run.reply((co_await run.think(run.agent())).text);
}

struct Office : World {
    Office()
    {
        patterns.add({"office@1", ask_or_talk});
        model->answer = [](const llm::Request&) { return says("done"); };
    }
    Id create(const Principal& by, std::string prompt, std::string session = "", std::optional<Id> id = {})
    {
        CreateTask request{.id = id, .team = team_of({}), .description = std::move(prompt), .pattern = "office@1"};
        request.session = std::move(session);
        const Id made = wait(commands->create(by, std::move(request)));
        wait(host->until_resting(made));
        return made;
    }
    std::vector<Id> list(const Principal& by)
    {
        std::vector<Id> ids;
        for (const auto& entry : wait(queries->tasks(by, {}))) ids.push_back(entry.task);
        return ids;
    }
};

std::string error_in(const std::function<void()>& act)
{
    return test::error_of(act).c_str();
}

}  // namespace

TEST_CASE("a tenant's task is nobody else's: for others it is as if there were none, in the same words")
{
    Office office;
    const Id task = office.create(kAnn, "ask");
    const Id none = new_id(office.random);
    Queries& queries = *office.queries;
    Commands& commands = *office.commands;
    const std::pair<const char*, std::function<void(const Id&)>> ways[] = {
        {"task", [&](const Id& id) { office.wait(queries.task(kBob, id)); }},
        {"entry", [&](const Id& id) { office.wait(queries.entry(kBob, id)); }},
        {"records", [&](const Id& id) { office.wait(queries.records(kBob, id)); }},
        {"events", [&](const Id& id) { office.wait(queries.events(kBob, id)); }},
        {"verify", [&](const Id& id) { office.wait(queries.verify(kBob, id)); }},
        {"export", [&](const Id& id) { office.wait(queries.export_run(kBob, id, true)); }},
        {"start", [&](const Id& id) { office.wait(commands.start(kBob, id)); }},
        {"fork", [&](const Id& id) { office.wait(commands.fork(kBob, {.from = id, .description = "x"})); }},
        {"answer", [&](const Id& id) { office.wait(commands.answer(kBob, id, "", {})); }},
        {"instruct", [&](const Id& id) { office.wait(commands.instruct(kBob, id, "x")); }},
        {"pause", [&](const Id& id) { office.wait(commands.pause(kBob, id)); }},
        {"resume", [&](const Id& id) { office.wait(commands.resume(kBob, id)); }},
        {"continue", [&](const Id& id) { office.wait(commands.continue_task(kBob, id)); }},
        {"budget", [&](const Id& id) { office.wait(commands.raise_budget(kBob, id, {.tokens = 1})); }},
        {"breakpoints", [&](const Id& id) { office.wait(commands.change_breakpoints(kBob, id, {.clear = true})); }},
        {"cancel", [&](const Id& id) { office.wait(commands.cancel(kBob, id, "")); }},
        {"watch", [&](const Id& id) { office.wait(commands.watch(kBob, id, 0)); }},
        {"replay", [&](const Id& id) { office.wait(commands.replay(kBob, id)); }},
    };
    for (const auto& [name, act] : ways) {
        CAPTURE(name);
        CHECK(error_in([&] { act(task); }) == "not_found: there is no task " + to_string(task));
        CHECK(error_in([&] { act(none); }) == "not_found: there is no task " + to_string(none));
    }
    CHECK(office.records(task).size() == 3);  // nothing of all that left a trace
    const std::string prefix = to_string(task).substr(0, 8);
    CHECK(error_in([&] { office.wait(queries.resolve(kBob, prefix)); }) ==
          "not_found: no task begins with " + in_quotes(prefix));
    CHECK(office.wait(queries.resolve(kAnn, prefix)) == task);
    CHECK(office.list(kBob).empty());
    CHECK(office.list(kAnn) == std::vector{task});
    // whatever the query says
    CHECK(office.wait(queries.tasks(kBob, {.tenant = "local"})).empty());
    // an id that is taken says no more than that
    CHECK(error_in([&] { office.create(kBob, "talk", "", task); }) ==
          "conflict: the id " + to_string(task) + " is taken; choose another");
}

TEST_CASE("a task, its children and its forks belong to the tenant of who created it, also after a restart")
{
    Office office;
    const Id parent = office.create(kBob, "delegate");
    CHECK(office.rest(parent).status == TaskStatus::completed);
    const ForkReport fork = office.wait(office.commands->fork(kBob, {.from = parent, .description = "talk"}));
    const Id asking = office.create(kBob, "ask");
    office.restart();
    CHECK(office.wait(office.host->wake_all()) == 2);
    CHECK(office.rest(fork.task).status == TaskStatus::completed);
    CHECK(office.list(kBob).size() == 4);
    CHECK(office.list(kAnn).empty());
    for (const Id& id : office.list(kBob))
        for (const storage::Record& record : office.records(id)) CHECK(record.tenant == "acme");
    office.wait(office.commands->answer(kBob, asking, "", {.message = "fine"}));
    CHECK(office.rest(asking).reply->text == "fine");
}

TEST_CASE("two tenants have a session of the same id each, and leave out turns of their own")
{
    Office office;
    office.create(kAnn, "one", kSession);
    office.create(kAnn, "two", kSession);
    office.create(kBob, "uno", kSession);
    CHECK(office.wait(office.queries->conversation(kAnn, kSession)).size() == 4);
    CHECK(office.wait(office.queries->conversation(kBob, kSession)).size() == 2);
    CHECK(office.wait(office.queries->sessions(kBob)).at(0).turns == 1);
    CHECK(office.wait(office.commands->undo(kBob, kSession)) == "uno");
    CHECK(office.wait(office.queries->conversation(kBob, kSession)).empty());
    CHECK(office.wait(office.queries->conversation(kAnn, kSession)).size() == 4);
    const Principal eve = somebody("other", "eve", {Role::admin});
    CHECK(office.wait(office.queries->sessions(eve)).empty());
    CHECK(error_in([&] { office.wait(office.queries->session(eve, kSession)); }) ==
          "not_found: there is no session " + kSession);

    // for the tenant local, the document's key is what it always was
    office.wait(office.commands->undo(kAnn, kSession));
    CHECK(office.wait(office.store.find(std::string(kSessionDocument), kSession)));
    CHECK(office.wait(office.store.find(std::string(kSessionDocument), "acme/" + kSession)));
}

TEST_CASE("retention keeps what another tenant's session needs")
{
    Office office;
    office.create(kAnn, "one", kSession);
    office.create(kBob, "uno", kSession);
    office.wait(office.commands->undo(kAnn, kSession));
    office.wait(office.commands->undo(kBob, kSession));
    office.wait(sleep_for(Millis{40LL * 24 * 3'600'000}));
    office.create(kBob, "dos", kSession);  // so only Ann's is over
    storage::TemporaryFolder folder;
    Collector collector(
        {.store = office.store, .pool = office.pool, .folder = folder.path(), .clock = office.loop.clock()});
    auto policy = model::framework::standard_retention();
    policy.scope = model::framework::PurgeScope::all;
    office.wait(collector.collect(policy));
    CHECK_FALSE(office.wait(office.store.find(std::string(kSessionDocument), kSession)));
    CHECK(office.wait(office.store.find(std::string(kSessionDocument), "acme/" + kSession)));
}

TEST_CASE("an imported run belongs to whom imported it, and shows nothing of others that it names")
{
    Office there;
    const Id parent = there.create(kAnn, "delegate");
    Transfer transfer = there.wait(there.queries->export_run(kAnn, parent, true));
    REQUIRE(transfer.journals.size() == 2);
    const Id child = transfer.journals[1].front().task;
    Office office;
    Transfer only_child{.task = child, .documents = transfer.documents, .journals = {transfer.journals[1]}};
    office.wait(office.commands->import_run(kAnn, only_child));
    transfer.journals.pop_back();
    office.wait(office.commands->import_run(kBob, transfer));
    CHECK(office.list(kBob) == std::vector{parent});
    CHECK(office.list(kAnn) == std::vector{child});
    CHECK(office.wait(office.queries->export_run(kBob, parent, true)).journals.size() == 1);
    CHECK(error_in([&] { office.wait(office.commands->import_run(kBob, only_child)); }).starts_with("conflict: "));
}

TEST_CASE("users see and work on what they have created; approvers answer, and work on nothing")
{
    Office office;
    const Principal una = somebody("local", "una", {Role::user}), uwe = somebody("local", "uwe", {Role::user}),
                    eva = somebody("local", "eva", {Role::approver});
    const Id asks = office.create(una, "ask", kSession), approves = office.create(una, "approve"),
             others = office.create(uwe, "talk");
    CHECK(office.state(asks).spec.created_by == "una");
    CHECK(office.list(una).size() == 2);
    CHECK(office.list(uwe) == std::vector{others});
    CHECK(office.list(eva).size() == 3);
    CHECK(office.wait(office.queries->tasks(una, {.created_by = "uwe"})).empty());
    CHECK(office.wait(office.queries->sessions(una)).size() == 1);
    CHECK(office.wait(office.queries->sessions(uwe)).empty());
    CHECK(error_in([&] { office.wait(office.queries->task(una, others)); }).starts_with("forbidden: "));
    CHECK(error_in([&] { office.create(uwe, "talk", kSession); }).starts_with("forbidden: "));
    CHECK(error_in([&] { office.create(eva, "talk"); }).starts_with("forbidden: "));
    CHECK(error_in([&] { office.wait(office.commands->cancel(eva, asks, "")); }).starts_with("forbidden: "));

    // feedback is for whose task it is, consent is not
    office.wait(office.commands->answer(una, asks, "", {.message = "blue", .by = "the pope"}));
    CHECK(office.rest(asks).reply->text == "blue");
    CHECK(office.records(asks).at(3).body.find(R"("by":"una")") != std::string::npos);  // whoever they say they are
    CHECK(error_in([&] { office.wait(office.commands->answer(una, approves, "", {})); }).starts_with("forbidden: "));
    CHECK(office.state(approves).status == TaskStatus::waiting);
    office.wait(office.commands->answer(eva, approves, "", {}));
    CHECK(office.rest(approves).reply->text == "approved");
}
