// What do teams cost? Beside each figure the same work without a team, in the same run:
//
//     team_bench [QUESTION…]      turns votes npm; all of them without arguments
//
// turns: three agents of team@1, by rules from one to the next, and the same three model calls as a plain chain (relay@1).
// votes: a consensus of 32 agents, and a proposal with 32 answers at once (`Run::map`), which nobody counts.
// npm: three agents, of whom the first hands over with a tool, against a vendor without latency in another process (`cadre mock-llm`), and
// the same team in LangGraph.js (team_bench.mjs). CPU is that of the process that runs the team, all threads.
#include "base/join.hpp"
#include "engine/host.hpp"
#include "engine/run.hpp"
#include "llm/endpoint.hpp"
#include "llm/http_model.hpp"
#include "llm/key_gate.hpp"
#include "machine.hpp"
#include "model/read.hpp"
#include "net/http_client.hpp"
#include "patterns/patterns.hpp"
#include "quick_world.hpp"
#include "samples.hpp"
#include "storage/memory/memory_store.hpp"
#include "storage/sqlite/sqlite_store.hpp"
#include "storage/temporary_folder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include <sys/wait.h>
#include <unistd.h>

using namespace cadre;
using bench::cpu_seconds;
using bench::median;

namespace {

namespace fs = std::filesystem;

constexpr int kRounds = 7;
constexpr int kVoters = 32;

std::string name_of_voter(int i)
{
    return "voter" + std::to_string(i);
}

model::Team team_with(const std::vector<std::string>& names, const std::string& more)
{
    std::string agents;
    for (const std::string& name : names)
        agents += fmt::format(
            R"({}{{"name":"{}","role":"Works.","prompt":"You work.","llm_config":{{"provider":"openai","model":"{}"}}}})",
            agents.empty() ? "" : ",", name, name);
    return model::from_text<model::Team>(fmt::format(
        R"({{"name":"bench","description":"x","default_llm":{{}},"tools":[],"agents":[{}]{}}})", agents, more));
}

/// Rules from each agent to the next: they are followed by themselves.
model::Team chain()
{
    return team_with({"planner", "reader", "writer"},
                     R"(,"handoff_rules":[{"from_agent":"planner","to_agent":"reader"},
                         {"from_agent":"reader","to_agent":"writer"}])");
}

model::Team council()
{
    std::vector<std::string> names;
    std::string list;
    for (int i = 0; i < kVoters; ++i) {
        names.push_back(name_of_voter(i));
        list += (i > 0 ? ",\"" : "\"") + names.back() + '"';
    }
    return team_with(names,
                     R"(,"collaboration_patterns":[{"name":"vote","type":"consensus","agents":[)" + list + "]}]");
}

/// What a consensus does, but for votes: one answer, then one of each agent, at once, each in a branch of its own.
Async<model::Reply> fan_out(engine::Run& run)
{
    std::vector<std::string> names;
    for (const engine::Agent& agent : run.agents()) names.push_back(agent.name);
    const auto ask = [](engine::Run& at, std::string name) -> Async<std::string> {
        at.tell(at.prompt());
        co_return (co_await at.think(at.agent(name))).text;
    };
    const std::string first = co_await run.node("propose", [&](engine::Run& at) { return ask(at, names.front()); });
    const engine::MapOptions<std::string> by_name{.key = [](const std::string& name) { return name; }};
    co_await run.map(names, by_name, ask);
    co_return run.reply(first);
}

/// A host in memory or on a disk.
struct Place {
    explicit Place(storage::Store& store) : world(store)
    {
        patterns::add_patterns(patterns);
        patterns.add({"fan_out@1", fan_out});
        host = std::make_unique<engine::Host>(world.env, patterns);
    }
    ~Place() { world.wait(host->close()); }

    Async<> one(const char* pattern, const model::Team& team)
    {
        const Id id = new_id(world.random);
        engine::TaskSpec spec{.description = "Write.", .agent = team.agents.front().name, .pattern = pattern};
        co_await host->create("local", id, std::move(spec), team);
        co_await host->until_resting(id);
        ++ended;
    }
    Async<> several(const char* pattern, const model::Team& team, int count)
    {
        for (int i = 0; i < count; ++i) co_await one(pattern, team);
    }
    /// CPU in microseconds of a run, `at_once` at a time.
    double measure(const char* pattern, const model::Team& team, int count, int at_once = 1)
    {
        const double before = cpu_seconds();
        std::vector<Async<>> workers;
        for (int i = 0; i < at_once; ++i) workers.push_back(several(pattern, team, count / at_once));
        world.wait(all(std::move(workers)));
        return (cpu_seconds() - before) * 1e6 / count;
    }
    /// Once, and whether it comes to its end.
    void expect_completed(const char* pattern, const model::Team& team, int model_calls)
    {
        const Id id = new_id(world.random);
        engine::TaskSpec spec{.description = "Write.", .agent = team.agents.front().name, .pattern = pattern};
        world.wait(host->create("local", id, std::move(spec), team));
        world.wait(host->until_resting(id));
        const engine::TaskState state = engine::fold(world.wait(world.env.store.read(id)));
        if (state.status == model::TaskStatus::completed && state.steps == model_calls) return;
        std::fprintf(stderr, "%s: %s, %d model calls instead of %d\n", pattern, state.error.c_str(), state.steps,
                     model_calls);
        std::exit(1);
    }

