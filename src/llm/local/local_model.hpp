// `local`: a model that generates nothing. It chooses tools by their schemas, fills in what the request names, and answers with
// what tools and documents say, word for word. No key, no network, the same answer every time.
#pragma once

#include "llm/model.hpp"

#include <functional>
#include <memory>

namespace cadre {
class Pool;
}
namespace cadre::text {
class Encoder;
}

namespace cadre::llm {

class LocalModel final : public Model {
public:
    /// An encoder, to compare meanings with; null, or no source: words decide. It is asked on a thread of the pool, which outlives this.
    using EncoderSource = std::function<std::shared_ptr<const text::Encoder>()>;

    explicit LocalModel(Pool& pool, EncoderSource encoder = {});

    std::string spec() const override;
    Async<Completion> complete(Request request, ChunkSink& sink) override;
    std::optional<Prices> prices() const override { return Prices{}; }
    bool can_sum_up() const override { return false; }  // it generates nothing

private:
    Pool& pool_;
    EncoderSource encoder_;
};

}  // namespace cadre::llm
