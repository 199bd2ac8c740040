// A process that is there to be killed: it runs tasks of a 20-step pattern with branches, an approval and tools that must run
// once, or of one with everything that structure.cpp has, on a real folder. crash_test.py kills it, starts it again and compares
// what three witnesses say.
//
//   storm PATTERN FOLDER LEDGER TASKS BUDGET    creates what is missing, resumes the rest, runs until nothing more happens by itself
//   storm … answer ID REQUEST VERB              first answers that question (approve, happened, not_happened)
//   storm … raise ID BUDGET                     first gives that task so much, and has it continue
//
// BUDGET: of each task, `1200tokens` or `$0.10`; `none`. What models cost is a line each in the file `billed/N` beside the ledger, in
// tokens, of which 20,000 are a dollar; N is the number of the task at the root. On stdout, a line each, as soon as it is true: `accepted ID`, `answered ID REQUEST`,
// `event ID N`, at the end of each task `rest ID STATUS TEXT` and for each open question `question ID REQUEST TYPE KEY`.
#include "crash/storm.hpp"
#include "base/async.hpp"
#include "base/crash_at.hpp"
#include "base/crash_point.hpp"
#include "base/join.hpp"
#include "base/pool.hpp"
#include "base/random.hpp"
#include "base/run.hpp"
#include "base/timeout.hpp"
#include "engine/commands.hpp"
#include "engine/host.hpp"
#include "engine/numbered_event.hpp"
#include "engine/queries.hpp"
#include "engine/run.hpp"
#include "engine/written.hpp"
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
using storm::count;
using storm::Counted;

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

void add_line(const std::filesystem::path& file, const std::string& text)
{
    const int descriptor = ::open(file.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    const std::string line = text + '\n';
    if (::write(descriptor, line.data(), line.size()) < 0) std::abort();
    ::fsync(descriptor);
    ::close(descriptor);
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
            crash_point("before_effect");
            add_line(file, key);
            crash_point("after_effect");
        });
        co_return tools::Result{.text = "counted"};
    }

private:
    model::Tool definition_;
    std::filesystem::path ledger_;
};

/// Bills a call when it comes in, whatever becomes of the one who asked.
class Echo final : public llm::Model {
public:
    explicit Echo(std::filesystem::path billed) : billed_(std::move(billed)) {}
    std::string spec() const override { return "echo"; }
    std::optional<llm::Prices> prices() const override { return llm::Prices{.input = kPrice, .output = kPrice}; }
    Async<llm::Completion> complete(llm::Request request, llm::ChunkSink& sink) override
    {
        llm::Completion completion{.text = "heard " + request.messages.back()->text,
                                   .usage = {.input = 7, .output = 3, .cost = 10 * kPrice}};
        const std::string& text = request.messages.back()->text;
        const auto number =
            text.find_first_of("0123456789", text.find("storm "));  // of the root: each message names it
        add_line(billed_ / std::to_string(std::atoi(text.c_str() + number)), "10");
        sink.chunk(completion.text);
        co_return completion;
    }

private:
    static constexpr double kPrice = 1.0 / 20'000;  // of a token
    std::filesystem::path billed_;
};

// ---- the pattern: 20 effects ----

constexpr Counted kTools[] = {
    {"prepared", model::Effect::once}, {"once_0", model::Effect::once},    {"once_1", model::Effect::once},
    {"once_2", model::Effect::once},   {"published", model::Effect::once}, {"again", model::Effect::idempotent},
};

