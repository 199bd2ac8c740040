// A plan that people change while it is worked through.
#include "engine/plan_edit.hpp"
#include "engine/test_cut.hpp"
#include "model/event.hpp"
#include "support/error_of.hpp"

#include <doctest/doctest.h>

#include <algorithm>

using namespace cadre;
using namespace cadre::engine;
using namespace cadre::engine::testing;
using storage::RecordKind;

namespace {

/// Items are numbers that are paid for, three at a time; between two rounds the rest of the plan may have been changed.
Async<model::Reply> work_through(Run& run)
{
    std::vector<int> plan{1, 2, 3, 4, 5, 6};
    std::string done;
    for (std::size_t next = 0; next < plan.size(); next += 3) {
        const std::vector<int> items(plan.begin() + static_cast<std::ptrdiff_t>(next),
                                     plan.begin() + static_cast<std::ptrdiff_t>(std::min(next + 3, plan.size())));
        const auto body = [](Run& branch, int n) { return pay_for(branch, n, 10 * n); };
        const MapOptions<int> options{.key = [](int n) { return "item" + std::to_string(n); }};
        for (const std::string& one : co_await run.map(items, options, body)) done += one + ", ";
        const Heard heard = co_await run.heed();
        if (!heard.plan) continue;
        plan.resize(std::min(next + 3, plan.size()));
        for (const auto& item : heard.plan->as_array()) plan.push_back(item.to_number<int>());
    }
    co_return run.reply(done);
}

constexpr const char* kAsPlanned = "paid 1, paid 2, paid 3, paid 4, paid 5, paid 6, ";
constexpr const char* kAsChanged = "paid 1, paid 2, paid 3, paid 9, paid 8, ";

}  // namespace

TEST_CASE("structure case 7: a plan edited while three items run: these end, the others are the new ones, and after a "
          "crash anywhere it "
          "is the same")
{
    Stage world(work_through);
    const Id id = world.play();
    world.wait(sleep_for(Millis(25)));  // the first item is done, the second is being paid for, the third naps
    const auto so_far = world.records(id);
    const auto is_item = [](const storage::Record& record) { return record.kind == RecordKind::intent; };
    REQUIRE(std::ranges::count_if(so_far, is_item) >= 4);
    world.wait(world.commands->intervene(
        kAnn, id, {.type = model::InterventionType::plan_update, .details = {{"plan", boost::json::array{9, 8}}}}));
    CHECK(ending(world.finish(id)) == kAsChanged);
    const auto journal = world.records(id);
    const auto edit = std::ranges::find(journal, RecordKind::setting, &storage::Record::kind);
    REQUIRE(edit != journal.end());
    const auto edited = static_cast<std::size_t>(edit - journal.begin());
    for (std::size_t length = 2; length < journal.size(); ++length) {
        CAPTURE(length);
        Stage after(work_through);
        after.adopt(journal, length);
        CHECK(ending(after.finish(id)) == (length > edited ? kAsChanged : kAsPlanned));
        auto keys = keys_in(journal, length);
        for (const std::string& key : after.pay->dispatched) CHECK(keys.insert(key).second);
        CHECK(after.wait(after.commands->replay(kAnn, id)).diverged == "");
        const auto records = after.records(id);
        const auto heard = std::ranges::count_if(records, [&](const storage::Record& record) {
            return record.kind == RecordKind::outcome && effect_of(record) == EffectKind::heed &&
                   record.body.find("\"inputs\":[") != std::string::npos;
        });
        CHECK(heard == (length > edited ? 1 : 0));
    }
}

TEST_CASE("team case 10: an edit keeps what has begun, and needs nothing that it leaves out")
{
    using enum model::PlanItemStatus;
    const std::vector<std::string> agents{"x", "y"};
    const model::Plan now{.goal = "g",
                          .items = {{.id = "done", .agent = "x", .status = completed},
                                    {.id = "lost", .agent = "x", .status = failed},
                                    {.id = "runs", .agent = "x", .depends_on = {"done"}, .status = running},
                                    {.id = "next", .agent = "x", .depends_on = {"runs"}}}};
    const auto edit = [&](std::string_view tasks) {
        return read_edit(boost::json::object{{"goal", "h"}, {"tasks", boost::json::parse(tasks)}}, now, agents);
    };
    struct {
        const char* tasks;
        const char* says;
    } const refused[] = {
        {R"([{"id":"new","agent":"x","action":"z","depends_on":["runs"]}])",
         R"("new" depends on "runs", which the plan leaves out although it is running; keep "runs" in the plan)"},
        {R"([{"id":"new","agent":"x","action":"z","depends_on":["done"]}])",
         R"("new" depends on "done", which the plan leaves out although it is finished; keep "done" in the plan)"},
        {R"([{"id":"new","agent":"x","action":"z","depends_on":["next"]}])",
         R"(tasks[0].depends_on[0]: "next" is not in the plan)"},
        {R"([{"id":"new","agent":"z","action":"z"}])", R"(tasks[0].agent: the team has no agent "z"; it has: x, y)"},
        {R"([{"id":"a b","agent":"x","action":"z"}])", R"(tasks[0].id: "a b" cannot be an id)"},
        {R"([{"id":"plan","agent":"x","action":"z"}])", R"("plan" is the name of a part of every plan)"},
        {R"("new")", "tasks: "},
    };
    for (const auto& c : refused) {
        CAPTURE(c.tasks);
        CHECK(test::error_of([&] { edit(c.tasks); }) == doctest::Contains(c.says));
    }

    const model::Plan after = edited(now, edit(R"([{"id":"hangs","agent":"y","action":"z","depends_on":["lost","next"]},
        {"id":"runs","agent":"y","action":"other"},{"id":"lost","agent":"x","action":"z"},
        {"id":"next","agent":"y","action":"z","status":"failed"}])"));
    CHECK(after.goal == "h");
    REQUIRE(after.items.size() == 5);
    CHECK(after.items[0] == now.items[0]);
    CHECK(after.items[1].status == skipped);
    CHECK(after.items[2] == now.items[2]);
    CHECK(after.items[3] == now.items[1]);
    CHECK(after.items[4] == model::PlanItem{.id = "next", .agent = "y", .action = "z"});
}
