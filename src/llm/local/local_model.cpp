#include "llm/local/local_model.hpp"

#include "base/async.hpp"
#include "base/pool.hpp"
#include "llm/local/decide.hpp"
#include "model/providers.hpp"

#include <algorithm>

namespace cadre::llm {

LocalModel::LocalModel(Pool& pool, EncoderSource encoder) : pool_(pool), encoder_(std::move(encoder))
{}

std::string LocalModel::spec() const
{
    return std::string(model::kLocal);
}

Async<Completion> LocalModel::complete(Request request, ChunkSink& sink)
{
    Completion completion = co_await on(pool_, [request = std::move(request), encoder = encoder_] {
        return local::decide(request, encoder ? encoder() : nullptr);
    });
    completion.model = model::kLocal;
    // a line at a time, as somebody would say it
    for (std::string_view rest = completion.text; !rest.empty();) {
        const std::size_t end = std::min(rest.find('\n'), rest.size() - 1) + 1;
        sink.chunk(rest.substr(0, end));
        rest.remove_prefix(end);
    }
    co_return completion;
}

}  // namespace cadre::llm
