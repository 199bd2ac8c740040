// For tests: a memory over a store that outlives it, on virtual time.
#pragma once

#include "base/async.hpp"
#include "base/log.hpp"
#include "base/pool.hpp"
#include "base/run.hpp"
#include "base/sim_loop.hpp"
#include "base/timeout.hpp"
#include "memory/memory.hpp"
#include "storage/memory/memory_store.hpp"
#include "text/embed/hashed_encoder.hpp"

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace cadre::memory::testing {

struct Bench {
    explicit Bench(Encoder encoder = std::make_shared<const text::embed::HashedEncoder>())
        : encoder_(std::move(encoder))
    {
        restart();
    }
    ~Bench() { wait(memory->close()); }

    /// Another process on the same store.
    void restart()
    {
        if (memory) wait(memory->close());
        memory = std::make_unique<Memory>(Surroundings{.loop = loop,
                                                       .pool = pool,
                                                       .store = store,
                                                       .encoder = [this] { return encoder_; },
                                                       .log = Log(descriptor_sink(-1), Level::off)});
    }
    void restart(Encoder encoder)
    {
        encoder_ = std::move(encoder);
        restart();
    }

    template <class T>
    T wait(Async<T> work)
    {
        return run(loop, std::move(work));
    }

    Kept keep(const std::string& text, Scope scope = ann(), model::MemoryType type = model::MemoryType::semantic)
    {
        Source source{.task = "task", .step = "use:" + std::to_string(++said), .agent = "writer", .by = scope.user};
        return wait(memory->remember(std::move(scope), {.type = type, .text = text}, std::move(source)));
    }
    std::vector<Hit> find(const std::string& text, Scope scope = ann(), double threshold = kUsualThreshold)
    {
        return wait(memory->search({std::move(scope)}, {.text = text, .threshold = threshold})).hits;
    }
    std::vector<Item> items(Scope scope = ann()) { return wait(memory->items({std::move(scope)})); }
    std::size_t documents(std::string kind) { return wait(store.list(std::move(kind), "", SIZE_MAX)).size(); }

    static Scope ann() { return {.tenant = "local", .kind = ScopeKind::user, .user = "ann"}; }
    static Scope of(std::string user, std::string tenant = "local")
    {
        return {.tenant = std::move(tenant), .kind = ScopeKind::user, .user = std::move(user)};
    }

    SimLoop loop;
    LoopPool pool{loop};
    storage::MemoryStore store;
    std::unique_ptr<Memory> memory;
    int said = 0;

private:
    Encoder encoder_;
};

}  // namespace cadre::memory::testing
