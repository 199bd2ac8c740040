#include "library/function_model.hpp"

#include "base/async.hpp"
#include "base/pool.hpp"
#include "library/tool_calls.hpp"
#include "model/wire_name.hpp"

#include <memory>
#include <utility>

namespace cadre::library {

namespace {

Request public_form(const llm::Request& request)
{
    Request shown{.agent = request.agent,
                  .instructions = request.instructions,
                  .temperature = request.options.temperature,
                  .nth = request.nth};
    shown.messages.reserve(request.messages.size());
    for (const auto& message : request.messages)
        shown.messages.push_back({std::string(model::wire_name(message->role)), message->text});
    if (request.tools)
        for (const llm::ToolSpec& tool : *request.tools) shown.tools.push_back(tool.name);
    return shown;
}

/// Where pieces go, as long as somebody wants them: a function may go on after its call was given up. Used on the loop alone.
struct Audience {
    llm::ChunkSink* sink = nullptr;
};

class Attending {
public:
    explicit Attending(llm::ChunkSink& sink) : audience_(std::make_shared<Audience>(Audience{&sink})) {}
    Attending(const Attending&) = delete;
    Attending& operator=(const Attending&) = delete;
    ~Attending() { audience_->sink = nullptr; }

    const std::shared_ptr<Audience>& audience() const { return audience_; }

private:
    std::shared_ptr<Audience> audience_;
};

/// What was said piece by piece, and then as a whole.
struct Spoken {
    std::string pieces{};
    Reply reply{};
};

}  // namespace

Async<llm::Completion> FunctionModel::complete(llm::Request request, llm::ChunkSink& sink)
{
    const Attending attending(sink);
    auto ask = [&loop = loop_, function = function_, shown = public_form(request), audience = attending.audience()] {
        Spoken spoken;
        const Say say = [&](std::string_view piece) {
            spoken.pieces += piece;
            loop.deliver([audience, text = std::string(piece)] {
                if (audience->sink) audience->sink->chunk(text);
            });
        };
        try {
            spoken.reply = function(shown, say);
        } catch (const std::exception& error) {
            throw llm::ModelError(Code::upstream, error.what(), {.transient = false, .shown = !spoken.pieces.empty()});
        }
        return spoken;
    };
    Spoken spoken = co_await on(pool_, std::move(ask));
    Reply& reply = spoken.reply;
    if (reply.text.empty()) reply.text = spoken.pieces;
    // pieces are delivered before what the function returns; what they leave out comes now
    if (reply.text.starts_with(spoken.pieces) && reply.text.size() > spoken.pieces.size())
        sink.chunk(std::string_view(reply.text).substr(spoken.pieces.size()));
    co_return llm::Completion{.text = std::move(reply.text), .calls = inner_form(reply.calls)};
}

}  // namespace cadre::library
