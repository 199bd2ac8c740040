#include "cli/mock_llm_verb.hpp"

#include "base/async.hpp"
#include "base/async_scope.hpp"
#include "base/error.hpp"
#include "base/json.hpp"
#include "base/json_writer.hpp"
#include "base/plural.hpp"
#include "base/pool.hpp"
#include "base/redact.hpp"
#include "base/run.hpp"
#include "base/signal.hpp"
#include "cli/args.hpp"
#include "cli/console.hpp"
#include "cli/interrupts.hpp"
#include "cli/output.hpp"
#include "cli/port.hpp"
#include "llm/mock/mock_llm.hpp"
#include "llm/script.hpp"
#include "llm/script_file.hpp"
#include "net/http_server.hpp"
#include "net/loop.hpp"

#include <boost/json.hpp>
#include <fmt/core.h>

#include <deque>
#include <exception>
#include <fstream>
#include <memory>
#include <string>
#include <utility>

namespace cadre::cli {
namespace {

constexpr Millis kMockLlmGrace{1000};
/// Lines that wait for a slow reader; what is more is only counted.
constexpr std::size_t kMostLines = 10'000;

/// Request bodies, a JSON line each, written by a thread of its own.
class RequestFile {
public:
    explicit RequestFile(const std::string& file)
        : name_(file), stream_(std::make_shared<std::ofstream>(file, std::ios::app | std::ios::binary)), writer_(1)
    {
        if (!*stream_) throw Error(Code::unavailable, "cannot write to " + file);
    }

    Async<> add(std::string body)
    {
        const auto write = [stream = stream_, name = name_, body = std::move(body)] {
            *stream << line_of(body) << '\n' << std::flush;
            if (!*stream) throw Error(Code::unavailable, "cannot write to " + name);
        };
        co_await on(writer_, write);
    }

private:
    /// What is no JSON becomes a JSON string.
    static std::string line_of(const std::string& body)
    {
        try {
            return to_text(parse_json(body, {.bytes = llm::MockLlm::kLargestBody, .nodes = 1'000'000}));
        } catch (const Error&) {
            std::string line;
            append_json_string(line, body);
            return line;
        }
    }

    std::string name_;
    std::shared_ptr<std::ofstream> stream_;
    ThreadPool writer_;
};

std::string line_of(const llm::MockCall& call, bool json)
{
    std::string text;
    if (json) {
        JsonWriter out(text);
        out.begin_object().key("request").begin_object().field("method", call.method).field("path", call.path);
        out.field("status", call.status).field("model", call.model).field("nth", call.nth).field("entry", call.place);
        out.field("stream", call.stream).field("gone", call.gone).field("took_ms", std::int64_t{call.took.count()});
        if (!call.error.empty()) out.field("error", call.error);
        out.end_object().end_object();
        return redact(text) + "\n";
    }
    text = fmt::format("{} {} ", call.method, call.path);
    text += call.status ? std::to_string(call.status) : "no answer";
    if (!call.model.empty()) text += fmt::format(", model {}, call {}", call.model, call.nth);
    if (!call.place.empty()) text += ", " + call.place;
    if (call.stream) text += ", streamed";
    text += ", " + to_text(call.took);
    if (call.gone) text += ", cut off";
    if (!call.error.empty()) text += ": " + call.error;
    for (char& c : text)
        if (c == '\n') c = ' ';  // one request, one line
    return printable(redact(text)) + "\n";
}

/// Lives on its loop.
class MockLlmCommand {
public:
    MockLlmCommand(const Args& args, const Output& output)
        : console_(output),
          name_(args["script"]),
          script_(llm::ScriptModel::from_file(name_)),
          requests_(args.has("requests") ? std::make_unique<RequestFile>(args["requests"]) : nullptr),
          mock_(script_, loop_.clock(), hooks()),
          server_(loop_, mock_,
                  {.host = args.find("host").value_or("127.0.0.1"),
                   .port = port_from(args.find("port").value_or("0")),
                   .limits = {.body = llm::MockLlm::kLargestBody}}),
          interrupts_(loop_),
          logging_(loop_)
    {}

    int run() { return cadre::run(loop_, serve()); }

private:
    llm::MockLlm::Hooks hooks()
    {
        llm::MockLlm::Hooks out;
        if (!console_.output().quiet) out.ended = [this](const llm::MockCall& call) { log(call); };
        if (requests_) out.received = [this](std::string body) { return requests_->add(std::move(body)); };
        return out;
    }

