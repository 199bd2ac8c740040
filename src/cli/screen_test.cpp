#include "cli/screen.hpp"

#include "cli/layout.hpp"

#include <boost/json.hpp>
#include <doctest/doctest.h>
#include <fmt/format.h>

using namespace cadre;
using namespace cadre::cli;
using namespace std::chrono_literals;

namespace {

using Lines = std::vector<std::string>;

struct Watched {
    Screen screen{{.utf8 = true}, 41};
    Instant now{};
    TerminalSize size{41, 10};

    Frame frame() { return screen.frame(now, size); }
    void thinks(const std::string& step, const std::string& agent = "ann")
    {
        screen.take(model::AgentStartEvent{.agent_name = agent, .step_id = step}, now);
    }
    void writes(const std::string& step, const std::string& text, const std::string& agent = "ann")
    {
        screen.take(model::StreamChunk{.step_id = step, .agent_name = agent, .text = text}, now);
    }
    void stops(const std::string& step) { screen.take(model::AgentCompleteEvent{.step_id = step}, now); }
    void calls(const std::string& id, const std::string& tool, boost::json::object args = {})
    {
        screen.take(model::ToolCallEvent{.tool_call = {.id = id, .tool_name = tool, .args = std::move(args)},
                                         .agent_name = "ann"},
                    now);
    }
    void gives(const std::string& id, const std::string& result, std::int64_t ms)
    {
        screen.take(
            model::ToolResultEvent{.tool_result = {.tool_call_id = id, .result = result, .execution_time_ms = ms}},
            now);
    }
};

}  // namespace

TEST_CASE("a text that comes at once, or in part, is shown when its turn ends, and once")
{
    for (const std::size_t came : {0U, 4U, 17U}) {
        CAPTURE(came);
        const std::string text = "Let me see. Yes.\n";
        Watched watched;
        watched.thinks("s1");
        if (came > 0) watched.writes("s1", text.substr(0, came));
        watched.screen.take(model::AgentCompleteEvent{.step_id = "s1", .text = text}, watched.now);
        watched.calls("c1", "calculator");
        CHECK(watched.frame().done == Lines{"ann", "Let me see. Yes."});
        CHECK(watched.screen.said() == text);
    }
}

TEST_CASE("where pieces of a text are missing it is shown whole when its turn ends")
{
    Watched watched;
    watched.thinks("s1");
    watched.writes("s1", "One two");
    watched.screen.lose_text();
    watched.writes("s1", " five");
    watched.screen.take(model::AgentCompleteEvent{.step_id = "s1", .text = "One two three four five"}, watched.now);
    CHECK(watched.frame().done == Lines{"ann", "One two five", "One two three four five"});
    CHECK(watched.screen.said() == "One two three four five");
}

TEST_CASE("where answers go elsewhere, what is said on the way to them is still shown")
{
    Watched watched{.screen = Screen{{.utf8 = true, .shows_text = false}, 41}};
    watched.thinks("s1");
    watched.screen.take(model::AgentCompleteEvent{.step_id = "s1", .text = "Let me see."}, watched.now);
    watched.calls("c1", "calculator");
    CHECK(watched.frame().done == Lines{"ann", "Let me see."});
    watched.gives("c1", "5", 1);
    watched.thinks("s2");
    watched.screen.take(model::AgentCompleteEvent{.step_id = "s2", .text = "Five."}, watched.now);
    watched.screen.take(model::TaskCompleteEvent{.summary = "Five."}, watched.now);
    CHECK(watched.frame().done == Lines{"  ✓ calculator {} → 5  1 ms"});
}

TEST_CASE("an answer that breaks off is not taken for one")
{
    Watched watched;
    watched.thinks("s1");
    watched.writes("s1", "Half of");
    watched.screen.take(model::StreamChunk{.step_id = "s1", .agent_name = "ann", .is_final = true, .aborted = true},
                        watched.now);
    CHECK(watched.frame().done == Lines{"ann", "Half of", "  ! ann's answer broke off here"});
}

TEST_CASE("text is final line by line, broken between words, and what may still grow is live")
{
    Watched watched;
    watched.thinks("s1");
    CHECK(watched.frame() == Frame{{}, {"  ⠋ ann thinks"}});
    watched.now += 1500ms;
    CHECK(watched.frame().live == Lines{"  ⠴ ann thinks  1.5 s"});
    watched.writes("s1", "The quick brown fox jumps over");
    CHECK(watched.frame() == Frame{{"ann"}, {"The quick brown fox jumps over"}});
    watched.writes("s1", " the lazy dog and");
    CHECK(watched.frame() == Frame{{"The quick brown fox jumps over the lazy"}, {"dog and"}});
    watched.size.width = 200;  // the terminal became wider
    watched.writes("s1", " sleeps.\nNew line");
    CHECK(watched.frame() == Frame{{"dog and sleeps."}, {"New line"}});
    watched.stops("s1");
    CHECK(watched.frame() == Frame{{"New line"}, {}});
    CHECK(watched.screen.said() == "The quick brown fox jumps over the lazy dog and sleeps.\nNew line");
}

