// TeamGuards: the guardrails of teams. Which policies hold for an agent is compiled once for each team; how often something
// happened is counted here, in the process.
#pragma once

#include "base/time.hpp"
#include "engine/guard.hpp"

#include <deque>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <tuple>

namespace cadre {
class Clock;
}
namespace cadre::guardrails {
class PolicySet;
}

namespace cadre::home {

/// Those that the agent names, and those that hold everywhere. Throws Error(invalid) that names the policy and the rule.
std::shared_ptr<const guardrails::PolicySet> policies_of(const model::Team& team, std::string_view agent);

/// Lives on one loop.
class TeamGuards final : public engine::Guard {
public:
    explicit TeamGuards(const Clock& clock);
    ~TeamGuards();

    bool watches(const std::shared_ptr<const model::Team>& team, std::string_view agent, engine::Place place) override;
    Async<engine::GuardVerdict> check(engine::GuardedText text) override;
    std::unique_ptr<engine::StreamCheck> stream(const engine::GuardedText& text) override;

private:
    using Set = std::shared_ptr<const guardrails::PolicySet>;
    struct Compiled {
        std::weak_ptr<const model::Team> team{};
        std::map<std::string, Set, std::less<>> agents{};
    };

    const Set& find(const std::shared_ptr<const model::Team>& team, std::string_view agent);
    void count(const guardrails::PolicySet& set, const engine::GuardedText& text, engine::GuardVerdict& verdict);

    const Clock& clock_;
    std::map<const model::Team*, Compiled> teams_;
    /// When calls were allowed, by tenant, agent, place and policy.
    std::map<std::tuple<std::string, std::string, engine::Place, std::string>, std::deque<Time>> calls_;
};

}  // namespace cadre::home
