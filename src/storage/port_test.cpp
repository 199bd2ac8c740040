#include "storage/port.hpp"

#include "base/error.hpp"
#include "base/sim_loop.hpp"
#include "storage/journal_fixture.hpp"

#include <doctest/doctest.h>

#include <functional>

using namespace cadre;
using namespace cadre::storage;

namespace {

/// Takes what it gets and says when it is told to.
struct HeldIntake final : Intake {
    std::exception_ptr take(const std::shared_ptr<Backchannel>& channel, std::vector<Append>& appends) override
    {
        if (refusal) return refusal;
        channels.push_back(channel);
        batches.push_back(std::move(appends));
        return nullptr;
    }
    /// Tells of a whole batch at once, as after a commit.
    void report(std::size_t batch, const std::exception_ptr& error = nullptr)
    {
        std::vector<AppendResult> results;
        for (const Append& append : batches[batch])
            results.push_back({append.slot, append.generation, append.record.seq, error});
        Backchannel::report(channels[batch], std::move(results));
    }

    std::exception_ptr refusal;
    std::vector<std::shared_ptr<Backchannel>> channels;
    std::vector<std::vector<Append>> batches;
};

struct Ear final : Receipt {
    void durable(std::uint32_t seq) noexcept override
    {
        heard.push_back(static_cast<int>(seq));
        if (then) then();
    }
    void refused(std::uint32_t seq, const std::exception_ptr&) noexcept override
    {
        heard.push_back(-static_cast<int>(seq));
        if (then) then();
    }
    std::vector<int> heard;
    std::function<void()> then;
};

const std::exception_ptr kError = std::make_exception_ptr(Error(Code::unavailable, "disk"));

using Heard = std::vector<int>;

}  // namespace

TEST_CASE("what a turn appends is handed over once, in order; what it hears comes in one delivery")
{
    SimLoop loop;
    HeldIntake intake;
    PortBase port(loop, intake);
    Ear a, b;
    for (std::uint32_t seq = 1; seq <= 3; ++seq) {
        port.append({.seq = seq}, a, {});
        port.append({.seq = seq}, b, {});
    }
    CHECK(intake.batches.empty());
    CHECK(loop.settle() == 1);
    REQUIRE(intake.batches.size() == 1);
    REQUIRE(intake.batches[0].size() == 6);
    for (std::uint32_t i = 0; i < 6; ++i) CHECK(intake.batches[0][i].record.seq == 1 + i / 2);
    CHECK(a.heard.empty());
    intake.report(0);
    CHECK(a.heard.empty());
    CHECK(loop.settle() == 1);
    CHECK(a.heard == Heard{1, 2, 3});
    CHECK(b.heard == Heard{1, 2, 3});
}

TEST_CASE("a receipt that takes the place of a dead one does not hear its results")
{
    SimLoop loop;
    HeldIntake intake;
    PortBase port(loop, intake);
    auto old = std::make_unique<Ear>();
    port.append({.seq = 1}, *old, {});
    loop.settle();
    old.reset();
    Ear heir;
    port.append({.seq = 7}, heir, {});
    loop.settle();
    CHECK(intake.batches[0][0].slot == intake.batches[1][0].slot);
    intake.report(0, kError);
    loop.settle();
    CHECK(heir.heard.empty());
    intake.report(1);
    loop.settle();
    CHECK(heir.heard == Heard{7});
}

TEST_CASE("once refused, a receipt hears nothing more and hands over nothing more")
{
    SimLoop loop;
    HeldIntake intake;
    PortBase port(loop, intake);
    Ear ear, other;
    port.append({.seq = 1}, ear, {});
    loop.settle();
    port.append({.seq = 2}, ear, {});
    loop.settle();
    intake.report(0, kError);
    intake.report(1, kError);
    loop.settle();
    CHECK(ear.heard == Heard{-1});
    port.append({.seq = 3}, ear, {});
    port.append({.seq = 1}, other, {});
    loop.settle();
    REQUIRE(intake.batches.size() == 3);
    CHECK(intake.batches[2].size() == 1);
}

TEST_CASE("a store that takes nothing refuses each receipt from its first record on")
{
    SimLoop loop;
    HeldIntake intake;
    intake.refusal = kError;
    PortBase port(loop, intake);
    Ear a, b;
    port.append({.seq = 4}, a, {});
    port.append({.seq = 5}, a, {});
    port.append({.seq = 9}, b, {});
    loop.settle();
    CHECK(a.heard == Heard{-4});
    CHECK(b.heard == Heard{-9});
}

TEST_CASE("who hears may append, and end itself, others or the port")
{
    for (const bool refuse : {false, true}) {
        CAPTURE(refuse);
        SimLoop loop;
        HeldIntake intake;
        auto port = std::make_unique<PortBase>(loop, intake);
        Ear first, last;
        auto dying = std::make_unique<Ear>();
        std::vector<std::unique_ptr<Ear>> more;
        first.then = [&] {
            dying.reset();
            for (int i = 0; i < 100; ++i) {  // the table of receipts moves
                more.push_back(std::make_unique<Ear>());
                port->append({.seq = 1}, *more.back(), {});
            }
        };
        last.then = [&] { port.reset(); };
        Ear never;
        port->append({.seq = 1}, first, {});
        port->append({.seq = 1}, *dying, {});
        port->append({.seq = 1}, last, {});
        port->append({.seq = 1}, never, {});
        if (refuse) intake.refusal = kError;
        loop.settle();
        if (!refuse) intake.report(0);
        loop.settle();
        CHECK(first.heard.size() == 1);
        CHECK(last.heard.size() == 1);
        CHECK(never.heard.empty());
        CHECK_FALSE(port);
        if (!refuse) CHECK(intake.batches.at(1).size() == 100);  // handed over by the dying port
    }
}

TEST_CASE("results for a port that is gone are dropped")
{
    SimLoop loop;
    HeldIntake intake;
    Ear ear;
    auto port = std::make_unique<PortBase>(loop, intake);
    port->append({.seq = 1}, ear, {});
    loop.settle();
    intake.report(0);
    port.reset();  // between report and delivery
    intake.report(0);
    loop.settle();
    CHECK(ear.heard.empty());
}
