#include "cli/trace_text.hpp"

#include "cli/layout.hpp"
#include "cli/trace_page.hpp"

#include <boost/json.hpp>
#include <doctest/doctest.h>

#include <algorithm>
#include <sstream>

using namespace cadre;
using namespace cadre::cli;
using engine::Span;
using engine::SpanKind;
using engine::SpanStatus;
using engine::Trace;

namespace {

constexpr std::string_view kNasty = "</script><script>document.title='owned'</script><img src=x onerror=alert(1)>";

Time at(int ms)
{
    return Time(Millis(1'700'000'000'000 + ms));
}

Trace picnic()
{
    Span task{.kind = SpanKind::task, .status = SpanStatus::done, .name = "planner", .begin = at(0), .end = at(4000)};
    task.usage = {.input = 300, .output = 40, .cost = 0.0012};
    Span step{.kind = SpanKind::step,
              .status = SpanStatus::done,
              .depth = 1,
              .name = "planner",
              .begin = at(0),
              .end = at(1000)};
    step.usage = task.usage;
    step.output = "Let me see.";
    Span call{.kind = SpanKind::call,
              .status = SpanStatus::failed,
              .depth = 1,
              .name = "calculator",
              .begin = at(1000),
              .end = at(2000)};
    call.input = R"({"expression":"1/0"})";
    call.error = "division by zero";
    Span question{.kind = SpanKind::question,
                  .status = SpanStatus::done,
                  .depth = 1,
                  .name = "feedback",
                  .agent = "planner",
                  .begin = at(2000),
                  .end = at(4000)};
    question.input = "Which day?";
    question.output = "approved: Saturday";
    return {.spans = {task, step, call, question}, .last = at(4000)};
}

std::vector<std::string> split(const std::string& text)
{
    std::vector<std::string> lines;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);) lines.push_back(line);
    return lines;
}

}  // namespace

TEST_CASE("a timeline shows when, how long, tokens and money, each in its column")
{
    const TraceLook look{.utf8 = true, .width = 60, .now = at(4000)};
    CHECK(timeline(picnic(), look) == "task                      ───────────────  4 s  340  $0.0012\n"
                                      "  planner thinks          ━━━              1 s  340  $0.0012\n"
                                      "    calculator               ━━━━          1 s\n"
                                      "  planner asks: Which d…         ┄┄┄┄┄┄┄┄  2 s\n");
}

TEST_CASE("a timeline fits every width, and does without bars where there is no room for them")
{
    for (const std::size_t width : {30, 40, 60, 80, 120, 200}) {
        CAPTURE(width);
        for (const std::string& line : split(timeline(picnic(), {.utf8 = true, .width = width, .now = at(4000)})))
            CHECK(columns(line) <= width);
    }
    CHECK(timeline(picnic(), {.utf8 = false, .width = 80, .now = at(4000)})
              .find_first_not_of(" -=.x\nabcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789$:?") ==
          std::string::npos);
}

TEST_CASE("a page of steps tells what each said, called and got")
{
    const std::string page = step_page(picnic(), {.utf8 = true, .width = 80, .now = at(4000)});
    CHECK(page == "  1  planner thinks  1 s, 340 tokens, $0.0012\n"
                  "     Let me see.\n"
                  "     ✗ calculator {\"expression\":\"1/0\"} → division by zero  1 s\n"
                  "     ? planner asks: Which day? → approved: Saturday  2 s\n");
}

TEST_CASE("what others wrote is data in the page, never markup, and the page refers to nothing")
{
    Trace trace = picnic();
    for (Span& span : trace.spans) span.name = span.input = span.output = span.error = kNasty;
    engine::TaskState state;
    state.spec.description = kNasty;
    const std::string page = trace_page(trace, state, at(4000), {{"think:1", "1  ann asks m\n  </script>"}});
    CHECK(page.find(R"({"think:1":"1  ann asks m\n  \u003c/script\u003e"})") != std::string::npos);
    CHECK(page.find("document.title='owned'</script>") == std::string::npos);
    CHECK(page.find("<img") == std::string::npos);
    std::size_t scripts = 0;
    for (std::size_t i = page.find("<script"); i != page.npos; i = page.find("<script", i + 1)) ++scripts;
    CHECK(scripts == 4);  // three of data, and the page's own
    CHECK(page.find("default-src 'none'; style-src 'sha256-") != page.npos);
    for (const char* reference : {"http://", "https://", "<script src", "href=", "url(", "@import", "unsafe-"}) {
        CAPTURE(std::string(reference));
        CHECK(page.find(reference) == page.npos);
    }
    const std::size_t begin = page.find(">", page.find("id=\"trace\"")) + 1;
    const auto data = boost::json::parse(page.substr(begin, page.find("</script>", begin) - begin));
    CHECK(data.at("spans").at(1).at("output").as_string() == kNasty);
}

