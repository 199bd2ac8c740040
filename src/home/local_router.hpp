// Who deals with a query, decided on this machine: engine::Router over text/route.
#pragma once

#include "base/sha256.hpp"
#include "engine/router.hpp"

#include <functional>
#include <memory>
#include <utility>
#include <vector>

namespace cadre {
class Pool;
}
namespace cadre::text {
class Encoder;
}
namespace cadre::text::route {
class Classifier;
}

namespace cadre::home {

/// The encoder to compare meanings with; null: there is none, and words decide. Called on a thread of the pool.
using EncoderSource = std::function<std::shared_ptr<const text::Encoder>()>;

/// Learns a catalogue when it first sees it, on the pool, and keeps the last few.
class LocalRouter final : public engine::Router {
public:
    explicit LocalRouter(Pool& pool, EncoderSource encoder = {});
    ~LocalRouter();

    bool is_remote() const override { return false; }
    Async<engine::Routed> route(engine::RouteQuery query) override;

private:
    using Learnt = std::shared_ptr<const text::route::Classifier>;

    Learnt find(const Digest& catalogue);
    void keep(const Digest& catalogue, Learnt learnt);

    Pool& pool_;
    EncoderSource encoder_;
    std::vector<std::pair<Digest, Learnt>> recent_{};  // the latest last
};

}  // namespace cadre::home