Async<std::string> branch(Run& run, int number)
{
    run.tell("branch " + std::to_string(number) + " of " + run.prompt());
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

Async<model::Reply> play_storm(Run& run)
{
    std::string all = co_await run.node("prepare", prepare);
    for (const std::string& one : co_await run.map(std::vector<int>{0, 1, 2}, branch)) all += ", " + one;
    const auto answer = co_await run.ask({.agent = "worker", .context = {{"question", "publish?"}}});
    if (answer.verb != model::HumanVerb::approve) throw Error(Code::cancelled, "rejected");
    co_await count(run, "published");
    run.tell(all);
    co_return run.reply((co_await run.think(run.agent())).text);
}

model::Team team_with(std::span<const Counted> counted)
{
    model::Agent agent{.name = "worker", .role = "works", .prompt = "Work."};
    for (const Counted& tool : counted) agent.tools.emplace_back(tool.name);
    model::Team team{.name = "storm", .agents = {std::move(agent)}};
    team.default_llm.max_tokens = 20;
    return team;
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

/// What the process was asked for.
struct Order {
    std::string pattern{};
    std::filesystem::path folder{};
    std::filesystem::path ledger{};
    int tasks = 1;
    Budget budget{};
    std::vector<std::string> first{};  // answer or raise, with its words

    std::span<const Counted> tools() const
    {
        return pattern == "storm@1" ? std::span(kTools) : storm::tools_of_structure();
    }
};

/// Also of a task that is not there yet, which is why no command is asked.
Async<> watch(Host& host, Id id)
{
    Subscription events(host.hub(), id, 0);
    while (auto seen = co_await events.next())
        if (const auto* event = std::get_if<EventPtr>(&*seen))
            say("event", to_string(id), std::to_string((*event)->number));
}

Async<> begin(Host& host, const Order& order, int number)
{
    const Id id = task_id(number);
    TaskSpec spec{.description = "storm " + std::to_string(number), .agent = "worker", .pattern = order.pattern};
    spec.budget = order.budget;
    if (co_await host.create(std::string(kLocalTenant), id, std::move(spec), team_with(order.tools())))
        say("accepted", to_string(id));
}

/// Until all have ended, or nothing more happens without somebody's help.
Async<> until_still(Host& host, Queries& queries)
{
    while (true) {
        co_await sleep_for(2ms);  // sleeps: between two looks at what the process is doing
        if (host.active() > 0) continue;
        const auto open = co_await queries.tasks(local_user("storm"), {.open_only = true, .limit = SIZE_MAX});
        bool needs_help = open.empty();
        for (const auto& entry : open) {
            const auto state = co_await queries.task(local_user("storm"), entry.task);
            needs_help = needs_help || !state->questions.empty() || state->pause_reason;
        }
        if (needs_help && host.active() == 0) co_return;
    }
}

void tell(const TaskState& state)
{
    for (const OpenQuestion& open : state.questions) {
        const auto* key = open.request.context.if_contains("key");
        say("question", to_string(state.id), open.request.id, model::to_json_text(open.request.type),
            key ? std::string(key->as_string()) : "-");
    }
    say("rest", to_string(state.id), model::to_json_text(state.status), state.reply ? state.reply->text : state.error);
}

Async<> help(Commands& commands, std::vector<std::string> words)
{
    const auto by = local_user("");
    const Id id = id_from(words[1]);
    if (words[0] == "raise") {
        co_await commands.raise_budget(by, id, budget_from(words[2]));
        co_return co_await commands.resume(by, id);
    }
    model::HumanAnswer said{.verb = model::from_text<model::HumanVerb>('"' + words[3] + '"')};
    if (said.verb == model::HumanVerb::happened) said.updates["result"] = "counted";
    co_await commands.answer(by, id, words[2], std::move(said));
    say("answered", words[1], words[2]);
}

Async<> everything(Host& host, Queries& queries, Order order)
{
    Commands commands(host, queries);
    AsyncScope watching(co_await this_context());
    for (int i = 0; i < order.tasks; ++i) watching.spawn(watch(host, task_id(i)));
    if (!order.first.empty()) co_await help(commands, order.first);
    std::vector<Async<>> all_of_them;
    for (int i = 0; i < order.tasks; ++i) all_of_them.push_back(begin(host, order, i));
    co_await all(std::move(all_of_them));
    co_await host.wake_all();
    co_await until_still(host, queries);
    for (const auto& entry : co_await queries.tasks(local_user("storm"), {.limit = SIZE_MAX}))
        tell(*co_await queries.task(local_user("storm"), entry.task));
    co_await host.close();
    co_await watching.close();
}

int run_storm(Order order)
{
    const std::filesystem::path billed = order.ledger.parent_path() / "billed";
    std::filesystem::create_directories(order.ledger);
    std::filesystem::create_directories(billed);
    const auto lock = storage::HomeLock::try_acquire(order.folder);
    if (!lock) throw Error(Code::unavailable, "somebody has the folder");
    net::Loop loop;
    ThreadPool pool(4);
    const auto store = storage::SqliteStore::open(order.folder);
    tools::Registry registry;
    for (const Counted& tool : order.tools())
        registry.add(std::make_shared<Counter>(tool.name, tool.effect, order.ledger));
    Patterns patterns;
    patterns.add({"storm@1", play_storm});
    storm::add_structure(patterns);
    const Env env{.loop = loop,
                  .pool = pool,
                  .random = system_random(),
                  .store = *store,
                  .tools = registry,
                  .models = [model = std::make_shared<Echo>(billed)](const model::LlmConfig&, const Id&,
                                                                     const std::string&) { return model; },
                  .workspace = [folder = order.folder](const Id&) { return folder; },
                  .log = Log(descriptor_sink(STDERR_FILENO), Level::warning)};
    Host host(env, patterns);
    Queries queries(*store, &host);
    cadre::run(loop, everything(host, queries, std::move(order)));
    return 0;
}

}  // namespace

Async<> cadre::storm::count(Run& run, std::string tool, boost::json::object arguments)
{
    std::vector<model::ToolCall> calls{{.id = "call", .tool_name = std::move(tool), .args = std::move(arguments)}};
    co_await run.use(run.agent(), std::move(calls));
}

int main(int count, char** words)
{
    if (count < 6) return 2;
    engine::checks_records = true;
    if (const char* place = std::getenv("CADRE_CRASH_AT")) crash_at(place);
    try {
        return run_storm({.pattern = words[1],
                          .folder = words[2],
                          .ledger = words[3],
                          .tasks = std::atoi(words[4]),
                          .budget = std::strcmp(words[5], "none") == 0 ? Budget{} : budget_from(words[5]),
                          .first = {words + 6, words + count}});
    } catch (const std::exception& error) {
        std::fprintf(stderr, "storm: %s\n", error.what());
        return 1;
    }
}
