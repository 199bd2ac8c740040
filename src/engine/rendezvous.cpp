#include "engine/rendezvous.hpp"

#include "base/async.hpp"
#include "base/json.hpp"
#include "base/mutant.hpp"
#include "engine/run_state.hpp"
#include "engine/run_waits.hpp"

#include <algorithm>

namespace cadre::engine {

class Meeting::UntilAllThere final : public RunState::Inner {
public:
    UntilAllThere(Meeting& meeting, std::string_view name, std::string_view point)
        : Inner(meeting.run_.state(), name), meeting_(meeting), point_(point)
    {
        meeting_.waiting_.push_back(this);
    }
    UntilAllThere(const UntilAllThere&) = delete;
    UntilAllThere& operator=(const UntilAllThere&) = delete;
    ~UntilAllThere() { std::erase(meeting_.waiting_, this); }

    void look_again() noexcept
    {
        if (Link<BlockedTag>::linked() && meeting_.is_open(point_)) release();
    }

private:
    Meeting& meeting_;
    std::string_view point_;
};

Meeting::Meeting(Run& run, std::vector<std::string> names) : run_(run)
{
    for (std::string& name : names) {
        if (std::ranges::count(members_, name, &Member::name) > 0)
            throw Error(Code::invalid, "two of a meeting are called " + in_quotes(name));
        members_.push_back({.name = std::move(name)});
    }
}

Meeting::~Meeting() = default;

std::size_t Meeting::place_of(std::string_view name) const
{
    const auto place = std::ranges::find(members_, name, &Member::name);
    if (place == members_.end()) throw Error(Code::invalid, in_quotes(name) + " is not one of the meeting");
    return static_cast<std::size_t>(place - members_.begin());
}

Async<> Meeting::arrive(std::string name, std::string point)
{
    Member& member = members_[place_of(name)];
    if (member.left || std::ranges::count(member.points, point) > 0)
        throw Error(Code::internal, in_quotes(name) + " comes to " + in_quotes(point) +
                                        (member.left ? " after it has left" : " twice"));
    member.points.push_back(point);
    look_again();
    while (!is_open(point) && !is_mutant(Mutant::sync_point_passed_early)) co_await UntilAllThere(*this, name, point);
}

void Meeting::leave(std::string_view name) noexcept
{
    const auto place = std::ranges::find(members_, name, &Member::name);
    if (place == members_.end()) return;
    place->left = true;
    look_again();
}

std::vector<std::string> Meeting::there(std::string_view point) const
{
    std::vector<std::string> names;
    for (const Member& member : members_)
        if (std::ranges::count(member.points, point) > 0) names.push_back(member.name);
    return names;
}

std::vector<std::string> Meeting::awaited(std::string_view point) const
{
    std::vector<std::string> names;
    for (const Member& member : members_)
        if (!member.left && std::ranges::count(member.points, point) == 0) names.push_back(member.name);
    return names;
}

bool Meeting::is_open(std::string_view point) const
{
    return std::ranges::all_of(
        members_, [&](const Member& member) { return member.left || std::ranges::count(member.points, point) > 0; });
}

void Meeting::look_again() noexcept
{
    for (UntilAllThere* waiting : waiting_) waiting->look_again();
}

}  // namespace cadre::engine
