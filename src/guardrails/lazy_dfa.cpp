#include "guardrails/lazy_dfa.hpp"

#include "text/code_point.hpp"

#include <algorithm>
#include <utility>

namespace cadre::guardrails {

namespace {

// A key is: what stands before, how many patterns matched, these, and the nodes that are alive.
constexpr std::size_t kBefore = 0, kMatchCount = 1, kFirstMatch = 2;

bool holds(Assertion assertion, Neighbour before, Neighbour after)
{
    const bool at_begin = before == Neighbour::none, at_end = after == Neighbour::none;
    switch (assertion) {
    case Assertion::text_begin: return at_begin;
    case Assertion::text_end: return at_end;
    case Assertion::line_begin: return at_begin || before == Neighbour::newline;
    case Assertion::line_end: return at_end || after == Neighbour::newline;
    case Assertion::word_edge: return (before == Neighbour::word) != (after == Neighbour::word);
    case Assertion::no_word_edge: return (before == Neighbour::word) == (after == Neighbour::word);
    }
    return false;
}

void sort_out(std::vector<std::uint32_t>& numbers)
{
    std::ranges::sort(numbers);
    numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
}

}  // namespace

LazyDfa::LazyDfa(const Nfa& nfa, std::size_t memory)
    : nfa_(nfa), stride_(nfa.classes() + 1), budget_(memory), seen_(nfa.nodes().size(), 0)
{
    for (char32_t c = 0; c < ascii_.size(); ++c) ascii_[c] = nfa.class_of(c);
    Reached all;
    ++round_;
    for (const std::uint32_t start : nfa.starts()) reach(start, all);
    start_nodes_ = std::move(all.nodes);
    flush();
}

std::size_t LazyDfa::KeyHash::operator()(const Key& key) const
{
    std::uint64_t hash = 0x9E3779B97F4A7C15;
    for (const std::uint32_t word : key) hash = (hash ^ word) * 0xFF51AFD7ED558CCD, hash ^= hash >> 32;
    return hash;
}

LazyDfa::State LazyDfa::start()
{
    return interned({static_cast<std::uint32_t>(nfa_.begin()), 0});
}

LazyDfa::State LazyDfa::start_after(char32_t c)
{
    const ClassId before = nfa_.class_of(c);
    return before == kNoClass ? start() : interned({static_cast<std::uint32_t>(nfa_.neighbour(before)), 0});
}

LazyDfa::State LazyDfa::state(const Key& key)
{
    return interned(key);
}

std::span<const std::uint32_t> LazyDfa::matches(State state) const
{
    const Key& key = *info(state).key;
    return std::span(key).subspan(kFirstMatch, key[kMatchCount]);
}

/// The table's first row is none of a state, so that 0 can mean "not made yet".
void LazyDfa::flush()
{
    if (!infos_.empty()) ++flushes_;
    known_.clear();
    infos_.assign(1, {});
    table_.assign(stride_, 0);
    used_ = table_.size() * sizeof(State);
}

LazyDfa::State LazyDfa::interned(Key key)
{
    if (const auto known = known_.find(key); known != known_.end()) return known->second;
    const std::size_t cost = stride_ * sizeof(State) + key.size() * sizeof(std::uint32_t) + sizeof(Info) + 96;
    if (used_ + cost > budget_ && infos_.size() > 2) flush();
    used_ += cost;
    const auto state = static_cast<State>(table_.size());
    table_.resize(table_.size() + stride_, 0);
    const auto& stored = known_.emplace(std::move(key), state).first->first;
    infos_.push_back({&stored, stored.size() == kFirstMatch + stored[kMatchCount]});
    return state;
}

/// Follows what needs no character; an assertion waits for the character after it.
void LazyDfa::reach(std::uint32_t node, Reached& reached)
{
    std::vector<std::uint32_t> open{node};
    while (!open.empty()) {
        const std::uint32_t at = open.back();
        open.pop_back();
        if (seen_[at] == round_) continue;
        seen_[at] = round_;
        const NfaNode& here = nfa_.nodes()[at];
        switch (here.type) {
        case NfaNode::Type::split:
            open.push_back(here.other);
            open.push_back(here.out);
            break;
        case NfaNode::Type::match:
            if (here.set != Nfa::kCutOnly) reached.matches.push_back(here.set);
            break;
        case NfaNode::Type::characters:
        case NfaNode::Type::assertion: reached.nodes.push_back(at); break;
        }
    }
}

LazyDfa::Reached LazyDfa::advance(std::span<const std::uint32_t> nodes, Neighbour before, ClassId c)
{
    Reached here;  // with assertions decided, now that both neighbours are known
    const Neighbour after = nfa_.neighbour(c);
    ++round_;
    for (const std::uint32_t node : nodes) seen_[node] = round_;
    here.nodes.assign(nodes.begin(), nodes.end());
    for (std::size_t i = 0; i < here.nodes.size(); ++i) {
        const NfaNode& node = nfa_.nodes()[here.nodes[i]];
        if (node.type == NfaNode::Type::assertion && holds(node.assertion, before, after)) reach(node.out, here);
    }
    Reached next;
    next.matches = std::move(here.matches);
    if (c == nfa_.end_class()) return next;
    ++round_;
    for (const std::uint32_t at : here.nodes) {
        const NfaNode& node = nfa_.nodes()[at];
        if (node.type == NfaNode::Type::characters && nfa_.has(node.set, c)) reach(node.out, next);
    }
    return next;
}

const LazyDfa::Reached& LazyDfa::start_step(Neighbour before, ClassId c)
{
    const std::uint32_t place = static_cast<std::uint32_t>(before) << 16 | c;
    const auto known = start_steps_.find(place);
    if (known != start_steps_.end()) return known->second;
    return start_steps_.emplace(place, advance(start_nodes_, before, c)).first->second;
}

LazyDfa::State LazyDfa::made(State from, ClassId c)
{
    const Key& key = *info(from).key;
    const auto before = static_cast<Neighbour>(key[kBefore]);
    Reached next = advance(std::span(key).subspan(kFirstMatch + key[kMatchCount]), before, c);
    if (c != nfa_.end_class()) {
        const Reached& begun = start_step(before, c);
        next.nodes.insert(next.nodes.end(), begun.nodes.begin(), begun.nodes.end());
        next.matches.insert(next.matches.end(), begun.matches.begin(), begun.matches.end());
    }
    sort_out(next.nodes);
    sort_out(next.matches);

    Key to{static_cast<std::uint32_t>(nfa_.neighbour(c)), static_cast<std::uint32_t>(next.matches.size())};
    to.insert(to.end(), next.matches.begin(), next.matches.end());
    to.insert(to.end(), next.nodes.begin(), next.nodes.end());
    const std::uint64_t flushes = flushes_;
    const State state = interned(std::move(to));
    if (flushes == flushes_) table_[from + c] = state | (next.matches.empty() ? 0 : kMatches);
    return state;
}

const char* LazyDfa::skim(const char* at, const char* end, State& state) const
{
    State here = state;
    for (; at != end; ++at) {
        const auto byte = static_cast<unsigned char>(*at);
        if (byte >= 0x80) break;
        const State next = table_[here + ascii_[byte]];
        if (next - 1 >= kMatches - 1) break;  // none yet, or one with matches
        here = next;
    }
    state = here;
    return at;
}

std::pair<ClassId, std::size_t> LazyDfa::next_class(const char* at, const char* end) const
{
    const text::CodePoint c = text::first_code_point({at, static_cast<std::size_t>(end - at)});
    return {nfa_.class_of(c.value), c.bytes};
}

}  // namespace cadre::guardrails
