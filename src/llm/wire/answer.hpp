// An answer while it arrives. Decoders are fed with the events of a stream, or with a whole answer, and know nothing of sockets;
// text goes to the sink as it comes.
#pragma once

#include "llm/endpoint.hpp"
#include "llm/model.hpp"
#include "llm/price.hpp"
#include "llm/wire/tool_names.hpp"

#include <boost/json/fwd.hpp>

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace cadre::llm {

/// Bytes of text, thoughts and arguments together.
inline constexpr std::size_t kMaxAnswer = 16 << 20;
/// Calls, and blocks of other kinds.
inline constexpr std::size_t kMaxBlocks = 1024;
/// Bytes of one event, or of a whole answer.
inline constexpr std::size_t kMaxEvent = 24 << 20;

/// What came, once it is complete.
struct Answer {
    Completion completion{};
    Billed billed{};
    bool counted = false;          // the vendor said how many tokens; else `billed` says nothing
    std::optional<double> cost{};  // where the vendor says it
};

/// Everything throws ModelError. `endpoint`, `names` and `sink` outlive it.
class AnswerDecoder {
public:
    AnswerDecoder(const Endpoint& endpoint, const ToolNames& names, ChunkSink& sink)
        : endpoint_(endpoint), names_(names), sink_(sink)
    {}
    virtual ~AnswerDecoder() = default;

    /// One event of a stream; `type` is empty for most vendors.
    virtual void event(std::string_view type, std::string_view data) = 0;
    /// A whole answer in place of a stream.
    virtual void whole(std::string_view body) = 0;

    /// The vendor has said that nothing more will come.
    bool is_over() const { return over_; }
    /// What came is an answer, even if the stream breaks off now.
    virtual bool is_complete() const = 0;
    /// Throws when it is not complete.
    virtual Answer take() = 0;

protected:
    /// Counts bytes that are kept of the answer.
    void keep(std::size_t bytes);
    void add_text(std::string_view text);
    void add_reasoning(std::string_view text);
    /// Hands an event to `use`; its JSON lives as long as that runs.
    template <class Use>
    void parse(std::string_view text, Use use);
    /// `text` is what the model wrote. What is no object becomes kMalformedArguments.
    void add_call(std::string id, std::string_view wire_name, std::string_view arguments);
    void set_model(std::string_view name);

    const Endpoint& endpoint_;
    const ToolNames& names_;
    ChunkSink& sink_;
    Answer answer_;
    bool over_ = false;

private:
    void parse_event(std::string_view text, void (*use)(void*, const boost::json::value&), void* context);

    std::size_t kept_ = 0;
};

/// The one for what the endpoint speaks.
std::unique_ptr<AnswerDecoder> decoder_for(const Endpoint& endpoint, const ToolNames& names, ChunkSink& sink);

// ---- implementation ----

template <class Use>
void AnswerDecoder::parse(std::string_view text, Use use)
{
    parse_event(
        text, [](void* context, const boost::json::value& value) { (*static_cast<Use*>(context))(value); }, &use);
}

}  // namespace cadre::llm
