#include "guardrails/nfa.hpp"

#include "text/fold.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace cadre::guardrails {

namespace {

/// Thrown by the builder, caught by Nfa::add().
struct TooManyNodes {};

bool is_word(char32_t c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || c == '_';
}

bool takes_blank(const CharSet& set)
{
    return set.has(' ') || set.has('\n') || set.has('\t') || set.has('\r');
}

bool takes_blank(const PatternNode& node)
{
    if (node.type == PatternNode::Type::characters) return takes_blank(node.set);
    if (node.type == PatternNode::Type::repeat && node.most == 0) return false;
    return std::ranges::any_of(node.parts, [](const PatternNode& part) { return takes_blank(part); });
}

}  // namespace

/// Builds from the end to the front, so that every step knows its next one.
class Nfa::Builder {
public:
    explicit Builder(Nfa& nfa) : nfa_(nfa) {}

    std::uint32_t node(NfaNode one)
    {
        if (nfa_.nodes_.size() >= kMaxNodes) throw TooManyNodes{};
        nfa_.nodes_.push_back(one);
        return static_cast<std::uint32_t>(nfa_.nodes_.size() - 1);
    }

    std::uint32_t build(const PatternNode& pattern, std::uint32_t next)
    {
        switch (pattern.type) {
        case PatternNode::Type::nothing: return next;
        case PatternNode::Type::characters:
            return node({.type = NfaNode::Type::characters, .set = set_id(pattern.set), .out = next});
        case PatternNode::Type::assertion: return asserting(pattern.assertion, next);
        case PatternNode::Type::sequence:
            for (auto part = pattern.parts.rbegin(); part != pattern.parts.rend(); ++part) next = build(*part, next);
            return next;
        case PatternNode::Type::alternatives: return either(pattern.parts, next);
        case PatternNode::Type::repeat: break;
        }
        return repeated(pattern, next);
    }

private:
    std::uint32_t set_id(const CharSet& set)
    {
        return nfa_.sets_.try_emplace(set, static_cast<std::uint32_t>(nfa_.sets_.size())).first->second;
    }

    std::uint32_t asserting(Assertion assertion, std::uint32_t next)
    {
        const bool of_line = assertion == Assertion::line_begin || assertion == Assertion::line_end;
        nfa_.asks_word_ |= assertion == Assertion::word_edge || assertion == Assertion::no_word_edge;
        nfa_.asks_line_ |= of_line;
        nfa_.asks_begin_ |= of_line || assertion == Assertion::text_begin;
        return node({.type = NfaNode::Type::assertion, .assertion = assertion, .out = next});
    }

    std::uint32_t either(const std::vector<PatternNode>& parts, std::uint32_t next)
    {
        std::uint32_t all = build(parts.back(), next);
        for (std::size_t i = parts.size() - 1; i-- > 0;) {
            const std::uint32_t one = build(parts[i], next);
            all = node({.type = NfaNode::Type::split, .out = one, .other = all});
        }
        return all;
    }

    std::uint32_t repeated(const PatternNode& pattern, std::uint32_t next)
    {
        const PatternNode& part = pattern.parts.front();
        std::uint32_t all = next;
        int copies = pattern.least;
        if (pattern.most) {
            for (int i = pattern.least; i < *pattern.most; ++i) {
                const std::uint32_t one = build(part, all);
                all = node({.type = NfaNode::Type::split, .out = one, .other = next});
            }
        } else {
            all = node({.type = NfaNode::Type::split, .other = next});
            const std::uint32_t body = build(part, all);
            nfa_.nodes_[all].out = body;
            if (copies > 0) {  // the first time around is one of them
                all = body;
                --copies;
            }
        }
        for (int i = 0; i < copies; ++i) all = build(part, all);
        return all;
    }

    Nfa& nfa_;
};

bool Nfa::add(const PatternNode& pattern, std::uint32_t id)
{
    const std::size_t before = nodes_.size();
    try {
        Builder builder(*this);
        const std::uint32_t match = builder.node({.type = NfaNode::Type::match, .set = id});
        starts_.push_back(builder.build(pattern, match));
        return true;
    } catch (const TooManyNodes&) {
        nodes_.resize(before);
        return false;
    }
}

void Nfa::seal()
{
    make_classes();
    members_.assign(sets_.size() * classes(), false);
    for (const auto& [set, id] : sets_)
        for (std::size_t i = 0; i < firsts_.size(); ++i)
            if (set.has(firsts_[i])) members_[id * classes() + interval_class_[i]] = true;
    basic_.resize(0x10000);
    for (std::size_t i = 0, c = 0; i < firsts_.size() && c < basic_.size(); ++i) {
        const std::size_t end =
            i + 1 < firsts_.size() ? std::min<std::size_t>(firsts_[i + 1], basic_.size()) : basic_.size();
        for (; c < end; ++c) basic_[c] = interval_class_[i];
    }
    std::vector<ClassId> plain = basic_;
    for (char32_t c = 0; c < basic_.size(); ++c) {
        const char32_t to = text::folded(c);
        if (to != c) basic_[c] = to == text::kNotSeen ? kNoClass : to < plain.size() ? plain[to] : class_of_folded(to);
    }
}

void Nfa::make_classes()
{
    std::set<char32_t> firsts{0, '\n', '\n' + 1, '0', '9' + 1, '_', '_' + 1, 'a', 'z' + 1};
    for (const auto& [set, id] : sets_)
        for (const CharSet::Range& range : set.ranges()) {
            firsts.insert(range.first);
            if (range.last < CharSet::kLast) firsts.insert(range.last + 1);
        }
    firsts_.assign(firsts.begin(), firsts.end());
    interval_class_.assign(firsts_.size(), 0);

    std::size_t count = 1;
    const auto divide = [&](const auto& belongs) {
        std::map<std::pair<ClassId, int>, ClassId> renamed;
        for (std::size_t i = 0; i < firsts_.size(); ++i) {
            const std::pair key(interval_class_[i], static_cast<int>(belongs(firsts_[i])));
            interval_class_[i] = renamed.try_emplace(key, static_cast<ClassId>(renamed.size())).first->second;
        }
        count = renamed.size();
    };
    const auto kind = [&](char32_t c) {
        if (asks_word_ && is_word(c)) return Neighbour::word;
        return asks_line_ && c == '\n' ? Neighbour::newline : Neighbour::other;
    };
    divide(kind);
    for (const auto& [set, id] : sets_) divide([&](char32_t c) { return set.has(c); });
    neighbours_.assign(count, Neighbour::other);
    for (std::size_t i = 0; i < firsts_.size(); ++i) neighbours_[interval_class_[i]] = kind(firsts_[i]);
}

ClassId Nfa::class_of_folded(char32_t c) const
{
    const auto next = std::ranges::upper_bound(firsts_, c);
    return interval_class_[static_cast<std::size_t>(next - firsts_.begin()) - 1];
}

ClassId Nfa::class_of_folded_high(char32_t c) const
{
    const char32_t plain = text::folded(c);
    return plain == text::kNotSeen ? kNoClass : class_of_folded(plain);
}

bool holds_over_blanks(const PatternNode& pattern)
{
    if (pattern.type == PatternNode::Type::repeat && !pattern.most && takes_blank(pattern)) return true;
    return std::ranges::any_of(pattern.parts, [](const PatternNode& part) { return holds_over_blanks(part); });
}

}  // namespace cadre::guardrails
