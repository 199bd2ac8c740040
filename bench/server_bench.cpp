// What `cadre serve` costs: CPU of its process for each request, beside a server that only parses the request and writes the same bytes; how
// many tasks it accepts in a second, each on the disk before it is answered; what a stream that nobody writes to holds; how soon it is ready.
#include "load_client.hpp"
#include "machine.hpp"
#include "stream_readers.hpp"

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <random>
#include <stdexcept>
#include <string>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace fs = std::filesystem;
using namespace cadre::bench;

namespace {

constexpr std::string_view kProject = R"(version: 1.0.0
model: script:script.yaml
team: desk
server:
  public_url: http://127.0.0.1
  connections_per_address: 20000
  connections: 20000
  rates:
    read: {requests: 1000000, seconds: 1}
    write: {requests: 1000000, seconds: 1}
    create: {requests: 1000000, seconds: 1}
    stream: {requests: 1000000, seconds: 1}
    admin: {requests: 1000000, seconds: 1}
)";
constexpr std::string_view kTeam = R"({"name":"desk","description":"d","default_llm":{},"tools":[],
"agents":[{"name":"ann","role":"r","prompt":"p","tools":["ask_human"]}]})";
constexpr std::string_view kScript = "- {text: Done., times: any}\n";

void write(const fs::path& file, std::string_view text)
{
    fs::create_directories(file.parent_path());
    std::ofstream(file) << text;
}

/// `cadre serve` in a folder of its own, which goes with it.
class Served {
public:
    Served()
    {
        std::string name = (fs::temp_directory_path() / "server_bench.XXXXXX").string();
        if (!::mkdtemp(name.data())) throw std::runtime_error("no folder for the benchmark");
        folder_ = name;
        write(folder_ / "cadre.yaml", kProject);
        write(folder_ / "teams/desk.json", kTeam);
        write(folder_ / "script.yaml", kScript);
        start();
    }
    Served(const Served&) = delete;
    Served& operator=(const Served&) = delete;
    ~Served()
    {
        stop();
        std::error_code ignored;
        fs::remove_all(folder_, ignored);
    }

    void start()
    {
        int ends[2];
        if (::pipe2(ends, O_CLOEXEC) != 0) throw std::runtime_error("no pipe");
        const auto began = SteadyClock::now();
        pid_ = ::fork();
        if (pid_ == 0) {
            ::dup2(ends[1], STDOUT_FILENO);
            if (::chdir(folder_.c_str()) != 0) std::_Exit(1);
            ::setenv("CADRE_HOME", (folder_ / "home").c_str(), 1);
            ::setenv("CADRE_LOG_LEVEL", "info", 1);
            const std::string program = find_program();
            ::execl(program.c_str(), "cadre", "serve", "--json", "--listen", "127.0.0.1:0", nullptr);
            std::_Exit(1);
        }
        ::close(ends[1]);
        std::array<char, 4096> space;
        const ssize_t got = ::read(ends[0], space.data(), space.size());
        ready_seconds = seconds_since(began);
        ::close(ends[0]);
        if (got <= 0) throw std::runtime_error("cadre serve did not start");
        const std::string greeting(space.data(), static_cast<std::size_t>(got));
        const std::size_t at = greeting.find("127.0.0.1:") + 10;
        port = static_cast<std::uint16_t>(std::stoi(greeting.substr(at)));
        std::ifstream(folder_ / "home/server/token") >> token;
    }
    void stop()
    {
        if (pid_ <= 0) return;
        ::kill(pid_, SIGINT);
        ::waitpid(pid_, nullptr, 0);
        pid_ = 0;
    }

    std::string request(std::string_view method, const std::string& path, std::string_view body = {},
                        std::string_view more = {}) const
    {
        std::string text = std::string(method) + " " + path + " HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer " +
                           token + "\r\n" + std::string(more);
        if (!body.empty())
            text += "Content-Type: application/json\r\nContent-Length: " + std::to_string(body.size()) + "\r\n";
        return text + "\r\n" + std::string(body);
    }
    /// The body of one answer.
    std::string ask(std::string_view method, const std::string& path, std::string_view body = {}) const
    {
        const std::string text = request(method, path, body);
        const Loaded one =
            put_load({.port = port, .connections = 1, .requests = 1, .request = [&](std::size_t) { return text; }});
        if (one.refused) throw std::runtime_error(path + ": " + one.first);
        return one.first.substr(one.first.find("\r\n\r\n") + 4);
    }

    std::uint16_t port = 0;
    std::string token{};
    double ready_seconds = 0;
    pid_t pid() const { return pid_; }

private:
    fs::path folder_;
    pid_t pid_ = 0;
};