    bench::QuickWorld world;
    engine::Patterns patterns;
    std::unique_ptr<engine::Host> host;
    int ended = 0;
};

void say(const char* what, std::vector<double> ours, const char* beside, std::vector<double> theirs, double aim)
{
    const double ratio = median(ours) / median(theirs);
    std::printf("%s: %.1f us, %s %.1f us: %.2f x (aim: at most %.1f)%s\n", what, median(ours), beside, median(theirs),
                ratio, aim, ratio > aim ? ", missed" : "");
    std::fflush(stdout);
}

void ask_turns()
{
    constexpr int kRuns = 2000;
    storage::MemoryStore checked;
    storage::MemoryStore store({.discard = true});
    const model::Team team = chain();
    Place(checked).expect_completed("team@1", team, 3);
    Place(checked).expect_completed("relay@1", team, 3);
    Place place(store);
    std::vector<double> turns, chain_of;
    place.measure("team@1", team, kRuns);
    place.measure("relay@1", team, kRuns);
    for (int round = 0; round < kRounds; ++round) {
        turns.push_back(place.measure("team@1", team, kRuns));
        chain_of.push_back(place.measure("relay@1", team, kRuns));
    }
    say("a team of three turns", turns, "as a plain chain", chain_of, 1.2);
}

void ask_votes()
{
    constexpr int kRuns = 200;
    const auto answer = [](const llm::Request& request) -> std::optional<llm::Completion> {
        const bool votes = request.messages.back()->text.find("Vote on it") != std::string::npos;
        return llm::Completion{.text = votes ? R"({"vote":"approve","reasoning":"It is good."})"
                                             : R"({"decision":"Tea.","reasoning":"It is good."})",
                               .usage = {.input = 10, .output = 5}};
    };
    storage::MemoryStore checked;
    storage::MemoryStore store({.discard = true});
    const model::Team team = council();
    for (const char* pattern : {"team@1", "fan_out@1"}) {
        Place place(checked);
        place.world.model->answer = answer;
        place.expect_completed(pattern, team, kVoters + 1);
    }
    Place place(store);
    place.world.model->answer = answer;
    std::vector<double> votes, fans;
    place.measure("team@1", team, kRuns);
    place.measure("fan_out@1", team, kRuns);
    for (int round = 0; round < kRounds; ++round) {
        votes.push_back(place.measure("team@1", team, kRuns));
        fans.push_back(place.measure("fan_out@1", team, kRuns));
    }
    say("a consensus of 32", votes, "a fan-out of 32", fans, 2);
}

// ---- npm ----

/// `cadre mock-llm` with a script, for as long as this object lives.
class Vendor {
public:
    explicit Vendor(const fs::path& script)
    {
        const fs::path program = bench::find_program();
        bench::require(program, "build it: ninja cadre");
        std::array<int, 2> pipe{};
        if (::pipe(pipe.data()) != 0) std::exit(1);
        process_ = ::fork();
        if (process_ == 0) {
            ::dup2(pipe[1], STDOUT_FILENO);
            ::execl(program.c_str(), program.c_str(), "mock-llm", "--json", "--quiet", "--script", script.c_str(),
                    nullptr);
            std::_Exit(127);
        }
        ::close(pipe[1]);
        std::string line;
        for (char c = 0; ::read(pipe[0], &c, 1) == 1 && c != '\n';) line += c;
        ::close(pipe[0]);
        url = json::parse(line).at("url").as_string();
    }
    Vendor(const Vendor&) = delete;
    Vendor& operator=(const Vendor&) = delete;
    ~Vendor()
    {
        ::kill(process_, SIGTERM);
        ::waitpid(process_, nullptr, 0);
    }

    std::string url;

private:
    pid_t process_ = -1;
};

constexpr const char* kSays = R"([
    {"when":{"agent":"planner"},"tool_calls":[{"name":"handoff","arguments":{"to":"reader","reason":"Read it first."}}],"times":"any"},
    {"when":{"agent":"reader"},"text":"It is about tea, which comes from China.","times":"any"},
    {"when":{"agent":"writer"},"text":"Tea is a plant from China.","times":"any"}])";

