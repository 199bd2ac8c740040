// For tests: HTTP from a script, and a model that is asked over it.
#pragma once

#include "base/async.hpp"
#include "base/json.hpp"
#include "base/run.hpp"
#include "base/sim_loop.hpp"
#include "llm/http_model.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cadre::llm::test {

struct Scripted {
    int status = 200;
    net::HttpHeaders headers{};
    std::vector<std::string> pieces{};
    std::optional<net::HttpError> breaks{};   // after the pieces
    std::optional<net::HttpError> refused{};  // nothing comes at all
};

class ScriptedReply final : public net::HttpReply {
public:
    explicit ScriptedReply(Scripted script) : script_(std::move(script)) {}

    int status() const override { return script_.status; }
    const net::HttpHeaders& headers() const override { return script_.headers; }
    Async<std::optional<std::string_view>> read() override
    {
        if (next_ < script_.pieces.size()) {
            last_ = script_.pieces[next_++];  // a copy: who looks at the piece before sees nonsense
            co_return std::string_view(last_);
        }
        if (script_.breaks) throw *script_.breaks;
        co_return std::nullopt;
    }

private:
    Scripted script_;
    std::size_t next_ = 0;
    std::string last_;
};

/// Answers one request after the other, and keeps what was asked.
class ScriptedHttp final : public net::Http {
public:
    Async<std::unique_ptr<net::HttpReply>> send(net::HttpRequest request) override
    {
        asked.push_back(std::move(request));
        if (script.empty()) throw net::HttpError(Code::unavailable, "the script is at its end", false);
        Scripted next = std::move(script.front());
        script.pop_front();
        if (next.refused) throw *next.refused;
        co_return std::make_unique<ScriptedReply>(std::move(next));
    }

    std::deque<Scripted> script;
    std::vector<net::HttpRequest> asked;
};

struct Heard final : ChunkSink {
    void chunk(std::string_view piece) noexcept override { text += piece; }
    void throttled(Instant) noexcept override { ++waits; }
    std::string text;
    int waits = 0;
};

inline Endpoint endpoint(std::string_view provider, std::string_view model)
{
    Endpoint made{.provider = std::string(provider), .model = std::string(model)};
    made.vendor = *model::built_in_providers().providers.find(provider);
    made.facts = facts_of(made.vendor, model);
    made.base_url = made.vendor.base_url.value_or("https://models.example.org/v1");
    made.key = Secret("sk-test-0123456789abcdef");
    if (!made.vendor.key_variables.empty()) made.key_variable = made.vendor.key_variables.front();
    return made;
}

inline Request hello(std::vector<ToolSpec> tools = {{.name = "add"}, {.name = "files.read"}})
{
    return {.agent = "a",
            .messages = {std::make_shared<const Message>(Message{.text = "Hello"})},
            .tools = std::make_shared<const std::vector<ToolSpec>>(std::move(tools))};
}

/// `name(arguments)#id …`
inline std::string summary(const std::vector<model::ToolCall>& calls)
{
    std::string text;
    for (const model::ToolCall& call : calls)
        text += fmt::format("{}{}({})#{}", text.empty() ? "" : " ", call.tool_name, to_text(call.args), call.id);
    return text;
}

/// `input/output/cached/reasoning`, and a `~` where tokens are estimated.
inline std::string summary(const Usage& usage)
{
    return fmt::format("{}{}/{}/{}/{}", usage.estimated ? "~" : "", usage.input, usage.output, usage.cached,
                       usage.reasoning);
}

/// `text | calls | finish | usage`
inline std::string summary(const Completion& completion)
{
    return fmt::format("{} | {} | {} | {}", completion.text, summary(completion.calls), completion.finish_reason,
                       summary(completion.usage));
}

/// A model, asked again and again.
class Asked {
public:
    explicit Asked(const Endpoint& at) : model_(http_, at) {}

    /// What comes of an answer: the summary, or `code: text`, with `!` when it may be tried again and `shown` when text was shown.
    std::string outcome(Scripted script, Completion* whole = nullptr)
    {
        http_.script.clear();
        http_.asked.clear();
        http_.script.push_back(std::move(script));
        Heard heard;
        try {
            Completion completion = run(loop_, model_.complete(hello_, heard));
            if (heard.text != completion.text) return "heard " + heard.text;
            std::string text = summary(completion);
            if (whole) *whole = std::move(completion);
            return text;
        } catch (const ModelError& error) {
            return fmt::format("{}{}{}: {}", name_of(error.code()), error.transient() ? "!" : "",
                               error.shown() ? " shown" : "", error.what());
        }
    }

private:
    ScriptedHttp http_;
    HttpModel model_;
    SimLoop loop_;
    Request hello_ = hello();
};

inline std::string outcome(const Endpoint& at, Scripted script, Completion* whole = nullptr)
{
    return Asked(at).outcome(std::move(script), whole);
}

/// The same of a body that comes whole, cut in two (a small one at every byte), and byte by byte; says so when it matters where.
inline std::string outcome_of_text(const Endpoint& at, const std::string& body, Completion* whole = nullptr)
{
    Asked asked(at);
    const std::string first = asked.outcome({.pieces = {body}}, whole);
    const std::size_t step = body.size() <= 500 ? 1 : 7;
    for (std::size_t cut = 1; cut < body.size(); cut += step) {
        const std::string other = asked.outcome({.pieces = {body.substr(0, cut), body.substr(cut)}});
        if (other != first) return fmt::format("cut at {}: {} but whole: {}", cut, other, first);
    }
    std::vector<std::string> bytes;
    for (const char c : body) bytes.emplace_back(1, c);
    const std::string bytewise = asked.outcome({.pieces = std::move(bytes)});
    return bytewise == first ? first : "byte by byte: " + bytewise;
}

}  // namespace cadre::llm::test
