// A scripted model as an HTTP server that speaks like OpenAI and like Anthropic, faults included: for everyone's tests and demos.
#pragma once

#include "base/async_fwd.hpp"
#include "base/time.hpp"
#include "net/http_server.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace cadre::llm {

class ScriptModel;

/// One request, as far as it went.
struct MockCall {
    std::string method{};
    std::string path{};
    std::string model{};
    std::string place{};  // of the entry that answered: `hello.yaml:3`; or nothing
    std::string error{};  // why it was refused; or nothing
    int nth = 0;
    int status = 0;  // 0: no answer was begun
    bool stream = false;
    bool gone = false;  // the client left before the end
    Millis took{0};
};

/// Handles requests of a net::HttpServer, which it outlives. Keys are never looked at.
class MockLlm final : public net::HttpHandler {
public:
    struct Hooks {
        std::function<void(const MockCall&)> ended{};         // must not throw
        std::function<Async<>(std::string body)> received{};  // every body, before it is answered
    };
    MockLlm(std::shared_ptr<ScriptModel> script, const Clock& clock, Hooks hooks);
    MockLlm(const MockLlm&) = delete;
    MockLlm& operator=(const MockLlm&) = delete;
    ~MockLlm() override;

    Async<> handle(net::HttpExchange& exchange) override;

    /// Of requests' bodies; pictures are large.
    static constexpr std::size_t kLargestBody = 32 << 20;

private:
    struct Turn;

    Async<> route(net::HttpExchange& exchange, MockCall& call);
    Async<> answer(Turn& turn);
    Async<> play(Turn& turn);
    Async<> play_whole(Turn& turn);
    Async<> play_stream(Turn& turn);
    Async<> play_oversized(Turn& turn);
    Async<> refuse(Turn& turn, int status, std::string message);
    std::string models() const;

    std::shared_ptr<ScriptModel> script_;
    const Clock& clock_;
    Hooks hooks_;
    std::uint64_t requests_ = 0;
};

}  // namespace cadre::llm
