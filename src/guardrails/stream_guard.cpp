#include "guardrails/stream_guard.hpp"

#include "base/plural.hpp"
#include "guardrails/compiled_rule.hpp"
#include "guardrails/spans.hpp"
#include "text/code_point.hpp"
#include "text/fold.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

namespace cadre::guardrails {

namespace {

constexpr std::size_t kNoLimit = std::numeric_limits<std::size_t>::max();
constexpr std::size_t kKeptBefore = 4 * text::kPiiLookBehind;

bool continues_character(char c)
{
    return (static_cast<unsigned char>(c) & 0xC0) == 0x80;
}

/// Bytes at the end of `text` that may be the front of a character.
std::size_t unfinished(std::string_view text)
{
    for (std::size_t back = 1; back <= 3 && back <= text.size(); ++back) {
        const auto byte = static_cast<unsigned char>(text[text.size() - back]);
        if (continues_character(text[text.size() - back])) continue;
        const std::size_t needs = byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : byte >= 0xC2 ? 2 : 1;
        return byte < 0xF5 && needs > back ? back : 0;
    }
    return 0;
}

bool stops(Action action)
{
    return action == Action::block || action == Action::ask;
}

}  // namespace

StreamGuard::StreamGuard(std::shared_ptr<const PolicySet> set, Place place) : set_(std::move(set)), place_(place)
{
    begin();
}

void StreamGuard::begin()
{
    seen_.assign(rules().rules.size(), false);
    any_seen_ = alive_ = false;
    next_limit_ = kNoLimit;
    least_ = 0;
    for (const CompiledRule* rule : rules().rules) {
        if (rule->kind == Kind::max_length && (stops(rule->action) || rule->action == Action::rewrite))
            next_limit_ = std::min(next_limit_, rule->length);
        if (rule->kind == Kind::min_length && stops(rule->action)) least_ = std::max(least_, rule->length);
    }
    if (!rules().automaton) return;
    const std::lock_guard lock(rules().automaton->mutex);
    LazyDfa& dfa = *rules().automaton->dfa;
    std::size_t last = before_.empty() ? 0 : before_.size() - 1;
    while (last > 0 && continues_character(before_[last])) --last;
    key_ = dfa.key(before_.empty()
                       ? dfa.start()
                       : dfa.start_after(text::first_code_point(std::string_view(before_).substr(last)).value));
}

std::string StreamGuard::feed(std::string_view chunk)
{
    if (blocked_ || full_) return {};
    if (rules().rules.empty() && cut_.empty()) {
        count_ += text::count_code_points(chunk);
        remember(chunk.substr(chunk.size() - std::min(chunk.size(), kKeptBefore)));
        return std::string(chunk);
    }
    std::string text = std::exchange(cut_, {});
    text += chunk;
    cut_ = text.substr(text.size() - unfinished(text));
    text.resize(text.size() - cut_.size());
    take(text);
    return taken_out();
}

std::string StreamGuard::finish()
{
    if (blocked_) return {};
    if (!full_) take(std::exchange(cut_, {}));
    if (!full_ && !blocked_) end_text();
    if (!blocked_) judge_lengths();
    return taken_out();
}

std::string StreamGuard::swap(std::shared_ptr<const PolicySet> set)
{
    Verdict before = verdict_of(*set_, place_, broken_);
    std::erase_if(before.checks, [](const model::GuardrailCheck& one) { return !one.policy_violated; });
    earlier_.checks.insert(earlier_.checks.end(), before.checks.begin(), before.checks.end());
    earlier_.action = std::max(earlier_.action, before.action);
    broken_.clear();
    set_ = std::move(set);
    if (blocked_ || full_) return {};

    const std::string held = std::exchange(held_, {});
    count_ -= text::count_code_points(held);
    before_ = text::fold(before_).text;  // where there were no policies it is as it came
    begin();
    take(held);
    return taken_out();
}

void StreamGuard::take(std::string_view text)
{
    if (rules().whole) {
        held_ += text;
        count_ += text::count_code_points(text);
        return;
    }
    if (!rules().automaton) {
        text::each_code_point(text, [&](char32_t, std::size_t at) {
            if (blocked_ || full_ || !counts_one_more()) return;
            held_ += text.substr(at, text::first_code_point(text.substr(at)).bytes);
            close();
        });
        return;
    }
    const std::lock_guard lock(rules().automaton->mutex);
    LazyDfa& dfa = *rules().automaton->dfa;
    LazyDfa::State state = dfa.state(key_);
    for (std::size_t at = 0; at < text.size() && !blocked_ && !full_;) {
        const text::CodePoint c = text::first_code_point(text.substr(at));
        take_character(c.value, text.substr(at, c.bytes), dfa, state);
        at += c.bytes;
    }
    key_ = dfa.key(state);
}

void StreamGuard::take_character(char32_t c, std::string_view bytes, LazyDfa& dfa, LazyDfa::State& state)
{
    if (!counts_one_more()) {
        if (!full_) return;
        note_matches(dfa.matches(dfa.step(state, rules().automaton->nfa.end_class())));  // the text ends here
        state = dfa.start();
        if (!blocked_) close();
        return;
    }
    held_ += bytes;
    const ClassId here = rules().automaton->nfa.class_of(c);
    if (here != kNoClass) {
        state = dfa.step(state, here);
        note_matches(dfa.matches(state));
        if (blocked_) return;
    }
    if (dfa.idle(state)) close();
    else alive_ = true;
}

void StreamGuard::end_text()
{
    if (rules().whole) return judge_whole();
    if (rules().automaton) {
        const std::lock_guard lock(rules().automaton->mutex);
        LazyDfa& dfa = *rules().automaton->dfa;
        note_matches(dfa.matches(dfa.step(dfa.state(key_), rules().automaton->nfa.end_class())));
    }
    if (!blocked_) close();
}

bool StreamGuard::counts_one_more()
{
    if (count_ < next_limit_) {
        ++count_;
        return true;
    }
    if (cut_here()) return false;
    for (std::size_t i = 0; i < rules().rules.size(); ++i) {
        const CompiledRule& rule = *rules().rules[i];
        if (rule.kind != Kind::max_length || rule.length != count_ || !stops(rule.action)) continue;
        break_rule(i, 1, fmt::format("has more than {}", plural(rule.length, "character")));
        if (rule.action == Action::block) return block(), false;
        asking_ = true;
    }
    const std::size_t passed = count_++;  // asked about it: the next limit may be a harder one
    next_limit_ = kNoLimit;
    for (const CompiledRule* rule : rules().rules)
        if (rule->kind == Kind::max_length && rule->length > passed && rule->action != Action::warn &&
            rule->action != Action::log)
            next_limit_ = std::min(next_limit_, rule->length);
    return true;
}

/// What is cut off is not looked at, so this comes before all other rules.
bool StreamGuard::cut_here()
{
    for (std::size_t i = 0; i < rules().rules.size(); ++i) {
        const CompiledRule& rule = *rules().rules[i];
        if (rule.kind != Kind::max_length || rule.length != count_ || rule.action != Action::rewrite) continue;
        break_rule(i, 1, fmt::format("is longer than {}, and was cut", plural(rule.length, "character")));
        full_ = true;
    }
    return full_;
}

void StreamGuard::note_matches(std::span<const std::uint32_t> patterns)
{
    for (const std::uint32_t pattern : patterns) {
        const std::size_t rule = rules().pattern_rule[pattern];
        seen_[rule] = any_seen_ = true;
        if (rules().rules[rule]->action != Action::block || blocked_) continue;
        break_rule(rule, 1, {});
        block();
    }
}

void StreamGuard::close()
{
    const bool decides = any_seen_ || (alive_ && rules().has_finds);
    const text::Folded folded = text::fold(held_);
    std::string text = decides ? decided(folded) : std::move(held_);
    held_.clear();
    alive_ = false;
    if (blocked_) return;
    remember(folded.text);
    release(std::move(text));
}

std::string StreamGuard::decided(const text::Folded& folded)
{
    std::vector<Span> spans;
    const std::string all = before_ + folded.text;
    for (std::size_t i = 0; i < rules().rules.size() && !blocked_; ++i) {
        const CompiledRule& rule = *rules().rules[i];
        if (!rule.finds() || (rule.pattern && !seen_[i])) continue;
        std::vector<Span> found;
        find_spans(rule, all, before_.size(), found);
        if (found.empty()) continue;
        break_rule(i, found.size(), {});
        if (rule.action == Action::block) block();
        asking_ |= rule.action == Action::ask;
        if (rule.action == Action::rewrite) spans.insert(spans.end(), found.begin(), found.end());
    }
    seen_.assign(seen_.size(), false);
    any_seen_ = false;
    return blocked_ ? std::string() : masked(held_, folded, before_.size(), std::move(spans));
}

void StreamGuard::release(std::string text)
{
    if (asking_) {
        asked_ += text;
        return;
    }
    waiting_ += text;
    if (count_ >= least_) out_ += std::exchange(waiting_, {});
}

void StreamGuard::remember(std::string_view folded)
{
    before_ += folded;
    if (before_.size() <= 2 * kKeptBefore) return;
    std::size_t from = before_.size() - kKeptBefore;
    while (from < before_.size() && continues_character(before_[from])) ++from;
    before_.erase(0, from);
}

void StreamGuard::break_rule(std::size_t rule, std::size_t count, std::string note)
{
    const auto known = std::ranges::find(broken_, rule, &Broken::rule);
    if (known == broken_.end()) broken_.push_back({rule, count, std::move(note)});
    else known->count += count;
}

/// What can be told only at the end.
void StreamGuard::judge_lengths()
{
    if (rules().whole) return;
    for (std::size_t i = 0; i < rules().rules.size(); ++i) {
        const CompiledRule& rule = *rules().rules[i];
        if (rule.kind == Kind::max_length && count_ > rule.length)
            break_rule(i, 1, fmt::format("has {}, more than {}", plural(count_, "character"), rule.length));
        if (rule.kind != Kind::min_length || count_ >= rule.length) continue;
        break_rule(i, 1, fmt::format("has {}, fewer than {}", plural(count_, "character"), rule.length));
        if (rule.action == Action::block) block();
        asking_ |= rule.action == Action::ask;
    }
    if (asking_ && !blocked_) asked_ = std::exchange(waiting_, {}) + asked_;
}

void StreamGuard::judge_whole()
{
    const Verdict verdict = check(*set_, place_, held_);
    earlier_.checks.insert(earlier_.checks.end(), verdict.checks.begin(), verdict.checks.end());
    earlier_.action = std::max(earlier_.action, verdict.action);
    asking_ |= verdict.action == Action::ask;
    if (verdict.action == Action::block) return block();
    std::string text = verdict.text.value_or(std::exchange(held_, {}));
    held_.clear();
    least_ = 0;  // it was a part of the check
    release(std::move(text));
}

void StreamGuard::block()
{
    blocked_ = true;
    waiting_.clear();
    asked_.clear();
    held_.clear();
    cut_.clear();
}

std::string StreamGuard::taken_out()
{
    return std::exchange(out_, {});
}

Verdict StreamGuard::verdict() const
{
    Verdict verdict = rules().whole ? Verdict{.version = set_->version()} : verdict_of(*set_, place_, broken_);
    if (rules().rules.empty()) verdict.version.clear();
    verdict.checks.insert(verdict.checks.begin(), earlier_.checks.begin(), earlier_.checks.end());
    verdict.action = std::max(verdict.action, earlier_.action);
    if (verdict.action == Action::ask) verdict.text = asked_;
    return verdict;
}

}  // namespace cadre::guardrails
