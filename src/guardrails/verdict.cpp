#include "guardrails/verdict.hpp"
#include "base/error.hpp"
#include "base/plural.hpp"
#include "base/sha256.hpp"
#include "base/utf8.hpp"
#include "guardrails/compiled_rule.hpp"
#include "guardrails/spans.hpp"
#include "text/code_point.hpp"
#include "text/fold.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace cadre::guardrails {

namespace {

constexpr std::size_t kSlice = 64 << 10;

/// One whole text on its way through the rules of a place.
class WholeCheck {
public:
    WholeCheck(const PolicySet::AtPlace& rules, std::string_view text) : rules_(rules), text_(text) {}

    std::vector<Broken> run()
    {
        cut_to_length();
        look_for_patterns();
        for (std::size_t i = 0; i < rules_.rules.size(); ++i) {
            try {
                apply(i);
            } catch (const std::exception& error) {
                broken_.push_back({i, 1, fmt::format("could not be checked: {}", error.what()), true});
            }
        }
        return std::move(broken_);
    }

    /// With masks; nothing if none is needed.
    std::optional<std::string> text() const
    {
        if (!spans_.empty()) return masked(text_, folded_, 0, spans_);
        if (is_cut_) return std::string(text_);
        return std::nullopt;
    }

private:
    /// What is cut off is not looked at: it is not passed on.
    void cut_to_length()
    {
        for (std::size_t i = 0; i < rules_.rules.size(); ++i) {
            const CompiledRule& rule = *rules_.rules[i];
            if (rule.kind != Kind::max_length || rule.action != Action::rewrite || text_.size() <= rule.length)
                continue;
            std::size_t bytes = 0;
            for (std::size_t n = 0; n < rule.length && bytes < text_.size(); ++n)
                bytes += text::first_code_point(text_.substr(bytes)).bytes;
            if (bytes == text_.size()) continue;
            text_ = text_.substr(0, bytes);
            is_cut_ = true;
            broken_.push_back({i, 1, fmt::format("is longer than {}, and was cut", plural(rule.length, "character"))});
        }
    }

    /// Which rules are worth asking RE2 about.
    void look_for_patterns()
    {
        seen_.assign(rules_.rules.size(), false);
        if (!rules_.automaton || rules_.pattern_rule.empty()) return;
        const auto matched = [&](std::uint32_t pattern) { seen_[rules_.pattern_rule[pattern]] = true; };
        LazyDfa& dfa = *rules_.automaton->dfa;
        LazyDfa::Key key;
        for (std::size_t at = 0; at < text_.size() || at == 0;) {
            const std::string_view slice = utf8_prefix(text_.substr(at), kSlice);  // others want to go through it, too
            const std::lock_guard lock(rules_.automaton->mutex);
            LazyDfa::State state = dfa.run(at == 0 ? dfa.start() : dfa.state(key), slice, matched);
            at += slice.size();
            if (at == text_.size()) {
                state = dfa.step(state, rules_.automaton->nfa.end_class());
                std::ranges::for_each(dfa.matches(state), matched);
                return;
            }
            key = dfa.key(state);
        }
    }

    void apply(std::size_t i)
    {
        const CompiledRule& rule = *rules_.rules[i];
        if (rule.kind == Kind::max_length && rule.action != Action::rewrite) {
            if (text_.size() > rule.length && length() > rule.length)
                broken_.push_back(
                    {i, 1, fmt::format("has {}, more than {}", plural(length(), "character"), rule.length)});
        } else if (rule.kind == Kind::min_length) {
            if (text_.size() < rule.length * 4 && length() < rule.length)
                broken_.push_back(
                    {i, 1, fmt::format("has {}, fewer than {}", plural(length(), "character"), rule.length)});
        } else if (rule.finds()) {
            const bool is_known = rule.pattern && rule.whole.empty();
            if (!is_known || seen_[i]) find(i);
        } else if (const auto why = broken_by(rule, text_)) {
            broken_.push_back({i, 1, *why});
        }
    }

    void find(std::size_t i)
    {
        if (!is_folded_) {
            folded_ = text::fold(text_);
            is_folded_ = true;
        }
        std::vector<Span> found;
        find_spans(*rules_.rules[i], folded_.text, 0, found);
        if (found.empty()) return;
        broken_.push_back({i, found.size(), {}});
        if (rules_.rules[i]->action == Action::rewrite) spans_.insert(spans_.end(), found.begin(), found.end());
    }

    std::size_t length()
    {
        if (!length_) length_ = text::count_code_points(text_);
        return *length_;
    }

    const PolicySet::AtPlace& rules_;
    std::string_view text_;
    std::vector<bool> seen_{};
    std::vector<Broken> broken_{};
    std::vector<Span> spans_{};
    text::Folded folded_{};
    bool is_folded_ = false;
    bool is_cut_ = false;
    std::optional<std::size_t> length_{};
};

}  // namespace

Verdict check(const PolicySet& set, Place place, std::string_view text)
{
    const PolicySet::AtPlace& rules = set.at(place);
    if (rules.rules.empty()) return {};
    WholeCheck whole(rules, text);
    const std::vector<Broken> broken = whole.run();
    Verdict verdict = verdict_of(set, place, broken);
    verdict.text = whole.text();
    return verdict;
}

Verdict verdict_of(const PolicySet& set, Place place, const std::vector<Broken>& broken)
{
    Verdict verdict{.version = set.version()};
    const auto& rules = set.at(place).rules;
    std::vector<const Broken*> of_rule(rules.size(), nullptr);
    for (const Broken& one : broken) of_rule[one.rule] = &one;
    for (std::size_t i = 0; i < rules.size();) {
        const std::size_t first = verdict.checks.size();
        const Policy& policy = set.policies()[rules[i]->policy];
        const model::CheckType type = check_type_of(policy.type);
        const std::size_t number = rules[i]->policy;
        for (; i < rules.size() && rules[i]->policy == number; ++i) {
            if (!of_rule[i]) continue;
            const Action action = of_rule[i]->failed ? Action::block : rules[i]->action;
            const std::string note =
                of_rule[i]->note.empty() ? fmt::format("{} found", of_rule[i]->count) : of_rule[i]->note;
            verdict.action = std::max(verdict.action, action);
            verdict.checks.push_back({.check_id = fmt::format("{}/{}", policy.name, rules[i]->number + 1),
                                      .check_type = type,
                                      .status = status_of(action),
                                      .message = fmt::format("{}: {}", name_of(rules[i]->kind), note),
                                      .policy_violated = policy.name,
                                      .severity = policy.severity});
        }
        if (verdict.checks.size() == first) verdict.checks.push_back({.check_id = policy.name, .check_type = type});
    }
    return verdict;
}

std::string notice(const Verdict& verdict, Place place)
{
    std::string why;
    for (const model::GuardrailCheck& one : verdict.checks)
        if (one.policy_violated && one.status == model::CheckStatus::failed)
            why +=
                fmt::format("{}policy {} ({})", why.empty() ? "" : "; ", in_quotes(*one.policy_violated), *one.message);
    constexpr std::string_view names[] = {"message", "answer",     "tool call",       "tool result",
                                          "handoff", "delegation", "outgoing message"};
    return fmt::format("This {} was withheld by {}.", names[static_cast<std::size_t>(place)], why);
}

std::string withheld_mark(std::string_view text)
{
    return fmt::format("{}, sha256 {}", plural(text.size(), "byte"), to_hex(sha256(text)));
}

}  // namespace cadre::guardrails