TEST_CASE("what a team announced is a line between the steps, takes no time, and is told in words to programs")
{
    Trace trace = picnic();
    Span vote{.kind = SpanKind::fact, .status = SpanStatus::done, .depth = 1, .path = "announce:1", .name = "vote"};
    vote.begin = at(1500);
    vote.end = at(1500);
    vote.event = model::ConsensusVoteEvent{
        .voter_agent = "ann", .vote = "reject", .reasoning = "\x1b[2J " + std::string(100, 'x')};
    trace.spans.insert(trace.spans.begin() + 2, vote);
    const TraceLook look{.utf8 = true, .width = 80, .now = at(4000)};

    const auto steps = split(step_page(trace, look));
    const auto line = std::ranges::find_if(steps, [](const std::string& one) { return one.starts_with("     ✗ ann"); });
    REQUIRE(line != steps.end());
    CHECK(line->starts_with(R"(     ✗ ann rejects: \x1b[2J xxx)"));
    CHECK(line->ends_with("…"));
    CHECK(columns(*line) <= 80);

    const auto rows = split(timeline(trace, look));
    REQUIRE(rows.size() == 5);
    CHECK(rows[2].starts_with("  ann rejects: "));
    CHECK(rows[2].ends_with("◆"));
    CHECK(trace_json(trace, at(4000)).find(R"("kind":"fact","status":"done")") != std::string::npos);
    CHECK(trace_json(trace, at(4000)).find(R"("name":"ann rejects: )") != std::string::npos);
}

TEST_CASE("steps stand below the nodes that somebody has named, with what these waited for and what became of them")
{
    const auto node = [](int depth, const char* name) {
        return Span{.kind = SpanKind::node,
                    .status = SpanStatus::done,
                    .depth = depth,
                    .name = name,
                    .begin = at(0),
                    .end = at(9),
                    .is_named = true};
    };
    Trace trace = picnic();
    const Span step = trace.spans[1];
    Span lost = node(1, "right"), join = node(1, "meet"),
         limit{.kind = SpanKind::sleep, .status = SpanStatus::cancelled, .depth = 3};
    lost.status = SpanStatus::cancelled;
    join.after = {"left", "\x1b[2J"};
    join.joins = true;
    trace.spans = {trace.spans[0], node(1, "kind"), lost, join, node(2, "turn 2"), step, node(2, "branch 1"), limit};
    trace.spans[5].depth = 3;
    const std::string page = step_page(trace, {.utf8 = true, .width = 80, .now = at(9)});
    CHECK(page == "     ▸ kind\n"
                  "     ▸ right, cancelled\n"
                  "     ▸ meet joins left, \\x1b[2J\n"
                  "     ▸ meet, turn 2\n"
                  "  1  planner thinks  1 s, 340 tokens, $0.0012\n"
                  "     Let me see.\n");
    for (Span& span : trace.spans) span.is_named = false;
    CHECK(step_page(trace, {.width = 80, .now = at(9)}).find("turn") == std::string::npos);
    CHECK(trace_json(trace, at(9)).find(R"("joins":true,"after":["left",)") != std::string::npos);
}

TEST_CASE("steps of a delegated task stand below what delegated it, to the right")
{
    Trace trace = picnic();
    Span delegate{
        .kind = SpanKind::delegate, .status = SpanStatus::done, .depth = 1, .name = "scout", .begin = at(2000)};
    delegate.end = at(3000);
    trace.spans.insert(trace.spans.begin() + 3, delegate);
    Trace child = picnic();
    child.spans.resize(2);
    engine::graft(trace, 3, child);
    const auto steps = split(step_page(trace, {.utf8 = true, .width = 80, .now = at(4000)}));
    const auto below =
        std::ranges::find_if(steps, [](const std::string& one) { return one.starts_with("      2  planner thinks"); });
    REQUIRE(below != steps.end());
    CHECK((below - 1)->find("has scout do it") != std::string::npos);
    CHECK(steps.back().starts_with("     ? planner asks"));
}
