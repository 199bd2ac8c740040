// HttpModel: a vendor's model, asked over HTTP. Answers are streamed; a vendor that sends a whole one is understood too.
#pragma once

#include "llm/endpoint.hpp"
#include "llm/gate.hpp"
#include "llm/model.hpp"
#include "net/http.hpp"

#include <memory>
#include <string>
#include <string_view>

namespace cadre::llm {

struct Answer;
class ToolNames;

/// The address of a part of its API, `/models`, and the headers of every request: who we are, and what the vendor wants.
std::string url_at(const Endpoint& endpoint, std::string_view path);
net::HttpHeaders headers_for(const Endpoint& endpoint);

/// Lives on one loop; any number of requests at once. `http` and `gate` outlive it.
class HttpModel final : public Model {
public:
    /// `gate` may be null: everybody may ask at any time.
    HttpModel(net::Http& http, Endpoint endpoint, Gate* gate = nullptr);

    std::string spec() const override { return endpoint_.spec(); }
    const Endpoint& endpoint() const { return endpoint_; }

    /// One request, never repeated here: a stream that breaks off before its first text is a transient ModelError, one that
    /// breaks off later is one that says `shown`.
    Async<Completion> complete(Request request, ChunkSink& sink) override;

    std::optional<Prices> prices() const override;
    bool is_priced() const override { return prices().has_value(); }
    /// Counted where its encoding is known; elsewhere a byte is a token, because fewer would be a guess.
    std::int64_t most_input(const Request& request, std::int64_t enough = 0) const override;
    std::int64_t likely_input(const Request& request) const override;
    std::optional<std::int64_t> most_output() const override { return endpoint_.facts.max_output; }
    std::optional<std::int64_t> context() const override { return endpoint_.facts.context; }

private:
    Async<Completion> ask(const Request& request, ChunkSink& sink);
    net::HttpRequest http_request(const Request& request, const ToolNames& names) const;
    Usage usage_of(const Request& request, const Answer& answer) const;

    net::Http& http_;
    Endpoint endpoint_;
    Gate* gate_;
};

}  // namespace cadre::llm
