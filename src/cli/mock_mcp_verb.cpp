#include "cli/mock_mcp_verb.hpp"

#include "base/async.hpp"
#include "base/error.hpp"
#include "base/json_writer.hpp"
#include "base/plural.hpp"
#include "base/pool.hpp"
#include "base/run.hpp"
#include "cli/args.hpp"
#include "cli/console.hpp"
#include "cli/interrupts.hpp"
#include "cli/output.hpp"
#include "cli/port.hpp"
#include "cli/version.hpp"
#include "config/finding.hpp"
#include "config/project.hpp"
#include "mcp/line_framing.hpp"
#include "mcp/mock/count_file.hpp"
#include "mcp/mock/http_door.hpp"
#include "mcp/mock/line_server.hpp"
#include "net/http_server.hpp"
#include "net/loop.hpp"

#include <fmt/core.h>

#include <cerrno>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <memory>
#include <string>
#include <unistd.h>
#include <utility>

namespace cadre::cli {
namespace {

constexpr Millis kMockMcpGrace{1000};
constexpr std::size_t kLongestLine = 16 << 20;
constexpr std::size_t kPiece = 64 << 10;

mcp::mock::ReadScript script_from(const Args& args)
{
    const auto file = args.find("script");
    if (!file) return {};
    std::error_code error;
    if (!std::filesystem::exists(*file, error) && !error)
        throw Error(Code::not_found, fmt::format("the script {} does not exist", *file));
    config::Findings findings;
    const auto text = config::read_file(*file, *file, findings);
    findings.raise();
    return mcp::mock::read_script(*text, *file);
}

mcp::mock::ServerOptions options_from(const Args& args)
{
    const std::string era = args.find("era").value_or("both");
    if (era != "both" && era != "modern" && era != "legacy")
        throw Error(Code::invalid, fmt::format("{} is not an era; give modern, legacy or both", in_quotes(era)));
    return {.modern = era != "legacy", .legacy = era != "modern", .version = std::string(build_info().version)};
}

/// A crash: nothing is written, closed or told.
[[noreturn]] void crash(int code)
{
    std::_Exit(code);
}

/// The next piece of standard input; empty at its end.
std::string read_piece()
{
    std::string piece(kPiece, '\0');
    ssize_t size = 0;
    do size = ::read(STDIN_FILENO, piece.data(), piece.size());
    while (size < 0 && errno == EINTR);
    piece.resize(size > 0 ? static_cast<std::size_t>(size) : 0);
    return piece;
}

/// Lives on its loop.
class MockMcpCommand {
public:
    MockMcpCommand(const Args& args, const Output& output)
        : console_(output),
          tools_(script_from(args), mcp::mock::count_in(args.find("counter").value_or(""))),
          mock_(tools_, loop_.clock(), options_from(args))
    {}

    int run_stdio() { return run(loop_, serve_stdio()); }
    int run_http(std::uint16_t port) { return run(loop_, serve_http(port)); }

private:
    Async<int> serve_stdio()
    {
        mcp::mock::LineServer lines(
            loop_, mock_, {.write = [this](std::string text) { return console_.out(std::move(text)); }, .exit = crash});
        mcp::LineFraming framing(kLongestLine);
        bool more = true;
        while (more) {
            std::string piece = co_await on(reader_, read_piece);
            more = !piece.empty();
            if (!more) piece = "\n";  // the last line may lack its end
            framing.feed(piece);
            while (const auto line = framing.next()) lines.take(*line);
        }
        co_await lines.end();
        co_await tell_left_over();
        co_return 0;
    }

    Async<int> serve_http(std::uint16_t port)
    {
        mcp::mock::HttpDoor door(mock_, crash);
        net::HttpServer server(loop_, door, {.port = port, .limits = {.body = kLongestLine}});
        Interrupts interrupts(loop_);
        const Interrupts::GoodOrder order(interrupts);
        std::exception_ptr failure;
        try {
            co_await console_.out(greeting(server));
            co_await interrupts.came();
        } catch (...) {
            failure = std::current_exception();
        }
        co_await server.close(kMockMcpGrace);
        if (!failure) co_await tell_left_over();
        co_await interrupts.close();
        if (failure) std::rethrow_exception(failure);
        co_return 0;
    }

    Async<> tell_left_over()
    {
        if (console_.output().quiet) co_return;
        for (const std::string& line : tools_.left_over()) co_await console_.note("left over: " + line);
    }

    std::string greeting(const net::HttpServer& server) const
    {
        const std::string url = server.url() + std::string(mcp::mock::HttpDoor::kPath);
        const std::size_t count = tools_.listed().size();
        std::string text;
        if (console_.output().json) {
            JsonWriter out(text);
            out.begin_object().field("url", url).field("port", unsigned{server.port()});
            out.field("tools", std::uint64_t{count}).end_object();
            return text + "\n";
        }
        return fmt::format("mock-mcp listens on {} with {}; Ctrl-C ends it\n", url, plural(count, "tool"));
    }

    net::Loop loop_;
    Console console_;
    mcp::mock::Tools tools_;
    mcp::mock::MockServer mock_;
    ThreadPool reader_{1};
};

int mock_mcp(const Args& args, Output& output)
{
    const bool http = args.has("http");
    if (!http && args.has("port"))
        throw UsageError("mock-mcp: --port goes with --http", *find_verb(program(), "mock-mcp"));
    const std::uint16_t port = port_from(args.find("port").value_or("0"));
    MockMcpCommand command(args, output);
    return http ? command.run_http(port) : command.run_stdio();
}

}  // namespace

Verb mock_mcp_verb()
{
    return {
        .name = "mock-mcp",
        .summary = "Serve scripted tools as an MCP server, over stdio or HTTP",
        .flags = {{.name = "http", .help = "Over streamable HTTP at 127.0.0.1, instead of stdio"},
                  {.name = "port", .value = "N", .help = "With --http, where to listen; any free port when left out"},
                  {.name = "era", .value = "ERA", .help = "modern (2026-07-28), legacy (all before it), or both"},
                  {.name = "script", .value = "FILE", .help = "More tools, and what they answer"},
                  {.name = "counter", .value = "FILE", .help = "Append the idempotency key of each call of counter"}},
        .text = "Programs that use tools of MCP servers can be tested with it: echo, add, sleep, fail, counter, crash, "
                "big and poll "
                "are built in, and a script adds others, with faults such as silence, noise, wrong ids and "
                "descriptions that "
                "change.\n\n"
                "Over stdio it ends when its input does. Over HTTP the first line says where it listens, and Ctrl-C "
                "ends it. "
                "Answers of the script that were used too seldom are named at the end.",
        .examples = {{"cadre mock-mcp --counter calls.txt", "Over stdio; as the command of an MCP server"},
                     {"cadre mock-mcp --http --port 4020 --script tools.yaml", "Over HTTP, with tools of your own"},
                     {"cadre mock-mcp --http --json | head -1 | jq -r .url", "Where it is"}},
        .run = mock_mcp,
    };
}

}  // namespace cadre::cli
