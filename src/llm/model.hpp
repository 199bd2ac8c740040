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

/// A picture in a message: where it is, or what it is made of.
struct Image {
    std::string media_type{};  // "image/png"
    std::string data{};        // base64; empty: see url
    std::string url{};

    bool operator==(const Image&) const = default;
};

/// One message of a conversation with a model. Never changed once it is made, so runs share it and its digest is computed once.
struct Message {
    model::Role role = model::Role::user;
    std::string text{};
    std::vector<model::ToolCall> calls{};  // assistant: what it wants called
    std::string call_id{};                 // tool: the call that this answers
    bool is_error = false;                 // tool: the call failed, and `text` says how
    std::vector<Image> images{};           // user and tool
    std::string opaque{};                  // assistant: see Completion::opaque

    bool operator==(const Message&) const = default;
};

/// Covers every field; the same on every machine and in every release (it is stored in journals), so a field that came later
/// counts only when it is not empty.
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
    std::vector<std::string> stop{};
    std::optional<std::int64_t> seed{};
    std::string output_schema{};     // JSON Schema that the answer must meet; empty: text
    std::string reasoning_effort{};  // "low", "medium", "high"; empty: the vendor's own

    bool operator==(const Options&) const = default;
};

/// What a script's failures say first: by that, and by the entry that they name, it knows them again.
inline constexpr std::string_view kScriptFailure = "the scripted model";

/// A call that an earlier process made for the same task, and that was answered.
struct EarlierCall {
    std::string agent{};
    int nth = 1;
    int attempt = 0;
    std::string mark{};  // the Completion's, or what the failure said
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
    std::shared_ptr<const std::vector<EarlierCall>> earlier{};  // whom they concern reads them; null: none
};

struct Usage {
    std::int64_t input = 0;
    std::int64_t output = 0;
    std::int64_t cached = 0;     // of input
    std::int64_t reasoning = 0;  // of output
    double cost = 0;             // US dollars
    bool estimated = false;      // the vendor did not count: we did
    bool unpriced = false;       // `cost` lacks what nobody knows the price of

    Usage& operator+=(const Usage& other);
    bool operator==(const Usage&) const = default;
};

/// `finish_reason` of an answer that the vendor wants to be asked to go on with, as it is so far.
inline constexpr std::string_view kPaused = "paused";

struct Completion {
    std::string text{};
    std::vector<model::ToolCall> calls{};  // ids are the model's own, or empty: the caller then makes some
    Usage usage{};
    std::string finish_reason = "stop";
    std::string model{};      // which one answered
    std::string reasoning{};  // what the vendor shows of its thinking
    std::string
        opaque{};  // JSON that the same vendor wants back unchanged with this answer, such as signed thinking; or nothing
    std::string mark{};  // kept with the answer, and given back in EarlierCall: a script's entry

    bool operator==(const Completion&) const = default;
};

/// Hears the pieces of an answer as they arrive. Together they are the completion's text.
class ChunkSink {
public:
    virtual void chunk(std::string_view text) noexcept = 0;
    /// The request has to wait for its turn, until then at least.
    virtual void throttled(Instant) noexcept {}

protected:
    ~ChunkSink() = default;
};

/// What is known of a request that failed.
struct ModelFault {
    bool transient = false;
    std::optional<Millis> retry_after{};
    bool dispatched = true;  // the vendor may have seen it, and may bill it
    bool shown = false;      // pieces of its answer had gone to the sink: what was shown is not the answer
    bool refused = false;    // the vendor has said so instead of an answer: it bills nothing
};

/// A failure that says whether trying again may help.
class ModelError : public Error {
public:
    ModelError(Code code, const std::string& text, const ModelFault& fault) : Error(code, text), fault_(fault) {}
    ModelError(Code code, const std::string& text, bool transient, std::optional<Millis> retry_after = {})
        : ModelError(code, text, ModelFault{.transient = transient, .retry_after = retry_after})
    {}

    const ModelFault& fault() const { return fault_; }
    bool transient() const { return fault_.transient; }
    std::optional<Millis> retry_after() const { return fault_.retry_after; }
    bool dispatched() const { return fault_.dispatched; }
    bool shown() const { return fault_.shown; }

private:
    ModelFault fault_;
};

/// US dollars for a token.
struct Prices {
    double input = 0;
    double output = 0;
};

class Model {
public:
    virtual ~Model() = default;

    /// `script:FILE`, `openai/gpt-…`: as people write it.
    virtual std::string spec() const = 0;
    /// Throws ModelError. `sink` outlives the call.
    virtual Async<Completion> complete(Request request, ChunkSink& sink) = 0;
    /// What its tokens cost at most; nothing: nobody knows before the answer comes.
    virtual std::optional<Prices> prices() const { return std::nullopt; }
    /// Whether it ever says what a call has cost. If not, no budget in dollars can hold.
    virtual bool is_priced() const { return true; }
    /// Tokens that the request has at most, as the vendor counts them. What is surely no more than `enough` need not be counted.
    virtual std::int64_t most_input(const Request& request, std::int64_t enough = 0) const;
    /// The same as far as anybody can tell, which may be too little.
    virtual std::int64_t likely_input(const Request& request) const;
    /// Tokens of one answer, if it has a limit of its own.
    virtual std::optional<std::int64_t> most_output() const { return std::nullopt; }
    /// Tokens that it can hold, its answer included; nothing: nobody knows.
    virtual std::optional<std::int64_t> context() const { return std::nullopt; }
    /// Whether it can be asked for a summary that nobody foresaw: answers of a script come in an order that somebody wrote down.
    virtual bool can_sum_up() const { return true; }
};

}  // namespace cadre::llm
