#include "engine/run_waits.hpp"

#include "engine/effect_path.hpp"

#include <algorithm>

namespace cadre::engine {

bool RunState::Blocked::arm()
{
    list_.push_back(*this);
    state_.strand_stops();
    return true;
}

bool RunState::Blocked::withdraw() noexcept
{
    Link<BlockedTag>::unlink();
    state_.strand_goes_on();
    return true;
}

void RunState::Blocked::release() noexcept
{
    Link<BlockedTag>::unlink();
    state_.strand_goes_on();
    wake();
}

bool RunState::HeldBack::arm()
{
    state_.hold_back(*this);
    return Blocked::arm();
}

bool RunState::HeldBack::withdraw() noexcept
{
    Link<HeldTag>::unlink();
    return Blocked::withdraw();
}

bool RunState::HeldBack::has_unused_victims(const Recorded& recorded) const
{
    if (siblings_.empty()) {  // `branch:1.` of `x/branch:1.a`
        const auto dot = path().find('.', outside(path()).size());
        return recorded.has_unused(path().substr(0, dot == path().npos ? path().size() : dot + 1));
    }
    return std::ranges::any_of(siblings_, [&](const std::string& node) { return recorded.has_unused_in(node); });
}

void RunState::Inner::await_resume() const
{
    finish();
    if (given_up_)
        throw Error(Code::internal,
                    std::string(path()) + " waits for ever: everything that could let it continue waits too");
}

bool RunState::UntilAnswered::arm()
{
    if (due_ && *due_ <= loop().now()) fire();  // it passed while nobody was there
    if (state_.answers_.contains(path_)) return false;
    if (due_) loop().start(*this, *due_);
    return Blocked::arm();
}

bool RunState::UntilAnswered::withdraw() noexcept
{
    stop();
    return Blocked::withdraw();
}

void RunState::UntilAnswered::fire() noexcept
{
    for (const OpenQuestion& question : state_.view_.questions)
        if (question.path == path_) {
            state_.answer(question, silence());
            return;
        }
}

model::HumanAnswer RunState::UntilAnswered::await_resume()
{
    finish();
    const auto place = state_.answers_.find(path_);
    model::HumanAnswer answer = std::move(place->second);
    state_.answers_.erase(place);
    return answer;
}

}  // namespace cadre::engine
