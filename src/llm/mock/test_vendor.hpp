// For tests: mock-llm and our client on one loop, with a real socket between them.
#pragma once

#include "llm/mock/mock_llm.hpp"
#include "llm/script.hpp"
#include "llm/test_http.hpp"
#include "net/http_client.hpp"
#include "net/loop.hpp"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace cadre::llm::test {

/// Of the two APIs, a provider that speaks it.
struct Api {
    std::string provider;
    std::string model;
    std::string path;  // of its base_url
};
inline const Api kApis[] = {{"openai", "gpt-5-mini", "/v1"}, {"anthropic", "claude-sonnet-4-5", ""}};

struct Pieces final : ChunkSink {
    void chunk(std::string_view piece) noexcept override { list.emplace_back(piece); }
    std::string text() const
    {
        std::string all;
        for (const std::string& piece : list) all += piece;
        return all;
    }
    std::vector<std::string> list;
};

/// What came of a request: a completion, or else an error.
struct Outcome {
    Completion completion{};
    std::optional<ModelError> error{};
    Pieces heard{};
};

/// An entry of a script that answers who says `<name>`, once over each API; `fields` are its others.
inline std::string entry(std::string_view name, std::string_view fields)
{
    return fmt::format("- {{when: {{contains: \"<{}>\"}}, times: {}, {}}}\n", name, std::size(kApis), fields);
}

inline Request saying(std::string_view name)
{
    Request request = hello();
    request.messages = {std::make_shared<const Message>(Message{.text = fmt::format("<{}>", name)})};
    return request;
}

class Vendor {
public:
    explicit Vendor(std::string_view script)
        : script_(ScriptModel::from_text(script, "suite.yaml")),
          mock_(script_, loop_.clock(), {.ended = [this](const MockCall& call) { calls.push_back(call); }}),
          server_(loop_, mock_, {}),
          http_(loop_)
    {}

    Endpoint at(const Api& api, Millis silence = Millis(10'000)) const
    {
        Endpoint made = endpoint(api.provider, api.model);
        made.base_url = server_.url() + api.path;
        made.silence = silence;
        return made;
    }

    Outcome ask(const Endpoint& at, Request request)
    {
        HttpModel model(http_, at);
        Outcome out;
        try {
            out.completion = run(loop_, model.complete(std::move(request), out.heard));
        } catch (const ModelError& error) {
            out.error = error;
        }
        return out;
    }

    net::Loop& loop() { return loop_; }
    net::HttpClient& http() { return http_; }
    std::vector<std::string> left_over() const { return script_->left_over(); }

    std::vector<MockCall> calls;  // that have ended

private:
    net::Loop loop_;
    std::shared_ptr<ScriptModel> script_;
    MockLlm mock_;
    net::HttpServer server_;
    net::HttpClient http_;
};

}  // namespace cadre::llm::test
