#include "llm/window_plan.hpp"

#include "llm/window_plan_fixture.hpp"
#include "llm/window_summary.hpp"

using namespace cadre;
using namespace cadre::llm;
using namespace cadre::llm::testing;

namespace {

WindowTask task_of(const Messages& messages, std::int64_t tokens)
{
    const Weight limit{tokens, tokens * 2};
    return {.messages = messages,
            .weigh = weigh,
            .limit = limit,
            .target = percent(limit, 60),
            .summary = percent(limit, 20),
            .file_of = [](const Message& message) { return "outputs/" + message.call_id + ".txt"; }};
}

Messages asked(std::string text)
{
    Messages all;
    say(all, {.text = std::move(text)});
    return all;
}

void add_calls(Messages& all, const std::string& name, std::size_t calls, std::size_t bytes)
{
    Message answer{.role = model::Role::assistant};
    for (std::size_t i = 0; i < calls; ++i)
        answer.calls.push_back({.id = name + std::to_string(i), .tool_name = "search"});
    const auto made = answer.calls;
    say(all, std::move(answer));
    for (const auto& call : made)
        say(all, {.role = model::Role::tool, .text = std::string(bytes, 'r'), .call_id = call.id});
}

}  // namespace

TEST_CASE("window: what fits is left as it is")
{
    Messages all = asked("Hello");
    add_calls(all, "a", 3, 100);
    const WindowPlan plan = plan_window(task_of(all, 1000));
    CHECK(plan.cuts.empty());
    CHECK(plan.upto == 0);
    CHECK(plan.before == plan.after);
}

TEST_CASE("window: results that are older than two turns go first, to files, and say how to read them")
{
    Messages all = asked("Look for it");
    for (const char* name : {"a", "b", "c", "d"}) add_calls(all, name, 1, 6000);
    const WindowPlan plan = plan_window(task_of(all, 5500));
    REQUIRE(plan.cuts.size() == 2);
    CHECK(plan.cuts[0] == Cut{2, "[result of search, 6,000 characters: read_file outputs/a0.txt]", "outputs/a0.txt"});
    CHECK(plan.cuts[1].message == 4);
    CHECK(plan.upto == 0);  // that was enough
}

TEST_CASE("window: an agent that reads no files is not told of any")
{
    Messages all = asked("Look for it");
    for (const char* name : {"a", "b", "c"}) add_calls(all, name, 1, 6000);
    WindowTask task = task_of(all, 5500);
    task.file_of = nullptr;
    const WindowPlan plan = plan_window(task);
    REQUIRE_FALSE(plan.cuts.empty());
    CHECK(plan.cuts[0] == Cut{2, "[result of search, 6,000 characters: left out]", ""});
}

