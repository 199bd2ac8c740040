// How many MCP servers can be looked after at once? Each is a `cadre mock-mcp` of its own, over stdio.
//
//     mcp_servers_bench [COUNT]      500 without it
//
// Memory, descriptors and CPU are those of this process, not of the servers.
#include "allocations.hpp"
#include "base/async.hpp"
#include "base/join.hpp"
#include "base/json.hpp"
#include "base/run.hpp"
#include "base/timeout.hpp"
#include "machine.hpp"
#include "mcp/server.hpp"
#include "net/descriptor_limit.hpp"
#include "net/http_client.hpp"
#include "net/loop.hpp"
#include "samples.hpp"
#include "storage/temporary_folder.hpp"

#include <boost/json.hpp>
#include <fmt/core.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include <malloc.h>

using namespace cadre;
using namespace cadre::mcp;
using bench::cpu_seconds;
using bench::Samples;
using bench::seconds_since;
using bench::SteadyClock;

namespace {

namespace fs = std::filesystem;

constexpr Millis kIdle{5'000};

/// In KiB: "VmRSS:", "VmSwap:".
double status_of_self(const std::string& name)
{
    std::ifstream file("/proc/self/status");
    for (std::string word; file >> word;)
        if (word == name) {
            double kib = 0;
            file >> kib;
            return kib;
        }
    return 0;
}

std::size_t open_descriptors()
{
    return static_cast<std::size_t>(std::distance(fs::directory_iterator("/proc/self/fd"), fs::directory_iterator()));
}

/// Processes with that word on their command line, zombies too if they are ours: those have no command line any more.
std::size_t processes_with(const std::string& word)
{
    std::size_t found = 0;
    for (const auto& entry : fs::directory_iterator("/proc")) {
        std::ifstream file(entry.path() / "cmdline", std::ios::binary);
        const std::string line(std::istreambuf_iterator<char>(file), {});
        if (line.find(word) != std::string::npos) ++found;
    }
    std::ifstream children("/proc/thread-self/children");
    for (int pid = 0; children >> pid;) {
        std::ifstream file(fmt::format("/proc/{}/cmdline", pid));
        if (file.peek() == std::ifstream::traits_type::eof()) ++found;
    }
    return found;
}

Async<> greet(Server& server, Samples& times, int& modern)
{
    const auto begun = SteadyClock::now();
    const auto client = co_await server.client();
    times.add(seconds_since(begun));
    if (client->facts().era == Era::modern) ++modern;
}

Async<> echo(Server& server, Samples& times)
{
    const auto begun = SteadyClock::now();
    const auto client = co_await server.client();
    json::object arguments{{"message", server.name()}};
    const json::object result = co_await client->call_tool("echo", std::move(arguments));
    if (result.at("content").at(0).at("text").as_string() != server.name().c_str())
        throw Error(Code::upstream, "that was no echo");
    times.add(seconds_since(begun));
}

/// What was spent, on the wall and here, since it was made.
class Watch {
public:
    std::string text() const
    {
        return fmt::format("{:.2f} s, CPU here {:.3f} s", seconds_since(begun_), cpu_seconds() - cpu_);
    }

private:
    SteadyClock::time_point begun_ = SteadyClock::now();
    double cpu_ = cpu_seconds();
};

void look_after(std::size_t count)
{
    const storage::TemporaryFolder folder;
    const std::string mark = (folder.path() / "calls").string();
    net::Loop loop;
    net::HttpClient http(loop);
    const Log log(descriptor_sink(2), Level::warning);
    std::vector<std::unique_ptr<ServerEntry>> entries;
    std::vector<std::unique_ptr<Server>> servers;
    const auto each = [&](auto work) {
        std::vector<Async<>> all_of_it;
        for (const auto& server : servers) all_of_it.push_back(work(*server));
        run(loop, all(std::move(all_of_it)));
    };
    const std::size_t heap = bench::heap_in_use(), descriptors = open_descriptors();
    const double resident = status_of_self("VmRSS:");

    for (std::size_t i = 0; i < count; ++i) {
        ServerEntry entry{.name = fmt::format("mock{}", i),
                          .argv = {bench::find_program().string(), "mock-mcp", "--counter", mark}};
        entries.push_back(std::make_unique<ServerEntry>(std::move(entry)));
        servers.push_back(std::make_unique<Server>(loop, *entries[i], connector(loop, http, *entries[i], log), log));
    }
    Samples greeted, called;
    int modern = 0;
    const Watch greeting;
    each([&](Server& server) { return greet(server, greeted, modern); });
    fmt::print("all greeted: {}; p50 {:.0f}, p99 {:.0f} ms; {} of {} as modern\n", greeting.text(), greeted.ms(0.5),
               greeted.ms(0.99), modern, count);
    std::size_t starts = 0;
    for (const auto& server : servers) starts += static_cast<std::size_t>(server->starts());
    fmt::print("processes: {}, starts: {}\n", processes_with(mark), starts);

    const Watch calling;
    each([&](Server& server) { return echo(server, called); });
    fmt::print("one call to each, all at once: {}; p50 {:.1f}, p99 {:.1f} ms\n", calling.text(), called.ms(0.5),
               called.ms(0.99));

    ::malloc_trim(0);
    const auto per = [&](double what) { return what / double(count); };
    fmt::print("a server: {:.1f} KiB of heap, {:.1f} KiB resident, {:.2f} descriptors\n",
               per(double(bench::heap_in_use() - heap) / 1024), per(status_of_self("VmRSS:") - resident),
               per(double(open_descriptors() - descriptors)));

    const double before = cpu_seconds();
    run(loop, sleep_for(kIdle));
    fmt::print("idle for 5 s: CPU {:.1f} ms\n", (cpu_seconds() - before) * 1000);

    const Watch stopping;
    each([](Server& server) { return server.close(); });
    fmt::print("all stopped: {}\n", stopping.text());
    servers.clear();
    fmt::print("left behind: {} processes, {} descriptors\n", processes_with(mark), open_descriptors() - descriptors);
}

}  // namespace

int main(int count, char** words)
try {
    bench::require(bench::find_program(), "build it: ninja cadre");
    net::raise_descriptor_limit();
    bench::say_load();
    look_after(count > 1 ? static_cast<std::size_t>(std::atoi(words[1])) : 500);
    bench::say_load();
} catch (const Error& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
}
