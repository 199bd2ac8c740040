// Text on its way out, checked as it streams: nothing leaves that may still turn out to be what a policy is about.
#pragma once

#include "guardrails/verdict.hpp"
#include "text/fold.hpp"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace cadre::guardrails {

/// One text. What was released, all in all, is what check() makes of the whole text, however it is cut into chunks: while no
/// pattern has begun, everything is released; else text is held from where that was so. One thread at a time.
class StreamGuard {
public:
    StreamGuard(std::shared_ptr<const PolicySet> set, Place place);

    /// Returns what may be passed on now. After a block, nothing more.
    std::string feed(std::string_view chunk);
    /// The text is complete.
    std::string finish();
    /// Other policies hold from now on: what is held goes through them. Returns what they release.
    std::string swap(std::shared_ptr<const PolicySet> set);

    bool blocked() const { return blocked_; }
    /// After finish(), or once blocked. Its `text`, with `ask`: what was held back, to be passed on when somebody approves.
    Verdict verdict() const;
    /// Bytes that are held now.
    std::size_t held() const { return cut_.size() + held_.size() + waiting_.size(); }

private:
    const PolicySet::AtPlace& rules() const { return set_->at(place_); }
    /// Takes up what the policies say about lengths, and where the machine begins.
    void begin();
    void take(std::string_view text);
    void take_character(char32_t c, std::string_view bytes, LazyDfa& dfa, LazyDfa::State& state);
    void end_text();
    /// False: the character is one too many, and no more are taken.
    bool counts_one_more();
    bool cut_here();
    void note_matches(std::span<const std::uint32_t> patterns);
    /// The machine is idle: what is held is decided.
    void close();
    std::string decided(const text::Folded& folded);
    void release(std::string text);
    void remember(std::string_view folded);
    void break_rule(std::size_t rule, std::size_t count, std::string note);
    void judge_lengths();
    void judge_whole();
    void block();
    std::string taken_out();

    std::shared_ptr<const PolicySet> set_;
    Place place_;
    Verdict earlier_{};  // by policies that were swapped out: only what was broken

    std::string cut_{};  // the front of a character whose rest has not come
    std::string
        held_{};  // whole characters, from where the machine was idle; all of them where only whole texts are checked
    std::string before_{};      // folded, the end of what came before: for patterns that look back
    LazyDfa::Key key_{};        // where the machine is
    bool alive_ = false;        // it is not idle
    std::vector<bool> seen_{};  // rules whose patterns matched in what is held
    bool any_seen_ = false;

    std::size_t count_ = 0;  // code points, without those that are cut off
    std::size_t next_limit_ = 0;
    std::size_t least_ = 0;  // nothing is released before there are so many
    bool full_ = false;      // the text was cut at max_length
    bool asking_ = false;
    bool blocked_ = false;
    std::vector<Broken> broken_{};

    std::string out_{};      // released, to be returned
    std::string waiting_{};  // released, but for min_length
    std::string asked_{};    // released, but for somebody's approval
};

}  // namespace cadre::guardrails