TEST_CASE("an answer that broke off is final where the next attempt begins, and holds up nobody")
{
    Watched watched;
    watched.thinks("s1");
    watched.writes("s1", "This is no");
    watched.screen.take(model::RecoveryEvent{.details = {{"attempt", 2}, {"step_id", "s2"}, {"instead_of", "s1"}}},
                        watched.now);
    CHECK(watched.frame() == Frame{{"ann", "This is no", "  ! retrying, attempt 2"}, {"  ⠋ ann thinks"}});
    watched.writes("s2", "This is it.\n");
    CHECK(watched.frame() == Frame{{"This is it."}, {"  ⠋ ann thinks"}});
    watched.stops("s2");
    CHECK(watched.frame() == Frame{{}, {}});
    CHECK(watched.screen.said() == "This is it.\n");
}

TEST_CASE("a step that has to wait for its vendor says until when, and no longer than it waits")
{
    Watched watched;
    watched.thinks("s1");
    const model::StreamChunk waits{.step_id = "s1", .agent_name = "ann", .throttled_until = Time(1'700'000'000'001ms)};
    watched.screen.take(waits, watched.now);
    const Lines live = watched.frame().live;
    REQUIRE(live.size() == 1);
    CHECK(live[0].starts_with("  ⠋ ann is throttled until "));
    CHECK(live[0].ends_with(":21"));  // a millisecond after :20
    watched.writes("s1", "Hello");
    CHECK(watched.frame() == Frame{{"ann"}, {"Hello"}});
}

TEST_CASE("a call says how far it is, in place of what it was called with")
{
    Watched watched;
    watched.calls("a", "index", {{"in", "x"}});
    watched.screen.take(model::StreamChunk{.step_id = "a", .agent_name = "ann", .progress = "3 of\x1b[2J 10"},
                        watched.now);
    CHECK(watched.frame().live == Lines{R"(  ⠋ index: 3 of\x1b[2J 10)"});
    watched.screen.take(model::StreamChunk{.step_id = "nobody", .agent_name = "ann", .progress = "?"}, watched.now);
    watched.gives("a", "done", 2100);
    CHECK(watched.frame() == Frame{{"ann", R"(  ✓ index {"in":"x"} → done  2.1 s)"}, {}});
    CHECK(watched.screen.said() == "");
}

TEST_CASE("calls at the same time are lines at the same time, final in the order in which they began")
{
    Watched watched;
    watched.calls("a", "search", {{"q", "x"}});
    watched.calls("b", "clock");
    CHECK(watched.frame().live == Lines{R"(  ⠋ search {"q":"x"})", "  ⠋ clock {}"});
    watched.now += 100ms;
    watched.gives("b", "noon", 100);
    CHECK(watched.frame() == Frame{{}, {R"(  ⠙ search {"q":"x"})", "  ✓ clock {} → noon  100 ms"}});
    watched.gives("a", "found", 2100);
    CHECK(watched.frame() ==
          Frame{{"ann", R"(  ✓ search {"q":"x"} → found  2.1 s)", "  ✓ clock {} → noon  100 ms"}, {}});
}

TEST_CASE("agents that write at the same time have lanes: whole lines, with a name in front")
{
    Watched watched;
    watched.thinks("s1", "ann");
    watched.thinks("s2", "robert");
    CHECK(watched.frame() == Frame{{}, {"ann    │ ⠋ thinks", "robert │ ⠋ thinks"}});
    watched.writes("s2", "I am second, and I write", "robert");
    watched.writes("s1", "I am first", "ann");
    CHECK(watched.frame() == Frame{{}, {"ann    │ I am first", "robert │ I am second, and I write"}});
    watched.writes("s2", " more than fits", "robert");
    CHECK(watched.frame() ==
          Frame{{"robert │ I am second, and I write more"}, {"ann    │ I am first", "robert │ than fits"}});
    watched.stops("s2");
    watched.stops("s1");
    CHECK(watched.frame() == Frame{{"ann    │ I am first", "robert │ than fits"}, {}});

    // one alone streams as before
    watched.thinks("s3", "ann");
    watched.writes("s3", "Alone.", "ann");
    CHECK(watched.frame() == Frame{{"ann"}, {"Alone."}});
}

