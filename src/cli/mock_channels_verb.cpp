#include "cli/mock_channels_verb.hpp"

#include "base/async.hpp"
#include "base/async_scope.hpp"
#include "base/error.hpp"
#include "base/json_writer.hpp"
#include "base/plural.hpp"
#include "base/run.hpp"
#include "base/signal.hpp"
#include "channels/mock/mock_vendors.hpp"
#include "cli/args.hpp"
#include "cli/console.hpp"
#include "cli/environment.hpp"
#include "cli/here.hpp"
#include "cli/interrupts.hpp"
#include "cli/output.hpp"
#include "cli/port.hpp"
#include "home/project/project.hpp"
#include "net/http_client.hpp"
#include "net/http_options.hpp"
#include "net/http_server.hpp"
#include "net/loop.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <deque>
#include <exception>
#include <string>
#include <utility>
#include <vector>

namespace cadre::cli {
namespace {

using channels::DeliveryStatus;
using channels::mock::MockFault;

constexpr Millis kMockChannelsGrace{1000};
constexpr std::size_t kMostTold = 10'000;
constexpr std::string_view kNoStatuses = "none";

/// Words with commas between them, of a flag that may be there several times.
std::vector<std::string> flag_words(const Args& args, std::string_view flag)
{
    std::vector<std::string> words;
    for (const std::string& text : args.all(flag))
        for (std::string_view rest = text; !rest.empty();) {
            const std::size_t end = std::min(rest.find(','), rest.size());
            words.emplace_back(rest.substr(0, end));
            rest.remove_prefix(std::min(end + 1, rest.size()));
        }
    return words;
}

channels::mock::MockOptions mock_options(const Args& args)
{
    const auto project = project_here();
    channels::mock::MockOptions options{.accounts = {project, &project->accounts()}};
    if (options.accounts->accounts.empty())
        throw Error(Code::not_found, "there are no accounts to play the vendors of; write config/accounts.yaml first");
    if (const auto server = args.find("deliver-to")) options.server = *server;
    for (const std::string& word : flag_words(args, "faults")) {
        const auto fault = channels::mock::find_mock_fault(word);
        if (!fault)
            throw Error(Code::invalid,
                        fmt::format("--faults: {} is none of {}", in_quotes(word), channels::mock::mock_fault_names()));
        options.faults.push_back(*fault);
    }
    if (args.has("statuses")) options.statuses.clear();
    for (const std::string& word : flag_words(args, "statuses")) {
        if (word == kNoStatuses) continue;
        const auto status = channels::find_delivery_status(word);
        if (!status)
            throw Error(Code::invalid,
                        fmt::format("--statuses: {} is none of accepted, sent, failed, delivered, read and none",
                                    in_quotes(word)));
        options.statuses.push_back(*status);
    }
    if (args.has("twice")) options.copies = 2;
    return options;
}

/// Lives on its loop.
class MockChannelsCommand {
public:
    MockChannelsCommand(const Args& args, const Output& output)
        : console_(output),
          http_(loop_, net::http_options(environment)),
          mock_(loop_, http_, with_lines(mock_options(args))),
          server_(loop_, mock_, {.port = port_from(args.find("port").value_or("0"))}),
          interrupts_(loop_),
          telling_(loop_)
    {}

    int run() { return cadre::run(loop_, serve()); }

private:
    channels::mock::MockOptions with_lines(channels::mock::MockOptions options)
    {
        accounts_ = options.accounts->accounts.size();
        if (!console_.output().quiet)
            options.told = [this](const std::string& line) {
                if (lines_.size() >= kMostTold) return;
                lines_.push_back(line);
                told_.notify();
            };
        return options;
    }

    Async<> tell()
    {
        while (true) {
            while (lines_.empty()) co_await told_.wait();
            for (const std::string& line : std::exchange(lines_, {})) co_await console_.note(line);
        }
    }

    Async<int> serve()
    {
        const Interrupts::GoodOrder order(interrupts_);
        telling_.spawn(tell());
        std::exception_ptr failure;
        try {
            co_await console_.out(greeting());
            co_await interrupts_.came();
        } catch (...) {
            failure = std::current_exception();
        }
        co_await mock_.close();
        co_await server_.close(kMockChannelsGrace);
        co_await telling_.close();
        co_await interrupts_.close();
        if (failure) std::rethrow_exception(failure);
        co_return 0;
    }

    std::string greeting() const
    {
        std::string text;
        if (console_.output().json) {
            JsonWriter out(text);
            out.begin_object().field("url", server_.url()).field("port", unsigned{server_.port()});
            out.field("accounts", std::uint64_t{accounts_}).end_object();
            return text + "\n";
        }
        return fmt::format("mock-channels listens on {} for {}; Ctrl-C ends it\n", server_.url(),
                           plural(accounts_, "account"));
    }

    net::Loop loop_;
    Console console_;
    std::size_t accounts_ = 0;
    std::deque<std::string> lines_;
    Signal told_;
    net::HttpClient http_;
    channels::mock::MockVendors mock_;
    net::HttpServer server_;
    Interrupts interrupts_;  // when nothing can go wrong any more: it must be closed
    AsyncScope telling_;     // last: it uses all of the above
};

int mock_channels(const Args& args, Output& output)
{
    return MockChannelsCommand(args, output).run();
}

}  // namespace

Verb mock_channels_verb()
{
    return {
        .name = "mock-channels",
        .summary = "Play Twilio and Meta for this project's accounts",
        .flags = {{.name = "port", .value = "N", .help = "Where to listen on 127.0.0.1; any free port when left out"},
                  {.name = "deliver-to",
                   .value = "URL",
                   .help = "Where webhooks go, in place of the public_url that they are signed for"},
                  {.name = "statuses",
                   .value = "WORDS",
                   .help = "What becomes of each message; sent,delivered without it; none: nothing is told"},
                  {.name = "faults",
                   .value = "WORDS",
                   .help = "What the first messages meet: ok, refuse, stop, later, expired, error, lost, cut, silent"},
                  {.name = "twice", .help = "Every webhook comes twice, at the same time"}},
        .text = "An account of config/accounts.yaml whose url is this program's sends to it in place of its vendor. "
                "What people "
                "write is said to it, and comes to the server as a signed webhook:\n\n"
                "POST /mock/say takes {\"account\", \"from\", \"text\"}, and says what the webhook was answered. GET "
                "/mock/sent "
                "lists the messages that were taken. POST /mock/faults takes {\"faults\": [\"lost\", \"later\"]}.\n\n"
                "Of the faults, lost, cut and silent take the message and do not say so: whether it was sent, the "
                "other side "
                "has to find out.",
        .examples = {{"cadre mock-channels --port 4030", "For url: http://127.0.0.1:4030"},
                     {"cadre mock-channels --faults ok,lost,later", "With faults"}},
        .run = mock_channels,
    };
}

}  // namespace cadre::cli
