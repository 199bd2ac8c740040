#include "through_home.hpp"

#include "cadre/engine.hpp"
#include "samples.hpp"
#include "storage/temporary_folder.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <thread>

namespace cadre::bench {
namespace {

namespace fs = std::filesystem;

constexpr const char* kEcho = R"({"message":"a short text, as most are"})";

/// A project, and an engine that works on it.
class Place {
public:
    Place(const std::string& file, const std::string& text, bool durable)
    {
        write("cadre.yaml", "version: 1.0.0\n");
        write(".env", "OPENAI_API_KEY=bench\n");
        write(file, text);
        engine.emplace(EngineOptions{.home = durable ? folder_.path() / "home" : fs::path(),
                                     .project = folder_.path() / "project"});
    }

private:
    void write(const std::string& name, const std::string& text)
    {
        const fs::path file = folder_.path() / "project" / name;
        fs::create_directories(file.parent_path());
        std::ofstream(file) << text;
    }

    storage::TemporaryFolder folder_;

public:
    std::optional<Engine> engine;  // last: it works in the folder until it is gone
};

void expect_completed(const Outcome& outcome)
{
    if (outcome.status != Status::completed) throw std::runtime_error("a task has not completed: " + outcome.text);
}

void expect_said(std::string_view text, const Outcome& outcome)
{
    expect_completed(outcome);
    if (outcome.text != text) throw std::runtime_error("a call has failed: " + outcome.text);
}

template <class Work>
std::vector<double> measure(int rounds, int pieces, const Work& work)
{
    std::vector<double> us;
    for (int round = 0; round <= rounds; ++round) {
        const double before = cpu_seconds();
        work();
        if (round > 0) us.push_back((cpu_seconds() - before) * 1e6 / pieces);  // the first one makes everything warm
    }
    return us;
}

}  // namespace

std::vector<double> calls_through_home(const std::vector<std::string>& server, int calls, int rounds, bool durable)
{
    std::string arguments;
    for (std::size_t i = 1; i < server.size(); ++i) arguments += (i > 1 ? ", " : "") + server[i];
    Place place("config/mcp_servers.yaml",
                fmt::format("servers:\n  - name: mock\n    transport: stdio\n    config: {{command: {}, args: [{}]}}\n",
                            server.front(), arguments),
                durable);
    place.engine->add_pattern("calls@1", [calls](Run& run) -> Async<std::string> {
        for (int i = 0; i < calls; ++i)
            if (const ToolReply reply = co_await run.use("echo", kEcho); reply.failed) co_return reply.text;
        co_return "done";
    });
    const Agent agent{.name = "caller", .tools = {"mock.echo"}};
    return measure(rounds, calls,
                   [&] { expect_said("done", place.engine->run(agent, "Call.", {.pattern = "calls@1"})); });
}

std::vector<double> tasks_through_home(const std::string& vendor, int tasks, int at_once, int rounds, bool durable)
{
    Place place("config/providers.yaml", fmt::format("providers:\n  openai:\n    base_url: {}\n", vendor), durable);
    place.engine->tool("look", "Looks.", [](const std::string& what) { return what; });
    const Agent agent{.name = "worker", .tools = {"look"}, .model = "openai/gpt-5-mini"};
    return measure(rounds, tasks, [&] {
        for (int begun = 0; begun < tasks; begun += at_once) {
            std::vector<Task> running;
            for (int i = 0; i < at_once; ++i) running.push_back(place.engine->start(agent, "Look."));
            for (Task& task : running) expect_completed(task.wait());
        }
    });
}

}  // namespace cadre::bench