TEST_CASE("one who was writing when another began gets a lane where it stands")
{
    Watched watched;
    watched.thinks("s1", "ann");
    watched.writes("s1", "First line.\nSecond", "ann");
    CHECK(watched.frame() == Frame{{"ann", "First line."}, {"Second"}});
    watched.thinks("s2", "bob");
    CHECK(watched.frame() == Frame{{}, {"ann │ Second", "bob │ ⠋ thinks"}});
    watched.calls("a", "clock");
    watched.gives("a", "noon", 5);
    CHECK(watched.frame().done == Lines{"ann │ ✓ clock {} → noon  5 ms"});
}

TEST_CASE("a lane has the name of its node, or that of its agent where several work in one")
{
    const auto thinks = [](Watched& watched, const char* step, const char* agent, const char* node) {
        watched.screen.take(model::AgentStartEvent{.agent_name = agent, .step_id = step, .node = node}, watched.now);
    };
    Watched workflow;
    thinks(workflow, "s1", "ann", "title");
    thinks(workflow, "s2", "ann", "body");
    CHECK(workflow.frame().live == Lines{"title │ ⠋ thinks", "body  │ ⠋ thinks"});
    Watched vote;
    thinks(vote, "s1", "ann", "review");
    thinks(vote, "s2", "bob", "review");
    CHECK(vote.frame().live == Lines{"ann │ ⠋ thinks", "bob │ ⠋ thinks"});
}

TEST_CASE("Markdown is rendered in lanes, too")
{
    Watched watched{.screen = Screen{{.paint = {.on = true}, .utf8 = true}, 41}};
    watched.thinks("s1", "ann");
    watched.thinks("s2", "bob");
    watched.writes("s1", "It is **so**.\n", "ann");
    const auto done = watched.frame().done;
    REQUIRE(done.size() == 1);
    CHECK(done[0].find("**") == std::string::npos);
    CHECK(done[0].find("│ It is \x1b[1mso") != std::string::npos);
}

TEST_CASE("lanes of a group stay between two sync points, and end behind the last one")
{
    Watched watched;
    watched.screen.take(
        model::ParallelExecutionStartEvent{.agents = {"ann", "robert"}, .sync_points = {"facts", "end"}}, watched.now);
    watched.thinks("s1", "ann");
    watched.writes("s1", "x", "ann");
    watched.stops("s1");
    watched.screen.take(model::ParallelExecutionSyncEvent{.sync_point = "facts", .completed_agents = {"ann", "robert"}},
                        watched.now);
    CHECK(watched.frame() ==
          Frame{{"  ⇉ 2 agents at the same time: ann, rob…", "ann    │ x", "  ◆ facts: all 2 are there"}, {}});
    watched.thinks("s2", "ann");
    CHECK(watched.frame().live == Lines{"ann    │ ⠋ thinks"});
    watched.stops("s2");
    watched.screen.take(model::ParallelExecutionSyncEvent{.sync_point = "end", .completed_agents = {"ann", "robert"}},
                        watched.now);
    watched.thinks("s3", "ann");
    CHECK(watched.frame() == Frame{{"  ◆ end: all 2 are there"}, {"  ⠋ ann thinks"}});
}

TEST_CASE("what is written in a task below is seen with its origin, and is not the answer")
{
    Watched watched;
    const auto below = [&](const std::string& step, const std::string& text, const std::string& task,
                           bool last = false) {
        watched.screen.take(
            model::StreamChunk{.step_id = step, .agent_name = "ann", .text = text, .is_final = last, .task_id = task},
            watched.now);
    };
    below("c1", "I look", "t1");
    below("c2", "Me too", "t2");
    CHECK(watched.frame() == Frame{{}, {"↳ ann   │ I look", "↳ ann 2 │ Me too"}});
    below("c1", ".", "t1", true);
    below("c2", "", "t2", true);
    watched.thinks("s1", "bob");
    CHECK(watched.frame() == Frame{{"↳ ann   │ I look.", "↳ ann 2 │ Me too"}, {"  ⠋ bob thinks"}});
    CHECK(watched.screen.said() == "");
}

