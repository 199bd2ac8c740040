#include "cli/trace_verb.hpp"

#include "base/async.hpp"
#include "base/error.hpp"
#include "base/redact.hpp"
#include "cli/args.hpp"
#include "cli/layout.hpp"
#include "cli/look_verbs.hpp"
#include "cli/output.hpp"
#include "cli/read_only_home.hpp"
#include "cli/requests_view.hpp"
#include "cli/task_text.hpp"
#include "cli/terminal.hpp"
#include "cli/trace_page.hpp"
#include "cli/trace_text.hpp"
#include "cli/write_file.hpp"
#include "engine/delegated_trace.hpp"
#include "engine/trace.hpp"
#include "model/wire_name.hpp"

#include <fmt/core.h>

#include <unistd.h>

namespace cadre::cli {
namespace {

/// Where nothing says how wide the page is.
constexpr std::size_t kWidestTrace = 120;

struct Traced {
    engine::Trace trace{};
    engine::TaskState state{};
    std::string status{};  // as people and programs are told
};

/// With all that was delegated.
Async<Traced> read_trace(ReadOnlyHome& onlooker, std::string prefix)
{
    engine::Queries& queries = onlooker.queries();
    const Id task = co_await queries.resolve(onlooker.who(), std::move(prefix));
    const auto records = co_await queries.records(onlooker.who(), task);
    Traced traced{.trace = engine::trace_of(records), .state = engine::fold(records)};
    co_await engine::graft_delegated(onlooker.store(), traced.trace);
    traced.status = model::wire_name(traced.state.status);
    if (traced.state.status == model::TaskStatus::running) {
        const auto driven = co_await onlooker.driven();
        if (driven && !driven->contains(task)) traced.status = kInterrupted;
    }
    co_return traced;
}

std::string page_of(const Traced& traced, const Output& output, Time now)
{
    const std::size_t width = page_width(kWidestTrace);
    const std::string head = fmt::format("{}  {}", short_id(traced.trace.task), traced.status);
    std::string text = output.out.paint(Tone::bold, head) + "  " +
                       one_line(redact(traced.state.spec.description), width - columns(head) - 2, output.utf8) + "\n";
    text += timeline(traced.trace, {.paint = output.out.paint, .utf8 = output.utf8, .width = width, .now = now});
    return text;
}

/// What model calls were sent, by their paths. Those of tasks below, whose paths are like ours, have none.
std::map<std::string, std::string> texts_sent(ReadOnlyHome& onlooker, const engine::Trace& trace)
{
    constexpr std::size_t kWidth = 100;
    std::map<std::string, std::string> texts;
    try {
        const SentViews views = sent_requests(onlooker, to_string(trace.task));
        const auto pages = pages_of(views, {.utf8 = true}, kWidth);
        for (std::size_t i = 0; i < pages.size(); ++i) texts[views.requests[i].path] = pages[i];
    } catch (const Error&) {
        return {};  // of a program of somebody else's: what it did is shown all the same
    }
    std::map<std::string, int> spans;
    for (const engine::Span& span : trace.spans)
        if (span.kind == engine::SpanKind::step) ++spans[span.path];
    std::erase_if(texts, [&](const auto& text) { return spans[text.first] != 1; });
    return texts;
}

}  // namespace

int trace(const Args& args, Output& output)
{
    ReadOnlyHome onlooker;
    const Traced traced = onlooker.run(read_trace(onlooker, args["task"]));
    const Time now = traced.state.finished() ? traced.trace.last : system_clock().now();
    if (const auto file = args.find("html")) {
        write_file(*file, trace_page(traced.trace, traced.state, now, texts_sent(onlooker, traced.trace)));
        if (!output.quiet && !output.json)
            output.complain(fmt::format("{} written: open it in a browser\n", printable(*file)));
        if (!output.json) return 0;
    }
    output.print(output.json ? trace_json(traced.trace, now, traced.status) + "\n" : page_of(traced, output, now));
    return 0;
}

}  // namespace cadre::cli