    void log(const llm::MockCall& call)
    {
        if (lines_.size() >= kMostLines) return;
        lines_.push_back(line_of(call, console_.output().json));
        logged_.notify();
    }

    /// Until the end is near and everything is written.
    Async<> write_log()
    {
        while (true) {
            while (lines_.empty() && !ending_) co_await logged_.wait();
            if (lines_.empty()) co_return;
            std::string text;
            for (const std::string& line : std::exchange(lines_, {})) text += line;
            co_await console_.err(std::move(text));
        }
    }

    Async<int> serve()
    {
        const Interrupts::GoodOrder order(interrupts_);
        logging_.spawn(write_log());
        std::exception_ptr failure;
        try {
            co_await console_.out(greeting());
            co_await interrupts_.came();
        } catch (...) {
            failure = std::current_exception();
        }
        co_await server_.close(kMockLlmGrace);
        ending_ = true;
        logged_.notify();
        co_await logging_.join();
        if (!failure && !console_.output().quiet)
            for (const std::string& line : script_->left_over()) co_await console_.note("left over: " + line);
        co_await interrupts_.close();
        if (failure) std::rethrow_exception(failure);
        co_return 0;
    }

    std::string greeting() const
    {
        const std::string url = server_.url();
        std::string text;
        if (console_.output().json) {
            JsonWriter out(text);
            out.begin_object().field("url", url).field("port", unsigned{server_.port()}).key("environment");
            out.begin_object().field("OPENAI_BASE_URL", url + "/v1").field("OPENAI_API_KEY", "mock");
            out.field("ANTHROPIC_BASE_URL", url).field("ANTHROPIC_API_KEY", "mock").end_object().end_object();
            return text + "\n";
        }
        return fmt::format("mock-llm listens on {0} with {1} ({2}); Ctrl-C ends it\n"
                           "export OPENAI_BASE_URL={0}/v1 OPENAI_API_KEY=mock\n"
                           "export ANTHROPIC_BASE_URL={0} ANTHROPIC_API_KEY=mock\n",
                           url, printable(name_), plural(script_->lines().size(), "answer"));
    }

    net::Loop loop_;
    Console console_;
    std::string name_;
    std::shared_ptr<llm::ScriptModel> script_;
    std::unique_ptr<RequestFile> requests_;
    std::deque<std::string> lines_;
    Signal logged_;
    bool ending_ = false;
    llm::MockLlm mock_;
    net::HttpServer server_;
    Interrupts interrupts_;  // when nothing can go wrong any more: it must be closed
    AsyncScope logging_;     // last: it uses all of the above
};

int mock_llm(const Args& args, Output& output)
{
    if (!args.has("script")) throw UsageError("mock-llm: --script FILE is missing", *find_verb(program(), "mock-llm"));
    return MockLlmCommand(args, output).run();
}

}  // namespace

Verb mock_llm_verb()
{
    return {
        .name = "mock-llm",
        .summary = "Serve a scripted model over HTTP, as OpenAI and Anthropic do",
        .flags = {{.name = "script", .value = "FILE", .help = "The script that answers"},
                  {.name = "port", .value = "N", .help = "Where to listen; any free port when left out"},
                  {.name = "host", .value = "ADDRESS", .help = "The address to listen at; 127.0.0.1 when left out"},
                  {.name = "requests", .value = "FILE", .help = "Append the body of every request, a JSON line each"}},
        .text =
            "Programs that speak to a model's vendor can be tested without one: /v1/chat/completions and /v1/models "
            "of OpenAI, /v1/messages of Anthropic, whole and streamed, with tools, and with every fault that a "
            "script can have. Any key is accepted, and none is printed.\n\n"
            "The first line says where it listens, the next ones what to export. Each request is a line on standard "
            "error. Ctrl-C ends it and names entries that were not used.",
        .examples = {{"cadre mock-llm --script hello.yaml", "Any free port"},
                     {"cadre mock-llm --script hello.yaml --port 4010 --requests asked.jsonl", "Keep what was asked"},
                     {"cadre mock-llm --script hello.yaml --json | head -1 | jq -r .url", "Where it is"}},
        .run = mock_llm,
    };
}

}  // namespace cadre::cli
