// What does a call of an MCP tool cost its client, and how many go in a second? Beside it: npm's MCP clients (mcp_bench.mjs) with the
// same server, `cadre mock-mcp`, in the same run. CPU is that of the client's process alone, user and system, all threads.
//
//     mcp_bench [WAY…] [alone]      stdio http; both without arguments. alone: without npm's, for a profiler
//
// "Memory" and "durable" are the same calls by a task, through a project and a home. "Bare" is the least that anybody can do over stdio: a line written, a line read and parsed, one after the other.
#include "allocations.hpp"
#include "base/async.hpp"
#include "base/channel.hpp"
#include "base/join.hpp"
#include "base/json.hpp"
#include "base/run.hpp"
#include "machine.hpp"
#include "mcp/line_framing.hpp"
#include "mcp/server.hpp"
#include "net/http_client.hpp"
#include "net/loop.hpp"
#include "net/process.hpp"
#include "net/process_spawn.hpp"
#include "repeat.hpp"
#include "samples.hpp"
#include "through_home.hpp"

#include <boost/json.hpp>
#include <fmt/core.h>

#include <algorithm>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace cadre;
using namespace cadre::mcp;
using bench::cpu_seconds;
using bench::seconds_since;
using bench::SteadyClock;
using model::framework::TransportType;

namespace {

namespace fs = std::filesystem;

constexpr int kRounds = 7;
constexpr const char* kWord = "a short text, as most are";

struct Rounds {
    std::vector<double> cpu_us{}, per_second{};
    double allocations = 0;  // a call, of ours only

    double usual() const { return bench::median(cpu_us); }
    std::string text() const
    {
        const auto [least, most] = std::ranges::minmax(cpu_us);
        return fmt::format("{:7.1f} ({:.1f} to {:.1f}) {:8.0f}", usual(), least, most, bench::median(per_second));
    }
};

struct Case {
    TransportType way = TransportType::stdio;
    Era era = Era::legacy;
    int at_once = 1;

    bool is_http() const { return way != TransportType::stdio; }
    const char* era_name() const { return era == Era::modern ? "modern" : "legacy"; }
    int calls() const { return at_once == 1 ? 2'000 : 4'000; }
};

std::vector<std::string> server_command(Era era)
{
    return {bench::find_program().string(), "mock-mcp", "--era", era == Era::modern ? "modern" : "legacy"};
}

/// mock-mcp over HTTP, for as long as this lives.
class HttpPeer {
public:
    HttpPeer(net::Loop& loop, Era era) : process_(loop, plan(era))
    {
        const std::string said = run(loop, process_.read(4096));
        url_ = parse_json(said.substr(0, said.find('\n'))).at("url").as_string();
    }
    const std::string& url() const { return url_; }

private:
    static net::ProcessPlan plan(Era era)
    {
        net::ProcessPlan made{.argv = server_command(era)};
        made.argv.insert(made.argv.end(), {"--http", "--json"});
        return made;
    }

