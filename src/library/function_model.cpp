#include "library/function_model.hpp"

#include "base/async.hpp"
#include "base/pool.hpp"
#include "library/tool_calls.hpp"
#include "model/wire_name.hpp"

#include <utility>

namespace cadre::library {

namespace {

Request public_form(const llm::Request& request)
{
    Request shown{.agent = request.agent, .instructions = request.instructions, .nth = request.nth};
    shown.messages.reserve(request.messages.size());
    for (const auto& message : request.messages)
        shown.messages.push_back({std::string(model::wire_name(message->role)), message->text});
    return shown;
}

}  // namespace

Async<llm::Completion> FunctionModel::complete(llm::Request request, llm::ChunkSink& sink)
{
    auto ask = [function = function_, shown = public_form(request)] {
        try {
            return function(shown);
        } catch (const std::exception& error) {
            throw llm::ModelError(Code::upstream, error.what(), false);
        }
    };
    Reply reply = co_await on(pool_, std::move(ask));
    sink.chunk(reply.text);
    co_return llm::Completion{.text = std::move(reply.text), .calls = inner_form(reply.calls)};
}

}  // namespace cadre::library
