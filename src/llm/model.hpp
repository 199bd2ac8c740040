// Model: one interface to everything that answers like a language model: messages and tools in, pieces of text and then one
// completion out.
#pragma once

#include "base/async_fwd.hpp"
#include "base/error.hpp"
#include "base/sha256.hpp"
#include "base/time.hpp"
#include "model/part.hpp"
#include "model/step.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cadre::llm {

/// One message of a conversation with a model. Never changed once it is made, so runs share it and its digest is computed once.
struct Message {
    model::Role role = model::Role::user;
    std::string text{};
    std::vector<model::ToolCall> calls{};  // assistant: what it wants called
    std::string call_id{};                 // tool: the call that this answers
    bool is_error = false;                 // tool: the call failed, and `text` says how

    bool operator==(const Message&) const = default;
};

/// Covers every field; the same on every machine and in every release (it is stored in journals).
Digest digest_of(const Message& message);
/// Of a conversation: what `before` is the digest of, and then this message.
Digest digest_of(const Digest& before, const Message& message);

/// What a model is told about a tool that it may call.
struct ToolSpec {
    std::string name{};
    std::string description{};
    std::string input_schema{};  // JSON text

    bool operator==(const ToolSpec&) const = default;
};

struct Options {
    std::optional<double> temperature{};
    std::optional<std::int64_t> max_tokens{};

    bool operator==(const Options&) const = default;
};

/// The lists are shared, because a run passes nearly the same ones again and again.
struct Request {
    std::string agent{};
    int nth = 1;      // which model call of this agent in its task, recorded ones included
    int attempt = 1;  // of that call
    std::string instructions{};
    std::vector<std::shared_ptr<const Message>> messages{};
    std::shared_ptr<const std::vector<ToolSpec>> tools{};
    Options options{};
};

struct Usage {
    std::int64_t input = 0;
    std::int64_t output = 0;
    std::int64_t cached = 0;     // of input
    std::int64_t reasoning = 0;  // of output
    double cost = 0;             // US dollars

    Usage& operator+=(const Usage& other);
    bool operator==(const Usage&) const = default;
};

struct Completion {
    std::string text{};
    std::vector<model::ToolCall> calls{};  // ids are the model's own, or empty: the caller then makes some
    Usage usage{};
    std::string finish_reason = "stop";
    std::string model{};  // which one answered

    bool operator==(const Completion&) const = default;
};

/// Hears the pieces of an answer as they arrive. Together they are the completion's text.
class ChunkSink {
public:
    virtual void chunk(std::string_view text) noexcept = 0;

protected:
    ~ChunkSink() = default;
};

/// A failure that says whether trying again may help.
class ModelError : public Error {
public:
    ModelError(Code code, const std::string& text, bool transient, std::optional<Millis> retry_after = {})
        : Error(code, text), transient_(transient), retry_after_(retry_after)
    {}

    bool transient() const { return transient_; }
    std::optional<Millis> retry_after() const { return retry_after_; }

private:
    bool transient_;
    std::optional<Millis> retry_after_;
};

class Model {
public:
    virtual ~Model() = default;

    /// `script:FILE`, `openai/gpt-…`: as people write it.
    virtual std::string spec() const = 0;
    /// Throws ModelError. `sink` outlives the call.
    virtual Async<Completion> complete(Request request, ChunkSink& sink) = 0;
    /// A run that goes on after an interruption had asked this before, maybe of this very object, and knows what came of it. Only
    /// scripts care.
    virtual void already_answered(const Request&) {}
    /// Whether what it answers depends on what it was asked before; it must then hear of everything that already_answered is for.
    virtual bool remembers() const { return false; }
};

}  // namespace cadre::llm
