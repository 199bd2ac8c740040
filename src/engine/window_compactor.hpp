// Conversations that fit: tokens are counted, what is too long is planned by llm/window_plan.hpp, and the agent's own model sums up.
#pragma once

#include "engine/compactor.hpp"
#include "engine/env.hpp"
#include "llm/window_plan.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <utility>

namespace cadre::engine {

/// What it counted it knows as long as messages, tools and models live. Not to be shared between threads.
class WindowCompactor final : public Compactor {
public:
    bool is_full(const Window& window) override;
    Async<Compaction> plan(Run& run, const Agent& agent, const Window& window) override;
    Async<> sum_up(Run& run, const Agent& agent, const Window& window, Compaction& plan) override;
    std::optional<std::int64_t> measure(const Window& window) override;

private:
    /// What a request has room for, and why.
    struct Room {
        llm::Weight messages{};    // in all
        llm::Weight fixed{};       // instructions and tools
        std::string model{};       // whose window is the narrowest; empty: nobody knows any
        std::int64_t context = 0;  // of it
        std::int64_t answer = 0;   // of that, for its answer
        bool is_strict = true;     // a byte is a token at most
    };
    struct Counted {
        std::weak_ptr<const void> what, model;
        llm::Weight weight{};
    };

    Room room_in(const Window& window);
    llm::Weight fixed_in(const Window& window, const std::shared_ptr<llm::Model>& model, bool strict);
    llm::Weight weigh(const Window& window, const Room& room, const std::shared_ptr<const llm::Message>& message);
    /// As long as both live.
    llm::Weigh weigher(const Window& window, const Room& room);
    llm::WindowTask task_for(const Window& window, const Room& room);
    template <class Count>
    llm::Weight counted(const std::shared_ptr<const void>& what, const std::shared_ptr<llm::Model>& model, bool strict,
                        Count count);
    void forget_the_dead();

    std::map<std::pair<const void*, const void*>, Counted> counted_[2];  // as estimated, and strictly
};

}  // namespace cadre::engine