TEST_CASE("window, case 1: one result larger than the window is cut to its beginning")
{
    Messages all = asked("Fetch it");
    add_calls(all, "a", 1, 400'000);
    const WindowPlan plan = plan_window(task_of(all, 2000));
    REQUIRE(plan.cuts.size() == 1);
    CHECK(plan.cuts[0].text == std::string(2000, 'r') + " [398,000 more characters: read_file outputs/a0.txt]");
    CHECK(plan.upto == 0);
    CHECK(plan.fits);
}

TEST_CASE("window, case 2: five calls in one step at the border stay together, or go together")
{
    for (std::int64_t limit = 200; limit < 8000; limit += 37) {
        CAPTURE(limit);
        Messages all = asked("Look everywhere");
        add_calls(all, "old", 5, 900);
        add_calls(all, "mid", 5, 900);
        add_calls(all, "new", 5, 900);
        const WindowPlan plan = plan_window(task_of(all, limit));
        CHECK((plan.upto == 0 || plan.upto == 7 || plan.upto == 13 || plan.upto == all.size()));
        check_turns(after(plan, all, plan.upto > 0 ? "notes" : ""));
    }
}

TEST_CASE("window, case 6: images count, and a message that is cut loses them")
{
    Messages all = asked("Look");
    say(all, {.text = "at these", .images = {4, Image{.media_type = "image/png", .data = "AA=="}}});
    const WindowPlan plan = plan_window(task_of(all, 6000));
    REQUIRE(plan.cuts.size() == 1);
    CHECK(plan.cuts[0] == Cut{1, "at these [4 images left out]", ""});
    CHECK(plan.fits);
}

TEST_CASE("window: a limit that nothing can meet is said, not exceeded")
{
    const Messages all = asked(std::string(500, 'u'));
    CHECK_FALSE(plan_window(task_of(all, 5)).fits);
    CHECK(plan_window(task_of(all, 30)).fits);
}

TEST_CASE("window: what was said just now is no memory: it is cut for the vendor alone")
{
    Messages all = asked("first");
    say(all, {.text = std::string(8000, 'u')});
    add_calls(all, "a", 2, 8000);
    WindowTask task = task_of(all, 1000);
    task.limit.most = task.target.most = 100'000;
    const WindowPlan plan = plan_window(task);
    CHECK(plan.cuts.empty());
    CHECK(plan.upto == 0);
    task.limit.most = task.target.most = 8'000;
    CHECK(plan_window(task).cuts.size() > 1);
}

TEST_CASE("window: whatever was said and however narrow it is, what is left fits, and is a conversation")
{
    SeededRandom random(11);
    for (int i = 0; i < 1500; ++i) {
        CAPTURE(i);
        Messages all = asked("first " + std::string(some_size(random), 'f'));
        for (auto turns = random.below(40); turns > 0; --turns) add_turn(all, random);
        const std::int64_t limit = 300 + static_cast<std::int64_t>(random.below(12'000));
        const WindowTask task = task_of(all, limit);
        const WindowPlan plan = plan_window(task);
        REQUIRE(plan.fits);
        CHECK(plan.before == weight_of(all));
        const Messages left = after(plan, all, plan.upto > 0 ? "n" : "");
        CHECK(held_weight(left, weigh).fits(task.limit));
        CHECK(weight_of(left).most <= task.limit.most);
        check_turns(left);
        CHECK((left.front()->text.starts_with("first f") || left.front()->text.starts_with("[…")));
        const auto is_user = [](const auto& message) {
            return message->role == model::Role::user && !is_summary(*message);
        };
        const auto newest = std::find_if(all.rbegin(), all.rend(), is_user);
        const auto last = std::find_if(left.rbegin(), left.rend(), is_user);
        CHECK(((*last)->text.substr(0, 6) == (*newest)->text.substr(0, 6) || (*last)->text.starts_with("[…")));
        // what is gone is what is summed up
        CHECK(summed_up(plan).size() + plan.kept.size() == plan.upto);
    }
}

TEST_CASE("window: what an earlier summary says is in the next one")
{
    Messages all = asked("first");
    say(all, {.text = std::string(kSummaryStart) + "The invoice is 4711.\nAnn wants it on Friday."});
    for (int i = 0; i < 30; ++i) {
        say(all, {.text = "question " + std::to_string(i)});
        say(all, {.role = model::Role::assistant, .text = "answer " + std::to_string(i)});
    }
    const WindowPlan plan = plan_window(task_of(all, 700));
    REQUIRE(plan.upto > 2);
    const auto gone = summed_up(plan);
    CHECK(earlier_summary(all, gone) == "The invoice is 4711.\nAnn wants it on Friday.");
    const std::string text = extract(all, gone, 600);
    CHECK(text.size() <= 600);
    CHECK(text.starts_with("The invoice is 4711.\nAnn wants it on Friday.\nuser: question 0"));
    CHECK(text.find("assistant: answer") != text.npos);
}

TEST_CASE("window: a summary without a model is never longer than it may be, however much there is")
{
    SeededRandom random(5);
    for (int i = 0; i < 300; ++i) {
        CAPTURE(i);
        Messages all = asked("first");
        if (random.below(2) == 0) say(all, {.text = std::string(kSummaryStart) + std::string(some_size(random), 'e')});
        for (auto turns = random.below(60); turns > 0; --turns) add_turn(all, random);
        std::vector<std::size_t> which;
        for (std::size_t one = 0; one < all.size(); ++one) which.push_back(one);
        const std::size_t most = 10 + random.below(5000);
        CHECK(extract(all, which, most).size() <= most);
        const std::size_t piece = 400 + random.below(20'000);
        const auto pieces = transcript(all, which, piece);
        CHECK(pieces.size() <= 4);
        for (const std::string& one : pieces) CHECK(one.size() <= piece);
    }
}