/// The first one hands over with the tool: it could choose.
model::Team desk()
{
    return team_with({"planner", "reader", "writer"},
                     R"(,"handoff_rules":[{"from_agent":"planner","to_agent":"reader"},
                         {"from_agent":"planner","to_agent":"writer"},{"from_agent":"reader","to_agent":"writer"}])");
}

/// Each agent's model is at the vendor, with its limiter and its breaker, as `cadre run` has them.
struct Online : Place {
    Online(storage::Store& store, const std::string& url) : Place(store), http(world.loop)
    {
        gate = std::make_unique<llm::KeyGate>("openai", world.loop, world.random, world.env.log);
        host.reset();
        world.env.models = [this, url](const model::LlmConfig& wanted, const Id&, const std::string&) {
            auto& model = models[wanted.model];
            if (model) return model;
            model::LlmConfig config = wanted;
            config.api_key = "key";
            config.base_url = url + "/v1";
            llm::Endpoint endpoint =
                llm::endpoint_of(model::built_in_providers(), config, [](const std::string&) { return std::nullopt; });
            model = llm::patient(std::make_shared<llm::HttpModel>(http, std::move(endpoint), gate.get()));
            return model;
        };
        host = std::make_unique<engine::Host>(world.env, patterns);
    }

    net::HttpClient http;
    std::unique_ptr<llm::KeyGate> gate;
    std::map<std::string, std::shared_ptr<llm::Model>> models;
};

/// CPU in microseconds of a run in LangGraph.js, the median of its rounds.
double in_node(const std::string& url, int count, int at_once)
{
    const fs::path folder = fs::path(CADRE_SOURCE_DIR) / "bench";
    bench::require(folder / "langgraph/node_modules/@langchain/langgraph", "fetch it: npm ci in bench/langgraph");
    const char* given = std::getenv("CADRE_NODE");
    const fs::path node = given ? fs::path(given) : fs::path(CADRE_SOURCE_DIR) / "tests/node/node_modules/.bin/node";
    bench::require(node, "fetch it: npm ci in tests/node, or ./test");
    const std::string command =
        fmt::format("{} {} {} {} {} {}", node.string(), (folder / "langgraph/team_bench.mjs").string(), url, count,
                    at_once, kRounds);
    FILE* out = ::popen(command.c_str(), "r");
    std::vector<double> us;
    for (double one = 0; out && std::fscanf(out, "%lf", &one) == 1;) us.push_back(one);
    if (!out || ::pclose(out) != 0 || us.empty()) {
        std::fprintf(stderr, "LangGraph.js has failed: %s\n", command.c_str());
        std::exit(1);
    }
    return median(us);
}

void ask_npm()
{
    const storage::TemporaryFolder folder;
    const fs::path script = folder.path() / "says.json";
    std::ofstream(script) << kSays;
    const Vendor vendor(script);
    const model::Team team = desk();
    std::printf("%8s %14s %14s %16s %10s %10s\n", "at once", "in memory, us", "durable, us", "LangGraph.js, us",
                "times", "durable");
    for (const int at_once : {1, 64}) {
        const int count = at_once == 1 ? 300 : at_once * 8;
        storage::MemoryStore memory;
        const auto sqlite = storage::SqliteStore::open(folder.path() / std::to_string(at_once));
        Online quick(memory, vendor.url);
        Online durable(*sqlite, vendor.url);
        quick.expect_completed("team@1", team, 3);
        durable.expect_completed("team@1", team, 3);
        std::vector<double> in_memory, on_disk;
        quick.measure("team@1", team, count, at_once);
        for (int round = 0; round < kRounds; ++round) {
            in_memory.push_back(quick.measure("team@1", team, count, at_once));
            on_disk.push_back(durable.measure("team@1", team, count, at_once));
        }
        const double theirs = in_node(vendor.url, count, at_once);
        std::printf("%8d %14.1f %14.1f %16.1f %10.1f %10.1f\n", at_once, median(in_memory), median(on_disk), theirs,
                    theirs / median(in_memory), theirs / median(on_disk));
        std::fflush(stdout);
    }
}

}  // namespace

int main(int argc, char** argv)
{
    const auto asked = [&](const char* question) {
        return argc == 1 ||
               std::any_of(argv + 1, argv + argc, [&](const char* word) { return std::strcmp(word, question) == 0; });
    };
    bench::say_load();
    if (asked("turns")) ask_turns();
    if (asked("votes")) ask_votes();
    if (asked("npm")) ask_npm();
    bench::say_load();
}
