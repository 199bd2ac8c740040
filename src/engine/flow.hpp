// Flow: parts of a run that begin when their own inputs have settled, without barriers between them. Which part depends on which, and
// what that means for it, is the pattern's plain decision; the run starts, records, cancels and replays.
#pragma once

#include "base/async_fwd.hpp"
#include "base/cancel.hpp"
#include "engine/strand.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace cadre::engine {

/// What a part does now.
struct Entry {
    enum class What : std::uint8_t { wait, go, skip };
    What what = What::wait;
    std::vector<std::size_t> counted{};  // the inputs that it goes with, in the order that its body is to see
};

/// The parts and their rules, as values: between two calls nothing of it changes. Names are unique and those of nodes.
class Flow {
public:
    virtual ~Flow() = default;

    virtual std::size_t size() const = 0;
    virtual const std::string& name(std::size_t part) const = 0;
    /// Parts that it depends on. It is asked to enter when one of them has settled.
    virtual std::span<const std::size_t> inputs(std::size_t part) const = 0;
    /// Whether it may begin before all its inputs have settled. Who was counted then depends on time, so it is recorded.
    virtual bool by_time(std::size_t) const { return false; }
    /// Asked once when all its inputs have settled, and before that, if it is by_time, whenever one has. Throws Error when the
    /// part can never begin and that is a failure.
    virtual Entry enter(std::size_t part, std::span<const Fate> fates) const = 0;
    /// Whether a failure of the part is a value for those that depend on it; else it ends the flow.
    virtual bool tolerates(std::size_t) const { return false; }
};

/// One flow at work: who waits for whom. Lives in the frame of Run::flow.
class FlowRun {
public:
    /// Throws Error when parts share a name, or depend on what is not there or on each other.
    FlowRun(Run& run, const Flow& flow);
    FlowRun(const FlowRun&) = delete;
    FlowRun& operator=(const FlowRun&) = delete;
    ~FlowRun();

    Run& run() { return run_; }
    const Flow& flow() const { return flow_; }
    std::span<const std::string> paths() const { return paths_; }
    /// Until the part begins; in its own scope. False: it is to be skipped.
    Async<bool> enter(std::size_t part);
    /// The inputs with which a part that has begun went.
    const std::vector<std::size_t>& counted(std::size_t part) const { return counted_[part]; }
    void settle(std::size_t part, Fate fate) noexcept;
    Fate fate(std::size_t part) const { return fates_[part]; }
    /// Whether nobody needs the part any more: whatever depends on it is by_time and has begun, or is useless itself. That follows
    /// from the joins that are on record alone; what else has settled meanwhile depends on time.
    bool is_useless(std::size_t part) const { return find_useless(begun_)[part]; }

    /// The scope that a part works in: cancelled when nobody needs it any more. Lives in the part's frame.
    class PartScope {
    public:
        PartScope(FlowRun& flow, std::size_t part, const Context& around);
        PartScope(const PartScope&) = delete;
        PartScope& operator=(const PartScope&) = delete;
        ~PartScope();

        const Context& context() const { return inner_; }
        /// Whether a cancellation meant this part only.
        bool is_useless() const;

    private:
        FlowRun& flow_;
        std::size_t part_;
        const CancelScope* outer_;
        CancelScope scope_;
        Context inner_;
    };

private:
    class UntilFate;
    class HeldCancel;

    bool have_settled(std::span<const std::uint32_t> parts) const;
    std::vector<bool> find_useless(const std::vector<bool>& begun) const;
    bool was_never_needed(std::size_t part) const;
    void end_useless(std::size_t part);
    void cancel(std::size_t part) noexcept;

    Run& run_;
    const Flow& flow_;
    std::vector<std::string> paths_;                   // of the parts' nodes
    std::vector<std::string> joins_;                   // of who was counted, of those that are by_time
    std::vector<std::vector<std::size_t>> followers_;  // by part
    std::vector<std::size_t> unsettled_;               // inputs, by part
    std::vector<std::vector<std::size_t>> counted_;    // by part
    std::vector<std::size_t> order_;                   // a part stands behind all that it depends on
    std::vector<Fate> fates_;
    std::vector<bool> begun_;               // of those that are by_time
    std::vector<bool> useless_in_the_end_;  // as the recorded joins say
    std::vector<UntilFate*> waiting_;       // null: it does not
    std::vector<CancelScope*> scopes_;      // null: it has none yet, or no longer
    std::vector<bool> useless_;
    std::deque<HeldCancel> held_;
};

/// What a part of a flow can see: the inputs that count, and what has become of everything before it.
template <class R>
class Inputs {
public:
    Inputs(const FlowRun& flow, std::size_t part, const std::vector<Settled<R>>& results)
        : flow_(flow), part_(part), results_(results)
    {}

    const std::vector<std::size_t>& counted() const { return flow_.counted(part_); }
    /// Of a part that this one depends on, directly or not; of others it would depend on time.
    const std::vector<std::size_t>& counted_by(std::size_t part) const { return flow_.counted(part); }
    const Settled<R>& result(std::size_t part) const { return results_[part]; }

private:
    const FlowRun& flow_;
    std::size_t part_;
    const std::vector<Settled<R>>& results_;
};

}  // namespace cadre::engine
