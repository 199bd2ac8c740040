// Following a task: its events, and the pieces that models write.
#include "base/async.hpp"
#include "base/error.hpp"
#include "base/timeout.hpp"
#include "cli/args.hpp"
#include "cli/event_text.hpp"
#include "cli/layout.hpp"
#include "cli/look_verbs.hpp"
#include "cli/output.hpp"
#include "cli/read_only_home.hpp"
#include "cli/task_text.hpp"
#include "cli/text_stream.hpp"
#include "cli/verb.hpp"
#include "cli/verb_context.hpp"
#include "engine/event_reader.hpp"
#include "engine/numbered_event.hpp"
#include "home/control/control.hpp"
#include "home/control/control_client.hpp"
#include "home/requests.hpp"
#include "model/write.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <string>
#include <utility>

namespace cadre::cli {
namespace {

/// How often a task that another process drives is looked at.
constexpr Millis kLookEvery{100};
/// How long an owner of the home may take to greet us.
constexpr Millis kGreeting{500};
/// Of a line, where nothing says how wide the page is.
constexpr std::size_t kWidestEvent = 200;
/// Of what an agent wrote, below the line that says so.
constexpr std::size_t kTextIndent = 7;

std::string said_in(const model::Event& event)
{
    const auto* end = std::get_if<model::AgentCompleteEvent>(&event);
    return end ? end->text : "";
}

std::string tail_line(const engine::NumberedEvent& event, const Output& output)
{
    if (output.json) return engine::line_of(event);
    const std::size_t width = page_width(kWidestEvent);
    const std::string line =
        fmt::format("{:>5}  {}  {}", event.number, local_time(model::time_of(event.event), system_clock().now()),
                    words_of(event.event));
    std::string text = one_line(line, width, output.utf8) + "\n";
    const std::size_t room = std::max<std::size_t>(width, kTextIndent + 20) - kTextIndent;
    for (const std::string& said : lines_of(terminal_text(said_in(event.event)), room))
        text += std::string(kTextIndent, ' ') + said + "\n";
    return text;
}

/// Lines of what comes, and which event is the next.
class TailLines final : public home::Listener {
public:
    TailLines(const Output& output, std::uint32_t first) : output_(output), next_(first) {}

    Async<> hear(home::Told told) override
    {
        if (const auto* event = std::get_if<engine::EventPtr>(&told)) print(**event);
        else output_.print(home::line_of(told));
        co_return;
    }
    void print(const engine::NumberedEvent& event)
    {
        output_.print(tail_line(event, output_));
        next_ = event.number + 1;
    }

    std::uint32_t next() const { return next_; }

private:
    const Output& output_;
    std::uint32_t next_;
};

/// What the owner of the home tells of the task. True: to its end; false: there is no owner, or it has left.
Async<bool> hear_from_owner(ReadOnlyHome& onlooker, Id task, TailLines& lines)
{
    const auto owner = co_await home::ControlClient::connect(onlooker.loop(), onlooker.home(), kGreeting);
    if (!owner) co_return false;
    const home::Watch request{.task = task, .after = lines.next() - 1, .children = true};
    const auto end = co_await owner->call(
        home::request_line(home::Watch::verb, onlooker.who().subject, model::to_json_text(request)), &lines);
    co_return end.has_value();
}

struct TailOptions {
    std::uint32_t first = 1;
    bool follows = false;
};

Async<> follow_events(ReadOnlyHome& onlooker, std::string prefix, TailOptions options, const Output& output)
{
    const Id task = co_await onlooker.queries().resolve(onlooker.who(), std::move(prefix));
    co_await onlooker.queries().task(onlooker.who(), task);  // that it exists
    TailLines lines(output, options.first);
    std::optional<engine::EventReader> reader;
    while (true) {
        const std::uint32_t before = lines.next();
        if (output.deltas && co_await hear_from_owner(onlooker, task, lines)) co_return;
        if (!reader || lines.next() != before) reader.emplace(onlooker.store(), task, lines.next());
        while (true) {
            const auto events = co_await reader->next();
            if (events.empty()) break;
            for (const engine::EventPtr& event : events) lines.print(*event);
        }
        if (!options.follows || reader->ended()) co_return;
        co_await sleep_for(kLookEvery);
    }
}

std::uint32_t event_number_in(const std::string& text)
{
    std::uint32_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc{} || end != text.data() + text.size())
        throw Error(Code::invalid, fmt::format("--from is the number of an event, not {}", in_quotes(text)));
    return std::max<std::uint32_t>(number, 1);
}

}  // namespace

int tail(const Args& args, Output& output)
{
    expect_deltas(args, output, "tail");
    if (output.deltas && !args.has("follow"))
        throw UsageError("tail: --deltas needs --follow: the pieces that a text came in are not stored",
                         *find_verb(program(), "tail"));
    const TailOptions options{.first = event_number_in(args.find("from").value_or("1")), .follows = args.has("follow")};
    ReadOnlyHome onlooker;
    onlooker.run(follow_events(onlooker, args["task"], options, output));
    return 0;
}

}  // namespace cadre::cli