    net::Process process_;
    std::string url_;
};

Async<> several(Client& client, int count)
{
    for (int i = 0; i < count; ++i) {
        json::object arguments{{"message", kWord}};
        const json::object result = co_await client.call_tool("echo", std::move(arguments));
        if (result.at("content").at(0).at("text") != kWord) throw Error(Code::upstream, "that was no echo");
    }
}

void call(Loop& loop, Client& client, const Case& one)
{
    std::vector<Async<>> workers;
    for (int i = 0; i < one.at_once; ++i) workers.push_back(several(client, one.calls() / one.at_once));
    run(loop, all(std::move(workers)));
}

Rounds measure_ours(const Case& one, const std::string& url)
{
    net::Loop loop;
    net::HttpClient http(loop);
    const Log log(descriptor_sink(2), Level::error);
    const ServerEntry entry{.name = "mock", .transport = one.way, .argv = server_command(one.era), .url = url};
    Client client(loop, connector(loop, http, entry, log)(one.way), {.server = "mock"}, log);
    run(loop, client.open());
    call(loop, client, one);
    Rounds rounds;
    const std::size_t allocated = bench::allocations().count;
    for (int round = 0; round < kRounds; ++round) {
        const auto begun = SteadyClock::now();
        const double before = cpu_seconds();
        call(loop, client, one);
        rounds.cpu_us.push_back((cpu_seconds() - before) * 1e6 / one.calls());
        rounds.per_second.push_back(one.calls() / seconds_since(begun));
    }
    rounds.allocations = double(bench::allocations().count - allocated) / kRounds / one.calls();
    run(loop, client.close());
    return rounds;
}

// ---- a call that is counted: the client with a legacy server that answers at once, in this process ----

/// Messages become lines and lines become messages, as over stdio; what is missing is the pipe.
class Echoes final : public Transport {
public:
    void send(Outgoing message) override
    {
        const auto* request = std::get_if<Request>(&message.message);
        const std::string id = request ? mcp::to_text(request->id) : "";
        const std::string_view result = result_of(request);
        const std::string line = mcp::to_text(std::move(message.message));
        if (line.empty() || id.empty()) return;
        answer_ = fmt::format(R"({{"jsonrpc":"2.0","id":{},{}}})"
                              "\n",
                              id, result);
        lines_.feed(answer_);
        while (const auto said = lines_.next())
            for (Message& one : read_messages(*said)) inbox_.try_send(Arrived{std::move(one), {}});
    }
    bool abandon(std::int64_t) noexcept override { return false; }
    Async<std::optional<Incoming>> receive() override { co_return co_await inbox_.receive(); }
    std::string end() const override { return "ended"; }
    Async<> close() override
    {
        inbox_.close();
        co_return;
    }

private:
    static std::string_view result_of(const Request* request)
    {
        if (!request || request->method == "tools/call")
            return R"("result":{"content":[{"type":"text","text":"a short text, as most are"}]})";
        if (request->method == "initialize")
            return R"("result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},)"
                   R"("serverInfo":{"name":"echoes","version":"1"}})";
        return R"("error":{"code":-32601,"message":"unknown"})";
    }

    LineFraming lines_{1 << 20};
    std::string answer_;
    Channel<Incoming> inbox_{kInbox};
};

struct Echoed {
    Echoed() { run(loop, client.open()); }
    ~Echoed() { run(loop, client.close()); }

    net::Loop loop;
    Client client{loop, std::make_unique<Echoes>(), {.server = "echoes"}, Log(descriptor_sink(2), Level::error)};
};

std::vector<bench::Piece> pieces()
{
    return {{"call",
             [] { return [echoed = std::make_shared<Echoed>()] { run(echoed->loop, several(echoed->client, 1)); }; }}};
}

/// Blocking pipes and the parser, nothing else.
class BareClient {
public:
    BareClient() : process_(net::spawn({.argv = server_command(Era::legacy)}))
    {
        for (const int number : {process_.in, process_.out}) ::fcntl(number, F_SETFL, 0);
        ask(R"("method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},)"
            R"("clientInfo":{"name":"bare","version":"1"}})");
        put(R"({"jsonrpc":"2.0","method":"notifications/initialized"})"
            "\n");
    }
    BareClient(const BareClient&) = delete;
    BareClient& operator=(const BareClient&) = delete;
    ~BareClient()
    {
        for (const int number : {process_.in, process_.out, process_.err, process_.pidfd}) ::close(number);
        ::waitpid(process_.pid, nullptr, 0);
    }

    json::value ask(std::string_view request)
    {
        put(fmt::format(R"({{"jsonrpc":"2.0","id":{},{}}})"
                        "\n",
                        ++id_, request));
        std::string line;
        char piece[64 << 10];
        do {
            const ssize_t size = ::read(process_.out, piece, sizeof piece);
            if (size <= 0) throw Error(Code::upstream, "the server is gone");
            line.append(piece, static_cast<std::size_t>(size));
        } while (line.back() != '\n');
        return parse_json(line);
    }

private:
    void put(const std::string& text)
    {
        if (::write(process_.in, text.data(), text.size()) != static_cast<ssize_t>(text.size()))
            throw Error(Code::upstream, "the server does not read");
    }

    net::Spawned process_;
    int id_ = 0;
};

void say_bare()
{
    constexpr int kCalls = 2'000;
    BareClient client;
    Rounds rounds;
    const std::string request =
        fmt::format(R"("method":"tools/call","params":{{"name":"echo","arguments":{{"message":"{}"}}}})", kWord);
    for (int round = 0; round < kRounds + 1; ++round) {
        const auto begun = SteadyClock::now();
        const double before = cpu_seconds();
        for (int i = 0; i < kCalls; ++i)
            if (client.ask(request).at("result").at("content").at(0).at("text") != kWord)
                throw Error(Code::upstream, "that was no echo");
        if (round == 0) continue;  // so that everything is warm
        rounds.cpu_us.push_back((cpu_seconds() - before) * 1e6 / kCalls);
        rounds.per_second.push_back(kCalls / seconds_since(begun));
    }
    fmt::print("{:6} {:7} {:7} {:38}\n", "stdio", "bare", 1, rounds.text());
}

