#include "cli/graph/graph_verb.hpp"

#include "base/async.hpp"
#include "base/error.hpp"
#include "cli/args.hpp"
#include "cli/graph/drawing_json.hpp"
#include "cli/graph/drawn_task.hpp"
#include "cli/graph/graph_source.hpp"
#include "cli/graph/live_drawing.hpp"
#include "cli/graph/mermaid.hpp"
#include "cli/graph/svg.hpp"
#include "cli/output.hpp"
#include "cli/read_only_home.hpp"
#include "cli/terminal.hpp"
#include "cli/write_file.hpp"

#include <fmt/format.h>

#include <charconv>
#include <unistd.h>

namespace cadre::cli {
namespace {

constexpr std::size_t kNarrowestGraph = 20, kBroadestGraph = 1'000;

std::size_t width_in(const std::string& text)
{
    std::size_t width = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), width);
    if (error != std::errc{} || end != text.data() + text.size() || width < kNarrowestGraph || width > kBroadestGraph)
        throw Error(Code::invalid, fmt::format("--width is a number from {} to {}, not {}", kNarrowestGraph,
                                               kBroadestGraph, in_quotes(text)));
    return width;
}

void print_page(const Drawings& drawings, const DrawingPlace& place)
{
    std::string text;
    for (const std::string& line : drawing_page(drawings, place.look(false))) text += line + "\n";
    place.output.print(text);
}

/// False: something for people was asked for.
bool wrote_file(const Drawings& drawings, const engine::TaskState* task, const Args& args, const Output& output)
{
    if (args.has("mermaid")) {
        output.print(mermaid(drawings.main));
        return true;
    }
    if (const auto file = args.find("svg")) {
        const SvgWords words = svg_words(drawings.main);
        const std::string text = svg(drawings.main, words, lay_out(drawings.main, words.sizes()));
        if (*file == "-") {
            output.print(text);
            return true;
        }
        write_file(*file, text);
        if (!output.quiet) output.complain(fmt::format("{} written: open it in a browser\n", printable(*file)));
        return true;
    }
    if (!output.json) return false;
    output.print(drawing_json(drawings.main, drawings.nested, task) + "\n");
    return true;
}

Async<int> draw_task(ReadOnlyHome& home, std::string prefix, const Args& args, const DrawingPlace& place)
{
    const auto task = co_await DrawnTask::open(home.queries(), home.who(), std::move(prefix));
    if (args.has("follow")) {
        LiveDrawing live(*task, place);
        co_await live.follow();
        co_return 0;
    }
    const Drawings drawings = task->drawings();
    if (!wrote_file(drawings, &task->task(), args, place.output)) print_page(drawings, place);
    co_return 0;
}

int graph(const Args& args, Output& output)
{
    const std::string what = args["what"];
    if (args.has("follow") && (args.has("svg") || args.has("mermaid")))
        throw Error(Code::invalid, "--follow draws on the terminal; it does not go with --svg or --mermaid");
    if (args.has("svg") && args.has("mermaid"))
        throw Error(Code::invalid, "--svg and --mermaid are two drawings; ask for one of them");
    DrawingPlace place{.output = output, .redraws = terminal_at(STDOUT_FILENO).redraws, .size = [] {
                           return terminal_size(STDOUT_FILENO);
                       }};
    if (const auto width = args.find("width")) place.width = width_in(*width);
    if (const auto drawings = find_drawings(what)) {
        if (args.has("follow"))
            throw Error(Code::invalid, fmt::format("--follow needs a task, and {} is a file", printable(what)));
        if (!wrote_file(*drawings, nullptr, args, output)) print_page(*drawings, place);
        return 0;
    }
    ReadOnlyHome home;
    if (!home.has_journal())
        throw Error(Code::not_found,
                    fmt::format("there is no workflow or team called {}, and no task yet", in_quotes(what)));
    return home.run(draw_task(home, what, args, place));
}

}  // namespace

Verb graph_verb()
{
    return {
        .name = "graph",
        .summary = "Draw a workflow, a team, or how far a task of one is",
        .arguments = {{.name = "what",
                       .help = "A file, the name of a workflow or team, or the first letters of a task's id"}},
        .flags = {{.name = "follow",
                   .letter = 'f',
                   .help = "Of a task: draw it again while it runs, until it has ended"},
                  {.name = "mermaid", .help = "As a Mermaid flowchart, for Markdown pages"},
                  {.name = "svg",
                   .value = "FILE",
                   .help = "As a picture, laid out by Graphviz, in place of what is there; - is standard output"},
                  {.name = "width", .value = "COLUMNS", .help = "Of the drawing; the terminal's when left out"}},
        .text =
            "Boxes are nodes, with what each of them is; the words on lines are keys and conditions. It is drawn from "
            "left to "
            "right or from top to bottom, whichever fits. Names that are too long are cut and stand in full below it. "
            "What "
            "does not fit at all is a list by layers.\n\n"
            "Of a task, each node is pending, running, waiting (for a person), done, failed, skipped or cancelled, as "
            "the task's journal says. With --follow, a terminal shows the drawing change in place; elsewhere, each "
            "change is "
            "a line.\n\n"
            "Of a team, agents are the boxes and handoff rules the lines; those that lead back and the collaboration "
            "patterns are listed "
            "below.",
        .examples = {{"cadre graph workflows/report.json", "A file"},
                     {"cadre graph -f 3f2a4b1c", "A task while it runs"},
                     {"cadre graph report --mermaid", "For a Markdown page"},
                     {"cadre graph report --svg report.svg", "A picture"},
                     {"cadre graph 3f2a4b1c --json | jq .nodes", "For programs"}},
        .run = graph,
    };
}

}  // namespace cadre::cli
