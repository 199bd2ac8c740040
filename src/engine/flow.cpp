#include "engine/flow.hpp"

#include "base/async.hpp"
#include "base/json.hpp"
#include "engine/run.hpp"
#include "engine/run_state.hpp"
#include "engine/run_waits.hpp"

#include <algorithm>
#include <functional>
#include <set>

namespace cadre::engine {

/// Until something has become of a part that this one depends on.
class FlowRun::UntilFate final : public RunState::Inner {
public:
    UntilFate(FlowRun& flow, std::size_t part) : Inner(flow.run_.state(), flow.paths_[part]), flow_(flow), part_(part)
    {
        flow_.waiting_[part_] = this;
    }
    UntilFate(const UntilFate&) = delete;
    UntilFate& operator=(const UntilFate&) = delete;
    ~UntilFate() { flow_.waiting_[part_] = nullptr; }
    /// Once is enough.
    void let_go() noexcept
    {
        if (Link<BlockedTag>::linked()) release();
    }

private:
    FlowRun& flow_;
    std::size_t part_;
};

/// In a replay, the end of parts that nobody needs any more, once they have used their records.
class FlowRun::HeldCancel final : public RunState::Held {
public:
    /// `part` has made the others useless.
    HeldCancel(FlowRun& flow, std::size_t part, std::vector<std::size_t> useless)
        : Held(flow.paths_[part]), flow_(flow), useless_(std::move(useless))
    {}

    /// First all of them are marked: one that ends wakes another that depends on it, and that one must not take it for a failure.
    static void end(FlowRun& flow, const std::vector<std::size_t>& parts) noexcept
    {
        for (const std::size_t part : parts)
            if (!has_settled(flow.fates_[part])) flow.useless_[part] = true;
        for (const std::size_t part : parts) flow.cancel(part);
    }

private:
    bool has_unused_victims(const Recorded& recorded) const override
    {
        return std::ranges::any_of(useless_,
                                   [&](std::size_t part) { return recorded.has_unused_in(flow_.paths_[part]); });
    }
    void let_go() noexcept override { end(flow_, useless_); }

