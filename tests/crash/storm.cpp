// A process that is there to be killed: it runs tasks of a 20-step pattern with branches, an approval and tools that must run
// once, on a real folder. crash_test.py kills it, starts it again and compares what three witnesses say.
//
//   storm FOLDER LEDGER TASKS                          creates what is missing, resumes the rest, runs until all rest
//   storm FOLDER LEDGER TASKS answer ID REQUEST VERB   first answers that question (approve, happened, not_happened)
//
// On stdout, a line each, as soon as it is true: `accepted ID`, `answered ID REQUEST`, `event ID N`, at the end of each task
// `rest ID STATUS TEXT` and for each open question `question ID REQUEST TYPE KEY`.
#include "base/async.hpp"
#include "base/crash_at.hpp"
#include "base/crash_point.hpp"
#include "base/join.hpp"
#include "base/pool.hpp"
#include "base/random.hpp"
#include "base/run.hpp"
#include "engine/commands.hpp"
#include "engine/host.hpp"
#include "engine/numbered_event.hpp"
#include "engine/queries.hpp"
#include "engine/run.hpp"
#include "net/loop.hpp"
#include "storage/home.hpp"
#include "storage/sqlite/sqlite_store.hpp"
#include "tools/tool.hpp"

#include <boost/json.hpp>
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>

using namespace cadre;
using namespace cadre::engine;
using namespace std::chrono_literals;

namespace {

// ---- what is said and done ----

template <class... Words>
void say(const Words&... words)
{
    std::string line;
    ((line += words, line += ' '), ...);
    line.back() = '\n';
    if (::write(STDOUT_FILENO, line.data(), line.size()) < 0) std::abort();
}

/// Appends its key to a file that outlives the process: what really happened.
class Counter final : public tools::Tool {
public:
    Counter(std::string name, model::Effect effect, std::filesystem::path ledger) : ledger_(std::move(ledger))
    {
        definition_.name = std::move(name);
        definition_.description = "Counts.";
        definition_.effect = effect;
    }
    const model::Tool& definition() const override { return definition_; }