TEST_CASE("a vote is a line in words, and the object that it was written as is not shown")
{
    Watched watched;
    watched.size.width = 60;
    watched.thinks("s1", "ann");
    watched.thinks("s2", "bob");
    watched.writes("s1", R"({"vote": "approve", "reasoning": "It is)", "ann");
    watched.writes("s2", R"({"odd": 1})", "bob");
    CHECK(watched.frame() == Frame{{}, {"ann │ ⠋ writes", "bob │ ⠋ writes"}});
    watched.writes("s1", R"( ready."})", "ann");
    watched.stops("s1");
    watched.stops("s2");
    watched.screen.take(model::ConsensusVoteEvent{.voter_agent = "ann", .vote = "approve", .reasoning = "It is ready."},
                        watched.now);
    CHECK(watched.frame().done == Lines{"  ✓ ann approves: It is ready."});
    watched.screen.take(model::TaskCompleteEvent{}, watched.now);
    CHECK(watched.frame() == Frame{{R"(bob │ {"odd": 1})"}, {}});  // nobody has said it in words
}

TEST_CASE("a plan is shown as a plan, and another object as it was written, before whoever comes next")
{
    Watched watched;
    watched.size.width = 60;
    const auto begins = [&](const char* step, const char* agent, const char* node) {
        watched.screen.take(model::AgentStartEvent{.agent_name = agent, .step_id = step, .node = node}, watched.now);
    };
    begins("s1", "ann", "plan");
    watched.writes("s1", R"({"goal": "tea", "tasks": [{"id": "facts", "agent": "bob", "action": "Find facts"},)");
    watched.writes("s1", R"( {"id": "text", "agent": "cal", "action": "Write", "depends_on": ["facts"]}]})");
    watched.stops("s1");
    begins("s2", "bob", "facts");
    CHECK(watched.frame() == Frame{{"▸ plan (ann)", "  ◆ plan: 2 items", "    facts (bob): Find facts",
                                    "    text (cal): Write, after facts"},
                                   {"  ⠋ ▸ facts (bob) thinks"}});
    watched.writes("s2", R"({"fact": 1})", "bob");
    CHECK(watched.frame() == Frame{{}, {"  ⠋ ▸ facts (bob) writes"}});
    watched.stops("s2");
    begins("s3", "cal", "text");
    CHECK(watched.frame().done == Lines{"▸ facts (bob)", R"({"fact": 1})"});
}

TEST_CASE("what agents do together is a line each, no wider than the terminal")
{
    const std::string long_text(200, 'x');
    const model::Event events[] = {
        model::AgentHandoffEvent{.from_agent = "writer", .to_agent = "reviewer", .reason = "the draft is ready"},
        model::AgentHandoffEvent{.from_agent = "lead",
                                 .to_agent = "ann",
                                 .reason = long_text,
                                 .handoff_type = model::HandoffType::hierarchical},
        model::ConsensusProposalEvent{.proposer_agent = "lead", .decision = "ship\nit\x1b[2J"},
        model::ConsensusVoteEvent{.voter_agent = "ann", .vote = "reject", .reasoning = long_text},
        model::ConsensusVoteEvent{.voter_agent = "bob", .vote = "abstain", .reasoning = "no answer within 60 s"},
    };
    const std::string cut = std::string(80, 'x');
    Watched all;
    all.size.width = 80;
    all.frame();
    for (const model::Event& event : events) all.screen.take(event, all.now);
    const Lines done = all.frame().done;
    REQUIRE(done.size() == 5);
    CHECK(done[0] == "  → writer hands over to reviewer: the draft is ready");
    CHECK(done[1] == "  ↳ lead has ann do a part: " + cut.substr(0, 79 - 28 - 1) + "…");
    CHECK(done[2] == R"(  ? lead proposes: ship it\x1b[2J)");
    CHECK(done[3] == "  ✗ ann rejects: " + cut.substr(0, 79 - 17 - 1) + "…");
    CHECK(done[4] == "  ○ bob abstains: no answer within 60 s");
    for (const std::string& line : done) CHECK(columns(line) < 80);
}

TEST_CASE("no line is wider than the terminal, whatever a tool was asked and answered")
{
    for (const std::size_t width : {20, 40, 41, 80, 200}) {
        for (const char* text :
             {"short", "a result that is much longer than what fits into a terminal of forty columns",
              "日本語のとても長い結果がここに入りますので切られなければなりません", "x\x1b[2J\ny\tz"}) {
            CAPTURE(width);
            CAPTURE(text);
            Watched watched;
            watched.size.width = width;
            watched.calls("a", "write_file", {{"path", text}, {"content", text}});
            watched.thinks("s");
            watched.writes("s", text);
            Frame frame = watched.frame();
            watched.gives("a", text, 12345);
            watched.stops("s");
            const Frame last = watched.frame();
            frame.live.insert(frame.live.end(), last.done.begin(), last.done.end());
            for (const std::string& line : frame.live) {
                CAPTURE(line);
                CHECK(columns(line) < std::max<std::size_t>(width, 43));  // below that, a call's line cannot shrink
                CHECK(line.find_first_of("\x1b\n\t") == line.npos);
            }
        }
    }
}