std::string member(const std::string& json, const std::string& name)
{
    const std::string key = "\"" + name + "\":\"";
    const std::size_t at = json.find(key) + key.size();
    return json.substr(at, json.find('"', at) - at);
}

/// CPU of the server's process for a request, in µs.
double cost_of(pid_t process, const Load& load, Loaded& loaded)
{
    const double before = cpu_seconds_of(process);
    loaded = put_load(load);
    if (loaded.refused) throw std::runtime_error("refused: " + loaded.first);
    return (cpu_seconds_of(process) - before) / static_cast<double>(load.requests) * 1e6;
}

/// Beside a server that answers with the same bytes, in the same run.
void compare(const Served& served, const char* name, std::size_t requests, double aim,
             const std::function<std::string(std::size_t)>& request)
{
    Loaded ours, theirs;
    const Load load{.port = served.port, .connections = 64, .requests = requests, .request = request};
    put_load({.port = served.port, .connections = 64, .requests = requests / 10, .request = request});
    const double cost = cost_of(served.pid(), load, ours);
    const BareServer bare(ours.first);
    const double least =
        cost_of(bare.pid(), {.port = bare.port(), .connections = 64, .requests = requests, .request = request}, theirs);
    std::printf("%-44s %7.1f µs  bare %5.1f µs  %5.1f x (aim %.0f)  p99 %.2f ms\n", name, cost, least, cost / least,
                aim, ours.times.ms(0.99));
}