    Async<tools::Result> call(tools::Call call, tools::ToolContext& context) override
    {
        co_await on(context.pool(), [file = ledger_ / definition_.name, key = call.key] {
            const int descriptor = ::open(file.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
            const std::string line = key + '\n';
            crash_point("before_effect");
            if (::write(descriptor, line.data(), line.size()) < 0) std::abort();
            ::fsync(descriptor);
            ::close(descriptor);
            crash_point("after_effect");
        });
        co_return tools::Result{.text = "counted"};
    }

private:
    model::Tool definition_;
    std::filesystem::path ledger_;
};

class Echo final : public llm::Model {
public:
    std::string spec() const override { return "echo"; }
    Async<llm::Completion> complete(llm::Request request, llm::ChunkSink& sink) override
    {
        llm::Completion completion{.text = "heard " + request.messages.back()->text,
                                   .usage = {.input = 7, .output = 3}};
        sink.chunk(completion.text);
        co_return completion;
    }
};

// ---- the pattern: 20 effects ----

Async<> count(Run& run, std::string tool)
{
    std::vector<model::ToolCall> calls{{.id = "call", .tool_name = std::move(tool)}};
    co_await run.use(run.agent(), std::move(calls));
}

Async<std::string> branch(Run& run, int number)
{
    run.tell("branch " + std::to_string(number));
    co_await count(run, "once_" + std::to_string(number));
    co_await count(run, "again");
    co_await run.sleep(1ms);
    co_return (co_await run.think(run.agent())).text;
}

Async<std::string> prepare(Run& run)
{
    run.tell(run.prompt());
    co_await run.now();
    co_await count(run, "prepared");
    co_return (co_await run.think(run.agent())).text;
}

Async<model::Reply> storm(Run& run)
{
    std::string all = co_await run.node("prepare", prepare);
    for (const std::string& one : co_await run.map(std::vector<int>{0, 1, 2}, branch)) all += ", " + one;
    const auto answer = co_await run.ask({.agent = "worker", .context = {{"question", "publish?"}}});
    if (answer.verb != model::HumanVerb::approve) throw Error(Code::cancelled, "rejected");
    co_await count(run, "published");
    run.tell(all);
    co_return run.reply((co_await run.think(run.agent())).text);
}

model::Team team()
{
    model::Agent agent{.name = "worker",
                       .role = "works",
                       .tools = {"prepared", "once_0", "once_1", "once_2", "again", "published"},
                       .prompt = "Work."};
    return {.name = "storm", .agents = {std::move(agent)}};
}

// ---- driving ----

Id task_id(int number)
{
    Id id{};
    id.bytes[6] = 0x40;
    id.bytes[8] = 0x80;
    id.bytes[15] = static_cast<std::uint8_t>(number);
    return id;
}

/// Also of a task that is not there yet, which is why no command is asked.
Async<> watch(Host& host, Id id)
{
    Subscription events(host.hub(), id, 0);
    while (auto seen = co_await events.next())
        if (const auto* event = std::get_if<EventPtr>(&*seen))
            say("event", to_string(id), std::to_string((*event)->number));
}

Async<> drive(Host& host, Queries& queries, int number)
{
    const Id id = task_id(number);
    AsyncScope watching(co_await this_context());
    watching.spawn(watch(host, id));
    TaskSpec spec{.description = "storm " + std::to_string(number), .agent = "worker", .pattern = "storm@1"};
    if (co_await host.create(std::string(kLocalTenant), id, std::move(spec), team())) say("accepted", to_string(id));
    else co_await host.wake(id);
    co_await host.until_resting(id);
    const auto state = co_await queries.task(local_user("storm"), id);
    for (const OpenQuestion& open : state->questions) {
        const auto* key = open.request.context.if_contains("key");
        say("question", to_string(id), open.request.id, model::to_json_text(open.request.type),
            key ? std::string(key->as_string()) : "-");
    }
    say("rest", to_string(id), model::to_json_text(state->status), state->reply ? state->reply->text : state->error);
    co_await watching.close();
}

Async<> answer(Commands& commands, std::string id, std::string request, std::string verb)
{
    model::HumanAnswer said{.verb = model::from_text<model::HumanVerb>('"' + verb + '"')};
    if (said.verb == model::HumanVerb::happened) said.updates["result"] = "counted";
    co_await commands.answer(local_user(""), id_from(id), request, std::move(said));
    say("answered", id, request);
}

Async<> everything(Host& host, Queries& queries, int tasks, std::vector<std::string> question)
{
    Commands commands(host, queries);
    if (!question.empty()) co_await answer(commands, question[0], question[1], question[2]);
    std::vector<Async<>> all_of_them;
    for (int i = 0; i < tasks; ++i) all_of_them.push_back(drive(host, queries, i));
    co_await all(std::move(all_of_them));
    co_await host.close();
}

int run_storm(const std::filesystem::path& folder, const std::filesystem::path& ledger, int tasks,
              std::vector<std::string> question)
{
    std::filesystem::create_directories(ledger);
    const auto lock = storage::HomeLock::try_acquire(folder);
    if (!lock) throw Error(Code::unavailable, "somebody has the folder");
    net::Loop loop;
    ThreadPool pool(4);
    const auto store = storage::SqliteStore::open(folder);
    tools::Registry registry;
    for (const char* name : {"prepared", "once_0", "once_1", "once_2", "published"})
        registry.add(std::make_shared<Counter>(name, model::Effect::once, ledger));
    registry.add(std::make_shared<Counter>("again", model::Effect::idempotent, ledger));
    Patterns patterns;
    patterns.add({"storm@1", storm});
    const Env env{.loop = loop,
                  .pool = pool,
                  .random = system_random(),
                  .store = *store,
                  .tools = registry,
                  .models = [model = std::make_shared<Echo>()](const model::LlmConfig&, const Id&,
                                                               const std::string&) { return model; },
                  .workspace = [folder](const Id&) { return folder; },
                  .log = Log(descriptor_sink(STDERR_FILENO), Level::warning)};
    Host host(env, patterns);
    Queries queries(*store, &host);
    cadre::run(loop, everything(host, queries, tasks, std::move(question)));
    return 0;
}

}  // namespace

int main(int count, char** words)
{
    if (count != 4 && count != 8) return 2;
    if (const char* place = std::getenv("CADRE_CRASH_AT")) crash_at(place);
    try {
        std::vector<std::string> question;
        for (int i = 5; i < count; ++i) question.emplace_back(words[i]);
        return run_storm(words[1], words[2], std::atoi(words[3]), std::move(question));
    } catch (const std::exception& error) {
        std::fprintf(stderr, "storm: %s\n", error.what());
        return 1;
    }
}
