// TeamGuards: the guardrails of teams. Which policies hold for an agent is compiled once for each team; how often something
// happened is counted here, in the process. Those of a team are as its tasks began; those of the operator are as they are now.
#pragma once

#include "base/time.hpp"
#include "engine/guard.hpp"
#include "home/local_router.hpp"
#include "model/team.hpp"

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

namespace cadre {
class Clock;
class Pool;
}  // namespace cadre
namespace cadre::guardrails {
class PolicySet;
}

namespace cadre::home {

class OperatorFile;

/// Those of the operator, those that the agent names, and those that hold everywhere. Throws Error(invalid) that names the policy and
/// the rule. `encoder`: for what is alike; null: words decide.
std::shared_ptr<const guardrails::PolicySet> policies_of(const model::Team& team, std::string_view agent,
                                                         std::span<const model::GuardrailPolicy> of_operator = {},
                                                         const text::Encoder* encoder = nullptr);

/// What they make of a whole text there; no call is counted. From any thread.
engine::GuardVerdict verdict_on(const guardrails::PolicySet& set, engine::Place place, const std::string& text);

/// Lives on one loop.
class TeamGuards final : public engine::Guard {
public:
    /// `pool` is for what takes a while. `file` is looked at again and again; null: nobody but teams has policies.
    TeamGuards(const Clock& clock, Pool& pool, EncoderSource encoder = {}, OperatorFile* file = nullptr);
    ~TeamGuards();

    bool watches(const std::shared_ptr<const model::Team>& team, std::string_view agent, engine::Place place) override;
    Async<engine::GuardVerdict> check(engine::GuardedText text) override;
    std::unique_ptr<engine::StreamCheck> stream(const engine::GuardedText& text) override;

    std::span<const model::GuardrailPolicy> of_operator() const;
    const EncoderSource& encoder() const { return encoder_; }
    OperatorFile* operator_file() { return file_; }

private:
    class Streaming;
    using Set = std::shared_ptr<const guardrails::PolicySet>;
    struct Compiled {
        std::weak_ptr<const model::Team> team{};
        std::map<std::string, Set, std::less<>> agents{};
    };

    /// Others of the operator's hold from now on, also for what is being written.
    void refresh();
    const Set& find(const std::shared_ptr<const model::Team>& team, std::string_view agent);
    const text::Encoder* encoder_for(const model::Team& team) const;
    void count(const guardrails::PolicySet& set, const engine::GuardedText& text, engine::GuardVerdict& verdict);

    const Clock& clock_;
    Pool& pool_;
    EncoderSource encoder_;
    OperatorFile* file_;
    std::uint64_t version_ = 0;  // of the file
    std::map<const model::Team*, Compiled> teams_;
    /// When calls were allowed, by tenant, agent, place and policy.
    std::map<std::tuple<std::string, std::string, engine::Place, std::string>, std::deque<Time>> calls_;
};

}  // namespace cadre::home
