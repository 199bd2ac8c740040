#include "engine/strand.hpp"

#include "engine/run.hpp"
#include "engine/run_state.hpp"
#include "engine/run_waits.hpp"

#include <algorithm>

namespace cadre::engine {

Strands::Strands(RunState& state, std::size_t count) : state_(state)
{
    state_.branch(count);
}

Strands::~Strands()
{
    state_.branches_joined();
}

Strand::Strand(Run& run) : state_(run.state()), run_(&run)
{}

Strand::~Strand()
{
    if (run_) run_->give_seats_back();
    state_.branch_ended();
}

bool is_held_back(const RunState& state)
{
    return state.replaying() && !is_mutant(Mutant::cancelled_at_once_in_replay);
}

bool is_held_back(Run& run)
{
    return is_held_back(run.state());
}

Async<> hold_back(Run& run)
{
    return hold_back(run.state(), run.scope().substr(0, run.scope().size() - 1), {});
}

Async<> hold_back(RunState& state, std::string path, std::span<const std::string> siblings)
{
    co_await RunState::HeldBack(state, path, siblings);
}

bool Gathering::succeeded(std::size_t index)
{
    if (!enough || winners.size() == *enough) return false;
    if (recorded && std::ranges::count(*recorded, index) == 0) return false;
    winners.push_back(static_cast<std::uint32_t>(index));
    return winners.size() == *enough;
}

bool Gathering::failed()
{
    --left;
    return enough && left + 1 == *enough;
}

}  // namespace cadre::engine
