// All policies that hold for somebody, compiled: immutable, with a version that every check records.
#pragma once

#include "guardrails/lazy_dfa.hpp"
#include "guardrails/policy.hpp"
#include "guardrails/rate.hpp"

#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

namespace cadre::text {
class Encoder;
}

namespace cadre::guardrails {

struct CompiledRule;

/// The machine of one place's patterns, shared by all texts that go through it.
struct Automaton {
    Nfa nfa{};
    std::mutex mutex{};  // around dfa
    std::unique_ptr<LazyDfa> dfa{};
};

/// A remark for who wrote the policies.
struct Remark {
    std::string policy{};
    std::size_t rule = 0;
    std::string text{};  // "answers are checked whole: its pattern can stay open over any number of blanks"

    bool operator==(const Remark&) const = default;
};

/// A rule about how often, for the caller to ask decide_rate() about.
struct RateRule {
    std::string policy{};
    RateLimit limit{};
    Action action = Action::warn;
    model::Severity severity = model::Severity::medium;
};

/// From any thread. A set is never changed: another one takes its place.
class PolicySet {
public:
    /// Throws Error(invalid): `policy "calm", rule 2: …`. `encoder`, for rules `similar`, must outlive the set.
    static std::shared_ptr<const PolicySet> compile(std::vector<Policy> policies,
                                                    const text::Encoder* encoder = nullptr);
    ~PolicySet();

    /// From what the policies say: the same policies have the same version anywhere.
    const std::string& version() const { return version_; }
    const std::vector<Policy>& policies() const { return policies_; }
    const std::vector<Remark>& remarks() const { return remarks_; }
    std::vector<RateRule> rates(Place place) const;

    // For check() and StreamGuard:

    /// Rules that hold at one place.
    struct AtPlace {
        std::vector<const CompiledRule*> rules{};
        std::vector<std::uint32_t> pattern_rule{};  // of the automaton's patterns: which of `rules`
        std::shared_ptr<Automaton> automaton{};     // null: no pattern is in it
        bool has_finds = false;                     // pii or urls: decided where text may be cut
        bool whole = false;                         // some can be decided only on whole texts
    };
    const AtPlace& at(Place place) const { return *places_[static_cast<std::size_t>(place)]; }

private:
    PolicySet() = default;
    std::shared_ptr<AtPlace> made_for(Place place);

    std::vector<Policy> policies_{};
    std::vector<CompiledRule> rules_;
    std::vector<Remark> remarks_{};
    std::string version_{};
    std::shared_ptr<const AtPlace> places_[std::size(kPlaces)]{};
};

}  // namespace cadre::guardrails
