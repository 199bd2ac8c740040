#include "engine/rehearsal.hpp"

#include "engine/pinned_teams.hpp"

namespace cadre::engine {

Rehearsal::Rehearsal(const Env& env, const Pattern& pattern, TaskState view, std::vector<storage::Record> records,
                     Agents agents, History history, Reuse* reuse)
    : pattern_(pattern),
      state_(env, port_, *this, std::move(view), std::move(records), 0, std::move(agents), std::move(history)),
      run_(state_, ""),
      scope_(env.loop)
{
    state_.rehearse(reuse);
}

Async<> Rehearsal::perform()
{
    state_.begin();
    scope_.spawn(drive());
    while (!ended_ && !state_.at_rest()) co_await changed_.wait();
}

Async<> Rehearsal::drive()
{
    try {
        reply = (co_await pattern_.run(run_)).text;
    } catch (const Cancelled&) {
        failure = "cancelled";
    } catch (const std::exception& error) {
        failure = error.what();
    }
    ended_ = true;
    changed_.notify();
}

Async<> Rehearsal::start_child(Id, TaskSpec)
{
    throw Error(Code::internal, "a rehearsal starts nothing");
}

Async<std::optional<EndedTask>> Rehearsal::find_ended(Id)
{
    throw Error(Code::internal, "a rehearsal does not ask people");
}

Async<Agents> Rehearsal::team_of(std::string config)
{
    TaskSpec spec = state_.view().spec;
    spec.config = std::move(config);
    PinnedTeams teams(state_.env().store);
    co_return co_await teams.agents_for(std::move(spec));
}

}  // namespace cadre::engine
