#include "base/join.hpp"
#include "mcp/scripted_server_fixture.hpp"
#include "mcp/server.hpp"
#include "mcp/stdio_transport.hpp"
#include "net/http_client.hpp"
#include "net/loop.hpp"
#include "net/process_tree.hpp"
#include "support/wait_until.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <unistd.h>

#include <unistd.h>

using namespace cadre;
using namespace cadre::mcp;
using namespace cadre::mcp::test;
using namespace std::chrono_literals;

namespace {

/// A server in the shell: `script` runs for each line that comes, with the line in $line and its id in $id.
net::ProcessPlan shell(const std::string& script)
{
    const std::string loop = R"(
        answer() { printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$id" "$1"; }
        greeting='{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"sh","version":"1"}}'
        while read -r line; do
            id=${line#*\"id\":}; id=${id%%,*}
            case $line in
            *initialize\"*) answer "$greeting" ;;
            *server/discover*) printf '{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"no"}}\n' "$id" ;;
            *tools/call*) )" +
                             script + R"( ;;
            esac
        done)";
    return {.argv = {"/bin/sh", "-c", loop}, .environment = {"PATH=/usr/bin:/bin"}};
}

struct Started {
    explicit Started(const std::string& script, MessageLimits limits = {})
    {
        auto made = std::make_unique<StdioTransport>(loop, shell(script), "sh", Log(sink, Level::debug), limits);
        pid = made->pid();
        client = std::make_unique<Client>(loop, std::move(made), ClientOptions{.server = "sh"}, quiet());
        run(loop, client->open());
    }
    std::string call(Millis limit = 20s)
    {
        try {
            return cadre::to_text(json::value(run(loop, client->call_tool("a", {}, {.idle = limit}))));
        } catch (const tools::NotDispatched& error) {
            return std::string("!") + error.what();
        } catch (const Error& error) {
            return error.what();
        }
    }
    /// Whether anything of its group runs. Orphans that are dead wait for whoever reaps them, which is not us.
    bool lives() const
    {
        for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
            std::ifstream file(entry.path() / "stat");
            std::string stat;
            if (!std::getline(file, stat)) continue;
            std::istringstream rest(stat.substr(std::min(stat.size(), stat.rfind(')') + 1)));
            char state = 'Z';
            int parent = 0, group = 0;
            if (rest >> state >> parent >> group && group == pid && state != 'Z' && state != 'X') return true;
        }
        return false;
    }
    /// What was killed may take a moment on a busy machine.
    bool dies() const
    {
        return cadre::test::wait_until([this] { return !lives(); });
    }

    net::Loop loop;
    std::shared_ptr<Silent> sink = std::make_shared<Silent>();
    std::unique_ptr<Client> client;
    int pid = 0;
};

Async<> call_once(Server& server, std::size_t& answers)
{
    const auto client = co_await server.client();
    const json::object result = co_await client->call_tool("a", {});
    if (result.at("n") == 1) ++answers;
}

}  // namespace

TEST_CASE("stdio: noise between the messages and words on standard error go to the log")
{
    Started server(R"(echo noise; echo '{"half'; echo words >&2; answer '{"n":1}')");
    CHECK(server.call() == R"({"n":1})");
    CHECK(server.call() == R"({"n":1})");
    run(server.loop, server.client->close());
    CHECK(server.sink->text == Has("not a message"));
    CHECK(server.sink->text == Has("words"));
    server.client.reset();
    CHECK(server.dies());
}

TEST_CASE("stdio: a server that dies in the middle of a call says so, and what follows was never sent")
{
    Started server("exit 3");
    CHECK(server.call() == "MCP server sh: ended with exit code 3 before tools/call was answered");
    CHECK(server.call() == "!MCP server sh: ended with exit code 3");
}

TEST_CASE("stdio: a line without end costs the connection, not the memory")
{
    Started server("head -c 3000000 /dev/zero | tr '\\0' x", {.bytes = 1 << 20});
    CHECK(server.call() == Has("sent a line of more than 1048576 bytes"));
    CHECK_FALSE(server.client->is_open());
}

TEST_CASE("stdio: a silent server holds a call until its deadline, and goes with all that it started")
{
    Started server("sleep 600 & sleep 600");
    CHECK(server.call(200ms) == Has("did not answer tools/call within 200 ms"));
    const Instant before = server.loop.now();
    run(server.loop, server.client->close());
    CHECK(server.loop.now() - before < 10s);
    server.client.reset();
    CHECK(server.dies());
}

TEST_CASE("stdio: fifty servers are started at once, answer at once, and leave nothing behind")
{
    constexpr std::size_t kServers = 50;
    net::Loop loop;
    net::HttpClient http(loop);
    const net::ProcessPlan plan = shell(R"(answer '{"n":1}')");
    const ServerEntry entry{.name = "sh", .argv = plan.argv, .environment = plan.environment};
    std::vector<std::unique_ptr<Server>> servers;
    for (std::size_t i = 0; i < kServers; ++i)
        servers.push_back(std::make_unique<Server>(loop, entry, connector(loop, http, entry, quiet()), quiet()));
    const auto each = [&](auto work) {
        std::vector<Async<>> works;
        for (const auto& server : servers) works.push_back(work(*server));
        run(loop, all(std::move(works)));
    };
    std::size_t answers = 0;
    each([&](Server& server) { return call_once(server, answers); });
    CHECK(answers == kServers);
    CHECK(net::descendants_of(::getpid(), 4 * kServers).size() == 2 * kServers);  // each with its keeper
    for (const auto& server : servers) CHECK(server->starts() == 1);
    each([](Server& server) { return server.close(); });
    servers.clear();
    CHECK(net::descendants_of(::getpid(), 1).empty());
}
