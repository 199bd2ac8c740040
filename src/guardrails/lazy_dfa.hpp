// The machine of all patterns, run in one step a character: its states are made when text first leads to them.
#pragma once

#include "guardrails/nfa.hpp"

#include <cstdint>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace cadre::guardrails {

/// One thread at a time. The Nfa must outlive it.
class LazyDfa {
public:
    static constexpr std::size_t kMemory = std::size_t{8} << 20;

    /// A state by what it means, so that it survives when the states are thrown away.
    using Key = std::vector<std::uint32_t>;
    using State = std::uint32_t;

    explicit LazyDfa(const Nfa& nfa, std::size_t memory = kMemory);

    State start();
    /// The state for a key that key() gave.
    State state(const Key& key);
    const Key& key(State state) const { return *info(state).key; }

    /// `from` must not be used afterwards: all states may be new ones.
    State step(State from, ClassId c)
    {
        const State next = table_[from + c];
        return next != 0 ? next & ~kMatches : made(from, c);
    }

    /// No pattern has begun: what was read so far is done with.
    bool idle(State state) const { return info(state).idle; }
    /// The patterns of which a match ended with the last character, or before it where they look at what follows.
    std::span<const std::uint32_t> matches(State state) const;

    /// From `state` over whole characters; calls `matched` with patterns as they match, perhaps more than once. Returns the last state.
    template <class Matched>
    State run(State state, std::string_view text, const Matched& matched);
    /// The state after the character `c` and nothing else.
    State start_after(char32_t c);

    std::size_t states() const { return infos_.size(); }
    std::uint64_t flushes() const { return flushes_; }

private:
    static constexpr State kMatches = 0x80000000;  // in the table: the state has matches

    struct Info {
        const Key* key = nullptr;
        bool idle = false;
    };
    struct KeyHash {
        std::size_t operator()(const Key& key) const;
    };
    /// Nodes that characters lead to, and patterns matched on the way.
    struct Reached {
        std::vector<std::uint32_t> nodes{};
        std::vector<std::uint32_t> matches{};
    };

    const Info& info(State state) const { return infos_[state / stride_]; }
    State made(State from, ClassId c);
    State interned(Key key);
    void flush();
    const Reached& start_step(Neighbour before, ClassId c);
    Reached advance(std::span<const std::uint32_t> nodes, Neighbour before, ClassId c);
    void reach(std::uint32_t node, Reached& reached);
    /// Characters of the text from `at` on that lead to no new state and no match, in ASCII; returns where they end.
    const char* skim(const char* at, const char* end, State& state) const;
    std::pair<ClassId, std::size_t> next_class(const char* at, const char* end) const;

    const Nfa& nfa_;
    std::size_t stride_;
    std::size_t budget_;
    std::size_t used_ = 0;
    std::uint64_t flushes_ = 0;
    std::array<ClassId, 128> ascii_{};
    std::vector<std::uint32_t> start_nodes_{};
    std::vector<State> table_{};
    std::vector<Info> infos_{};
    std::unordered_map<Key, State, KeyHash> known_{};
    std::unordered_map<std::uint32_t, Reached> start_steps_{};
    std::vector<std::uint64_t> seen_{};  // per node: the round in which it was reached
    std::uint64_t round_ = 0;
};

template <class Matched>
LazyDfa::State LazyDfa::run(State state, std::string_view text, const Matched& matched)
{
    const char* at = text.data();
    const char* const end = at + text.size();
    while ((at = skim(at, end, state)) != end) {
        const auto [c, bytes] = next_class(at, end);
        at += bytes;
        if (c == kNoClass) continue;
        state = step(state, c);
        for (const std::uint32_t pattern : matches(state)) matched(pattern);
    }
    return state;
}

}  // namespace cadre::guardrails