const fs::path kModules = fs::path(CADRE_SOURCE_DIR) / "tests/node/node_modules";

Rounds measure_theirs(const Case& one, const std::string& url)
{
    net::Loop loop;
    net::ProcessPlan plan{.argv = {kModules / ".bin/node", fs::path(CADRE_SOURCE_DIR) / "bench/mcp_bench.mjs",
                                   one.era_name(), std::to_string(one.calls()), std::to_string(one.at_once),
                                   std::to_string(kRounds)},
                          .on_error = [](std::string_view piece) { fmt::print(stderr, "{}", piece); }};
    std::vector<std::string> where = one.is_http() ? std::vector<std::string>{"http", url} : server_command(one.era);
    if (!one.is_http()) where.insert(where.begin(), "stdio");
    plan.argv.insert(plan.argv.end(), where.begin(), where.end());
    net::Process process(loop, std::move(plan));
    std::string said;
    while (true) {
        const std::string piece = run(loop, process.read(4096));
        if (piece.empty()) break;
        said += piece;
    }
    Rounds rounds;
    std::istringstream lines(said);
    for (double cpu = 0, speed = 0; lines >> cpu >> speed;) {
        rounds.cpu_us.push_back(cpu);
        rounds.per_second.push_back(speed);
    }
    if (rounds.cpu_us.size() != kRounds) throw Error(Code::upstream, "mcp_bench.mjs did not come to its end");
    return rounds;
}

/// The same calls as effects of a task, journaled, through a project and its home.
void compare_with_home(double client_us)
{
    for (const bool durable : {false, true}) {
        const auto us = bench::calls_through_home(server_command(Era::legacy), 2'000, kRounds, durable);
        const auto [least, most] = std::ranges::minmax(us);
        fmt::print("{:6} {:7} {:7} {:7.1f} ({:.1f} to {:.1f}), {:.2f} times the client's\n", "stdio",
                   durable ? "durable" : "memory", 1, bench::median(us), least, most, bench::median(us) / client_us);
        std::fflush(stdout);
    }
}

void compare(const Case& one, const std::string& url, bool alone)
{
    const Rounds ours = measure_ours(one, url);
    fmt::print("{:6} {:7} {:7} {:38} {:11.1f}", one.is_http() ? "http" : "stdio", one.era_name(), one.at_once,
               ours.text(), ours.allocations);
    if (!alone) {
        const Rounds theirs = measure_theirs(one, url);
        fmt::print(" {:38} {:6.1f}", theirs.text(), theirs.usual() / ours.usual());
    }
    fmt::print("\n");
    std::fflush(stdout);
    if (!one.is_http() && one.era == Era::legacy && one.at_once == 1) compare_with_home(ours.usual());
}

}  // namespace

int main(int count, char** words)
try {
    if (const auto code = bench::repeat(pieces(), count, words)) return *code;
    bench::require(bench::find_program(), "build it: ninja cadre");
    std::vector<std::string> asked(words + 1, words + count);
    const bool alone = std::erase(asked, "alone") > 0;
    if (!alone) bench::require(kModules / "@modelcontextprotocol/client", "fetch it: npm ci in tests/node, or ./test");
    const auto wants = [&](const char* way) { return asked.empty() || std::ranges::count(asked, way) > 0; };
    bench::say_load();
    fmt::print("{:6} {:7} {:7} {:38} {:11} {:38} {:6}\n", "way", "era", "at once",
               "CPU us a call (least to most), calls/s", "allocations", "npm's client", "times the CPU");
    if (wants("stdio")) say_bare();
    for (const Era era : {Era::legacy, Era::modern})
        for (const TransportType way : {TransportType::stdio, TransportType::streamable_http}) {
            if (!wants(way == TransportType::stdio ? "stdio" : "http")) continue;
            net::Loop loop;
            std::optional<HttpPeer> peer;
            if (way != TransportType::stdio) peer.emplace(loop, era);
            for (const int at_once : {1, 16}) compare({way, era, at_once}, peer ? peer->url() : "", alone);
        }
    bench::say_load();
} catch (const Error& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
}