    FlowRun& flow_;
    std::vector<std::size_t> useless_;
};

namespace {

/// Every part behind all that it depends on. Throws Error naming a part that can never begin because it depends on itself.
std::vector<std::size_t> order_of(const Flow& flow, const std::vector<std::vector<std::size_t>>& followers,
                                  std::vector<std::size_t> unsettled)
{
    std::vector<std::size_t> ready;
    for (std::size_t i = 0; i < unsettled.size(); ++i)
        if (unsettled[i] == 0) ready.push_back(i);
    for (std::size_t at = 0; at < ready.size(); ++at)
        for (const std::size_t follower : followers[ready[at]])
            if (--unsettled[follower] == 0) ready.push_back(follower);
    if (ready.size() == unsettled.size()) return ready;
    const auto place = std::ranges::find_if(unsettled, [](std::size_t count) { return count > 0; });
    throw Error(Code::invalid, "part " + in_quotes(flow.name(static_cast<std::size_t>(place - unsettled.begin()))) +
                                   " of a flow depends on itself, or on parts that do");
}

}  // namespace

FlowRun::FlowRun(Run& run, const Flow& flow)
    : run_(run),
      flow_(flow),
      followers_(flow.size()),
      unsettled_(flow.size()),
      counted_(flow.size()),
      fates_(flow.size()),
      begun_(flow.size()),
      waiting_(flow.size()),
      scopes_(flow.size()),
      useless_(flow.size())
{
    std::set<std::string_view> names;
    for (std::size_t i = 0; i < flow.size(); ++i) {
        if (!names.insert(flow.name(i)).second)
            throw Error(Code::invalid, "two parts of a flow are called " + in_quotes(flow.name(i)));
        for (const std::size_t input : flow.inputs(i)) {
            if (input >= flow.size())
                throw Error(Code::invalid, "part " + in_quotes(flow.name(i)) + " depends on a part that is not there");
            followers_[input].push_back(i);
            ++unsettled_[i];
        }
    }
    order_ = order_of(flow, followers_, unsettled_);
    // all at once: whether a part is ever begun may depend on time, its path must not
    for (std::size_t i = 0; i < flow.size(); ++i) {
        const auto [node, join] = run.enter_part(flow.name(i));
        paths_.push_back(node);
        joins_.push_back(flow.by_time(i) ? join : "");
    }
    std::vector<bool> recorded(flow.size());
    for (std::size_t i = 0; i < flow.size(); ++i)
        recorded[i] = flow.by_time(i) && run.recorded_winners(joins_[i]).has_value();
    useless_in_the_end_ = find_useless(recorded);
}

FlowRun::~FlowRun() = default;

bool FlowRun::have_settled(std::span<const std::uint32_t> parts) const
{
    return std::ranges::all_of(parts,
                               [&](std::uint32_t part) { return part >= fates_.size() || has_settled(fates_[part]); });
}

std::vector<bool> FlowRun::find_useless(const std::vector<bool>& begun) const
{
    std::vector<bool> useless(begun.size());
    if (std::ranges::none_of(begun, std::identity())) return useless;
    for (std::size_t i = order_.size(); i-- > 0;) {
        const std::size_t part = order_[i];
        useless[part] = !followers_[part].empty() && std::ranges::all_of(followers_[part], [&](std::size_t follower) {
            return begun[follower] || useless[follower];
        });
    }
    return useless;
}

/// In a replay: it was useless before it had done anything. Now its inputs may settle before the join that made it so has begun.
bool FlowRun::was_never_needed(std::size_t part) const
{
    return useless_in_the_end_[part] && !run_.state().recorded().has_unused_in(paths_[part]);
}

Async<bool> FlowRun::enter(std::size_t part)
{
    Entry entry;
    if (const auto won = flow_.by_time(part) ? run_.recorded_winners(joins_[part]) : std::nullopt) {
        while (!have_settled(*won)) co_await UntilFate(*this, part);
        entry = {.what = Entry::What::go, .counted = {won->begin(), won->end()}};
    } else if (was_never_needed(part)) {
        while (!useless_[part]) co_await UntilFate(*this, part);
    }
    while (entry.what == Entry::What::wait) {
        if (useless_[part]) co_return false;
        if (unsettled_[part] == 0 || flow_.by_time(part)) entry = flow_.enter(part, fates_);
        if (entry.what != Entry::What::wait) break;
        if (unsettled_[part] == 0)
            throw Error(Code::internal,
                        "part " + in_quotes(flow_.name(part)) + " waits although all that it depends on has settled");
        co_await UntilFate(*this, part);
    }
    if (entry.what == Entry::What::skip) co_return false;
    if (flow_.by_time(part)) {
        co_await run_.record_winners(joins_[part], {entry.counted.begin(), entry.counted.end()});
        fates_[part] = Fate::running;
        begun_[part] = true;
        end_useless(part);
    }
    fates_[part] = Fate::running;
    counted_[part] = std::move(entry.counted);
    co_return true;
}

void FlowRun::settle(std::size_t part, Fate fate) noexcept
{
    fates_[part] = fate;
    for (const std::size_t follower : followers_[part]) {
        --unsettled_[follower];
        if (waiting_[follower] && (unsettled_[follower] == 0 || flow_.by_time(follower))) waiting_[follower]->let_go();
    }
}

void FlowRun::end_useless(std::size_t part)
{
    if (is_mutant(Mutant::loser_not_cancelled)) return;
    const std::vector<bool> is_useless = find_useless(begun_);
    std::vector<std::size_t> useless;
    for (std::size_t i = 0; i < fates_.size(); ++i)
        if (is_useless[i] && !has_settled(fates_[i])) useless.push_back(i);
    if (useless.empty()) return;
    if (is_held_back(run_.state())) run_.state().hold_back(held_.emplace_back(*this, part, std::move(useless)));
    else HeldCancel::end(*this, useless);
}

void FlowRun::cancel(std::size_t part) noexcept
{
    if (has_settled(fates_[part])) return;
    useless_[part] = true;
    if (scopes_[part]) scopes_[part]->cancel();
}

FlowRun::PartScope::PartScope(FlowRun& flow, std::size_t part, const Context& around)
    : flow_(flow),
      part_(part),
      outer_(around.scope),
      scope_(around.scope),
      inner_{around.loop, &scope_, around.deadline}
{
    flow_.scopes_[part] = &scope_;
    if (flow_.useless_[part]) scope_.cancel();
}

FlowRun::PartScope::~PartScope()
{
    flow_.scopes_[part_] = nullptr;
}

bool FlowRun::PartScope::is_useless() const
{
    return scope_.cancelled() && !(outer_ && outer_->cancelled());
}

}  // namespace cadre::engine