TEST_CASE("trouble is said at once, also while something is being written")
{
    Watched watched;
    watched.thinks("s1");
    watched.writes("s1", "half a sent");
    watched.frame();
    watched.screen.take(model::ErrorEvent{.error_message = "too many requests", .recoverable = true}, watched.now);
    CHECK(watched.frame() == Frame{{"half a sent", "  ! will retry: too many requests"}, {"  ⠋ ann thinks"}});
    watched.screen.take(model::RecoveryEvent{.details = {{"attempt", 2}}}, watched.now);
    watched.writes("s1", "A whole sentence.");
    watched.stops("s1");
    CHECK(watched.frame() == Frame{{"  ! retrying, attempt 2", "A whole sentence."}, {}});
    CHECK(watched.screen.said() == "A whole sentence.");
}

TEST_CASE("an agent that fails while others work on is a line of its own, as it happens")
{
    Watched watched;
    watched.thinks("s1");
    watched.screen.take(
        model::ErrorEvent{.error_message = "no such key", .context = {{"agent", "bob"}}, .recoverable = true},
        watched.now);
    CHECK(watched.frame() == Frame{{"  ✗ bob: no such key"}, {"  ⠋ ann thinks"}});
}

TEST_CASE("a picture that is higher than the terminal is cut, and says so")
{
    Watched watched;
    watched.size.height = 6;
    for (int i = 0; i < 10; ++i) watched.calls(fmt::format("c{}", i), fmt::format("tool{}", i));
    CHECK(watched.frame().live == Lines{"  ⠋ tool0 {}", "  ⠋ tool1 {}", "  ⠋ tool2 {}", "  and 7 more"});
}

TEST_CASE("what was begun is final before a question, and nothing is live then")
{
    Watched watched;
    watched.thinks("s1");
    watched.writes("s1", "Let me ask");
    CHECK(watched.screen.settled(watched.now, watched.size) == Frame{{"ann", "Let me ask"}, {}});
    watched.writes("s1", " on");
    CHECK(watched.frame() == Frame{{}, {" on"}});
}

TEST_CASE("an end takes what is under way off the screen, and lost pieces make the text unknown")
{
    Watched watched;
    watched.thinks("s1");
    watched.calls("a", "clock");
    watched.screen.take(model::TaskCompleteEvent{}, watched.now);
    CHECK(watched.frame() == Frame{});
    watched.thinks("s2");
    watched.writes("s2", "ab");
    watched.screen.lose_text();
    watched.writes("s2", "ef");
    CHECK(watched.screen.said() == std::nullopt);
}

TEST_CASE("where people read only ASCII, nothing else is drawn")
{
    Watched watched;
    watched.screen = Screen({.utf8 = false}, 41);
    watched.calls("a", "clock");
    CHECK(watched.frame().live == Lines{"  | clock {}"});
    watched.gives("a", "noon", 5);
    CHECK(watched.frame().done == Lines{"ann", "  * clock {} -> noon  5 ms"});
}

TEST_CASE("a canvas writes only what is different")
{
    Canvas canvas;
    CHECK(canvas.show({{"one"}, {"a", "b", "c"}}, 80) == "one\na\nb\nc");
    CHECK(canvas.show({{}, {"a", "b", "c"}}, 80) == "");
    CHECK(canvas.show({{}, {"a", "B", "c"}}, 80) == "\r\x1b[1A\x1b[JB\nc");
    CHECK(canvas.show({{}, {"a", "B", "c", "d"}}, 80) == "\nd");
    CHECK(canvas.show({{}, {"a", "B"}}, 80) == "\r\x1b[2A\x1b[JB");
    CHECK(canvas.show({{"two"}, {"a"}}, 80) == "\r\x1b[1A\x1b[Jtwo\na");
    CHECK(canvas.show({}, 80) == "\r\x1b[J");
    CHECK(canvas.show({{}, {"x"}}, 80) == "x");
}

TEST_CASE("a canvas reckons with lines that a narrower terminal has broken, and with colours that take no room")
{
    Canvas canvas;
    canvas.show({{}, {"\x1b[1m0123456789\x1b[0m", "z"}}, 80);
    CHECK(canvas.show({{"done"}, {}}, 4) == "\r\x1b[3A\x1b[Jdone\n");
}