void ask_reads(const Served& served)
{
    const std::string live = served.request("GET", "/health/live");
    compare(served, "GET /health/live, 64 connections", 50'000, 2, [&](std::size_t) { return live; });
    std::vector<std::string> tasks;
    for (int i = 0; i < 2'000; ++i)
        tasks.push_back(member(served.ask("POST", "/tasks", R"({"description":"Later."})"), "id"));
    const std::string one = served.request("GET", "/tasks/" + tasks.front());
    compare(served, "GET /tasks/{id}, the same one", 20'000, 3, [&](std::size_t) { return one; });
    std::mt19937 random(7);
    compare(served, "GET /tasks/{id}, one of 2,000 at random", 20'000, 8,
            [&](std::size_t) { return served.request("GET", "/tasks/" + tasks[random() % tasks.size()]); });
    compare(served, "GET /tasks, 50 of them", 2'000, 100, [&](std::size_t) { return served.request("GET", "/tasks"); });
}

void ask_creates(const Served& served)
{
    const std::string body = R"({"description":"Later."})";
    for (const int clients : {1, 64, 256}) {
        Loaded loaded;
        const std::size_t requests = clients == 1 ? 300 : 6'000;
        const Load load{.port = served.port, .connections = clients, .requests = requests, .request = [&](std::size_t) {
                            return served.request("POST", "/tasks", body);
                        }};
        const double cost = cost_of(served.pid(), load, loaded);
        std::printf("POST /tasks, %3d clients: %6.0f/s  p50 %6.2f ms  p99 %6.2f ms  %6.1f µs of CPU each (aim at 256: "
                    "5,000/s)\n",
                    clients, static_cast<double>(requests) / loaded.seconds, loaded.times.ms(0.5),
                    loaded.times.ms(0.99), cost);
    }
}

/// 50 streams of a user, 1,000 of a tenant: so there are several of both.
void ask_streams(const Served& served)
{
    constexpr int kStreams = 2'000, kOfUser = 50, kOfTenant = 1'000;
    std::vector<std::pair<std::string, std::string>> users;  // key and a task of their tenant
    for (int i = 0; i < kStreams / kOfUser; ++i) {
        const std::string tenant = "t" + std::to_string(i * kOfUser / kOfTenant);
        const std::string body =
            R"({"subject":"u)" + std::to_string(i) + R"(","roles":["operator"],"tenant":")" + tenant + "\"}";
        users.emplace_back(member(served.ask("POST", "/keys", body), "key"), "");
    }
    for (auto& [key, task] : users) {
        const std::string body = R"({"description":"Later."})";
        const std::string text =
            "POST /tasks HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer " + key +
            "\r\nContent-Type: application/json\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
        const Loaded made = put_load(
            {.port = served.port, .connections = 1, .requests = 1, .request = [&](std::size_t) { return text; }});
        task = member(made.first, "id");
    }
    const double before = memory_of(served.pid());
    const auto upgrade = [&](int n) {
        const auto& [key, task] = users[static_cast<std::size_t>(n / kOfUser)];
        return "GET /tasks/" + task + "/stream HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer " + key +
               "\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: "
               "dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n";
    };
    const std::vector<int> held = held_connections(served.port, kStreams, upgrade);
    const double each = (memory_of(served.pid()) - before) / kStreams / 1024;
    std::printf("%d idle WebSockets: %.1f KiB each (aim 8), which is %.0f MiB for 10,000 (aim 120 in all)\n", kStreams,
                each, each * 10'000 / 1024);
    for (const int one : held) ::close(one);
}

/// One event, told to a thousand: each socket gets a frame of its own. Beside it a process that writes the same frames.
void ask_fan_out(const Served& served)
{
    constexpr int kSockets = 1'000, kOfUser = 50;
    constexpr std::size_t kEvents = 100;
    const auto key_for = [&](const std::string& user, const char* role) {
        return member(
            served.ask("POST", "/keys", R"({"subject":")" + user + R"(","roles":[")" + role + R"("],"tenant":"many"})"),
            "key");
    };
    const auto asked = [](const std::string& key, const std::string& what, const std::string& body) {
        return what + " HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer " + key +
               "\r\nContent-Type: application/json\r\nPrefer: wait=5\r\nContent-Length: " +
               std::to_string(body.size()) + "\r\n\r\n" + body;
    };
    const auto once = [&](const std::string& text) {
        const Loaded one = put_load(
            {.port = served.port, .connections = 1, .requests = 1, .request = [&](std::size_t) { return text; }});
        if (one.refused) throw std::runtime_error("refused: " + one.first);
        return one.first;
    };
    const std::string boss = key_for("boss", "operator");
    const std::string made =
        once(asked(boss, "POST /tasks", R"({"description":"Step by step.","execution_mode":"step","start":true})"));
    const std::string task = member(made, "id");
    const std::string says = asked(boss, "POST /tasks/" + task + "/intervene",
                                   R"({"intervention_type":"instruction","instruction":"Hurry."})");
    const auto say_all = [&](StreamReaders* readers, Samples* times) {
        const double before = cpu_seconds_of(served.pid());
        for (std::size_t n = 1; n <= kEvents; ++n) {
            const auto began = SteadyClock::now();
            once(says);
            if (readers) readers->until(n);
            if (times) times->add(seconds_since(began));
        }
        return cpu_seconds_of(served.pid()) - before;
    };
    const double alone = say_all(nullptr, nullptr);
    std::vector<std::string> keys;
    for (int i = 0; i < kSockets / kOfUser; ++i) keys.push_back(key_for("u" + std::to_string(i), "viewer"));
    StreamReaders readers(held_connections(served.port, kSockets, [&](int n) {
        return "GET /tasks/" + task + "/events?since=now HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer " +
               keys[static_cast<std::size_t>(n / kOfUser)] +
               "\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: "
               "dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n";
    }));
    Samples times;
    const double ours = say_all(&readers, &times) - alone;

    const BareServer bare(readers.last(), true);
    std::vector<int> plain;
    for (int i = 0; i < kSockets; ++i) plain.push_back(connected(bare.port()));
    StreamReaders beside(plain);
    const double before = cpu_seconds_of(bare.pid());
    for (std::size_t n = 1; n <= kEvents; ++n) {
        send_all(plain.front(), "GET / HTTP/1.1\r\n\r\n");
        beside.until(n);
    }
    const double theirs = cpu_seconds_of(bare.pid()) - before;
    const auto each = [](double seconds) { return seconds / kEvents * 1e3; };
    std::printf(
        "one event of %zu bytes to 1,000 WebSockets: %.2f ms of CPU  bare writes %.2f ms  %.2f x (aim 1.3)  from the "
        "request to the last reader p50 %.1f ms p99 %.1f ms (aim 15)\n",
        readers.last().size(), each(ours), each(theirs), ours / theirs, times.ms(0.5), times.ms(0.99));
}

}  // namespace

int main()
{
    require(find_program(), "build it: ninja cadre");
    rlimit files{};
    ::getrlimit(RLIMIT_NOFILE, &files);
    files.rlim_cur = files.rlim_max;
    ::setrlimit(RLIMIT_NOFILE, &files);
    say_load();
    try {
        Served served;
        std::printf("start to ready, an empty home: %.0f ms (aim 50); memory then: %.1f MiB (aim 30)\n",
                    served.ready_seconds * 1000, memory_of(served.pid()) / (1 << 20));
        ask_reads(served);
        ask_creates(served);
        ask_streams(served);
        ask_fan_out(served);
        served.stop();
        served.start();
        std::printf("start to ready, about 14,000 open tasks: %.0f ms (aim 2,000)\n", served.ready_seconds * 1000);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 1;
    }
    return 0;
}
