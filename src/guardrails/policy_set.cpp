#include "guardrails/policy_set.hpp"

#include "base/error.hpp"
#include "base/json.hpp"
#include "base/sha256.hpp"
#include "guardrails/compiled_rule.hpp"
#include "guardrails/urls.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace cadre::guardrails {

namespace {

constexpr std::size_t kMostRules = 10'000;

std::string version_of(const std::vector<Policy>& policies)
{
    Sha256 hash;
    const auto add = [&](std::string_view text) { hash.add(fmt::format("{}:", text.size())).add(text); };
    for (const Policy& policy : policies) {
        add(policy.name);
        add(fmt::format("{},{},{},{}", static_cast<int>(policy.type), static_cast<int>(policy.severity),
                        name_of(policy.action), policy.rules.size()));
        for (const Rule& rule : policy.rules) {
            const int on = rule.on ? static_cast<int>(*rule.on) : -1;
            add(fmt::format("{},{},{}", name_of(rule.kind), rule.window_s.value_or(0), on));
            add(to_canonical_text(rule.value));
        }
    }
    return to_hex(hash.finish()).substr(0, 16);
}

CompiledRule compiled_or_named(const Policy& policy, std::size_t number, const text::Encoder* encoder)
{
    try {
        return compile_rule(policy.rules[number], policy.action, encoder);
    } catch (const Error& error) {
        throw Error(Code::invalid, fmt::format("policy {}, rule {}: the value of {} {}", in_quotes(policy.name),
                                               number + 1, name_of(policy.rules[number].kind), error.what()));
    }
}

void add_cuts(Nfa& nfa, std::string_view pattern)
{
    nfa.add(parse_pattern(pattern).root, Nfa::kCutOnly);
}

}  // namespace

PolicySet::~PolicySet() = default;

std::shared_ptr<const PolicySet> PolicySet::compile(std::vector<Policy> policies, const text::Encoder* encoder)
{
    const std::shared_ptr<PolicySet> set(new PolicySet);
    set->policies_ = std::move(policies);
    std::set<std::string_view> names;
    for (std::size_t i = 0; i < set->policies_.size(); ++i) {
        const Policy& policy = set->policies_[i];
        if (!names.insert(policy.name).second)
            throw Error(Code::invalid, fmt::format("two policies are called {}: rename one", in_quotes(policy.name)));
        for (std::size_t k = 0; k < policy.rules.size(); ++k) {
            if (set->rules_.size() == kMostRules)
                throw Error(Code::too_large,
                            fmt::format("there are more than {} rules: use fewer, with more words each", kMostRules));
            CompiledRule rule = compiled_or_named(policy, k, encoder);
            rule.policy = i;
            rule.number = k;
            if (!rule.whole.empty() && holds_at(policy.rules[k], Place::output))
                set->remarks_.push_back(
                    {policy.name, k, "answers are checked whole, not as they stream: " + rule.whole});
            set->rules_.push_back(std::move(rule));
        }
    }
    set->version_ = version_of(set->policies_);
    for (const Place place : kPlaces) set->places_[static_cast<std::size_t>(place)] = set->made_for(place);
    return set;
}

std::shared_ptr<PolicySet::AtPlace> PolicySet::made_for(Place place)
{
    auto made = std::make_shared<AtPlace>();
    for (const CompiledRule& rule : rules_)
        if (rule.kind != Kind::max_calls && holds_at(policies_[rule.policy].rules[rule.number], place))
            made->rules.push_back(&rule);
    for (const auto& other : places_)
        if (other && other->rules == made->rules) return std::make_shared<AtPlace>(*other);  // the automaton is shared

    auto automaton = std::make_shared<Automaton>();
    text::PiiKinds pii;
    bool urls = false;
    for (std::size_t i = 0; i < made->rules.size(); ++i) {
        const CompiledRule& rule = *made->rules[i];
        made->whole |= !rule.whole.empty();
        pii.add(rule.pii);
        urls |= rule.kind == Kind::urls;
        if (!rule.whole.empty()) continue;
        for (const PatternNode& tree : rule.trees) {
            const auto id = static_cast<std::uint32_t>(made->pattern_rule.size());
            if (!automaton->nfa.add(tree, id))
                throw Error(Code::too_large,
                            fmt::format("the patterns of all policies take more than {} steps: use fewer or "
                                        "shorter ones",
                                        Nfa::kMaxNodes));
            made->pattern_rule.push_back(static_cast<std::uint32_t>(i));
        }
    }
    for (const std::string_view pattern : text::pii_cut_patterns(pii)) add_cuts(automaton->nfa, pattern);
    if (urls) add_cuts(automaton->nfa, kUrlCutPattern);
    made->has_finds = urls || !pii.empty();
    if (automaton->nfa.empty()) return made;
    automaton->nfa.seal();
    automaton->dfa = std::make_unique<LazyDfa>(automaton->nfa);
    made->automaton = std::move(automaton);
    return made;
}

std::vector<RateRule> PolicySet::rates(Place place) const
{
    std::vector<RateRule> out;
    for (const CompiledRule& rule : rules_) {
        const Policy& policy = policies_[rule.policy];
        const Rule& source = policy.rules[rule.number];
        if (rule.kind != Kind::max_calls || !holds_at(source, place)) continue;
        const Millis window = source.window_s ? std::chrono::seconds(*source.window_s) : Millis::max();
        out.push_back({policy.name, {rule.length, window}, rule.action, policy.severity});
    }
    return out;
}

}  // namespace cadre::guardrails
