// The table entries of stepping through a task and of watching it.
#include "cli/demo.hpp"
#include "cli/run_verb.hpp"
#include "cli/stepping_verbs.hpp"
#include "cli/task_argument.hpp"
#include "cli/trace_verb.hpp"
#include "cli/verb.hpp"

namespace cadre::cli {
namespace {

std::vector<Verb> stepping()
{
    return {
        {
            .name = "breakpoints",
            .summary = "Show or set where a task stops",
            .arguments = {kTask},
            .flags = {{.name = "add", .value = "WHERE", .help = "Add one; may be given several times"},
                      {.name = "remove", .value = "WHERE", .help = "Remove one; may be given several times"},
                      {.name = "clear", .help = "Remove all"}},
            .text =
                "WHERE is agent:NAME (before each of its model calls), tool:NAME (before each call), node:NAME (once "
                "per visit), or condition:EXPRESSION (once, when it has become true), over tokens, steps, calls and "
                "cost. They are looked at before each model call, tool call and question.\n\n"
                "Also while the task runs, and also after a restart. At a breakpoint, the task is paused; cadre "
                "continue runs it to the next.",
            .examples = {{"cadre breakpoints 3f2a4b1c --add tool:write_file", "Before anything is written"},
                         {"cadre breakpoints 3f2a4b1c --add 'condition:tokens>1000'", "When it becomes expensive"},
                         {"cadre breakpoints 3f2a4b1c --clear", "Nowhere"}},
            .run = breakpoints,
        },
        {
            .name = "continue",
            .summary = "Continue a paused task to its next breakpoint",
            .arguments = {kTask},
            .text = "The task continues here, like cadre run, until a breakpoint, a question or its end; also one that "
                    "went "
                    "step by step.",
            .examples = {{"cadre continue 3f2a4b1c", "After a breakpoint"}},
            .run = continue_task,
        },
        {
            .name = "intervene",
            .summary = "Tell a task something, or change its plan, agent or team",
            .arguments = {kTask,
                          {.name = "instruction",
                           .help = "What its agent should know or do",
                           .count = Argument::Count::optional}},
            .flags = {{.name = "plan", .value = "FILE", .help = "A JSON file with the plan that counts from now on"},
                      {.name = "next-agent", .value = "NAME", .help = "The agent of its team whose turn is next"},
                      {.name = "team", .value = "FILE", .help = "A JSON file with the team as it is from now on"}},
            .text =
                "The next model call of the task hears an instruction as words of the user. A plan, an agent or a team "
                "is "
                "taken in by patterns that look for such changes, where they look. One change at a time. It is on disk "
                "when the command says so. It starts nothing: a task that is not running hears it when it is resumed.",
            .examples = {{"cadre intervene 3f2a4b1c \"Use British spelling.\"", "Whichever process drives it"},
                         {"cadre intervene 3f2a4b1c --next-agent reviewer", "Another agent continues"}},
            .run = intervene,
        },
        {
            .name = "pause",
            .summary = "Pause a task before its next step, until it is resumed",
            .arguments = {kTask},
            .text = "The current step is finished and kept. The task stays paused, also after a restart, until cadre "
                    "resume, continue or step.",
            .examples = {{"cadre pause 3f2a4b1c", "Whichever process drives it"}},
            .run = pause,
        },
        {
            .name = "step",
            .summary = "Have a task take one step, or N, and pause again",
            .arguments = {kTask,
                          {.name = "n", .help = "How many; 1 when left out", .count = Argument::Count::optional}},
            .text = "A step is a model call or a tool call. Afterwards the task is paused before the next one. Works "
                    "for every task that is paused or interrupted, not only for those of --mode "
                    "step; cadre continue lets it run by itself.",
            .examples = {{"cadre run --mode step \"What is 2+3?\"", "Paused before the first step"},
                         {"cadre step 3f2a4b1c", "One"},
                         {"cadre step 3f2a4b1c 5", "Five"}},
            .run = step,
        },
    };
}

std::vector<Verb> watching()
{
    return {
        {
            .name = "demo",
            .summary = "Show in seconds what Cadre does: a crash, and no work lost",
            .text =
                "Two agents with a scripted model, a tool and a question, in a home of its own that is removed at the "
                "end. The process that runs them is really killed in the middle, and another one resumes.",
            .examples = {{"cadre demo", "Takes less than 20 seconds"}},
            .run = demo,
        },
        {
            .name = "trace",
            .summary = "Show a task's timeline: calls, durations, cost",
            .arguments = {kTask},
            .flags = {{.name = "html",
                       .value = "FILE",
                       .help = "Write a page for a browser instead, in place of what is there"}},
            .text =
                "A line for each model call, tool call, question and pause, with its place in time. Tasks that were "
                "delegated are part of it. The page is one file without any reference to others: it can be kept, sent "
                "and opened anywhere. What looks like a secret is masked in both.",
            .examples = {{"cadre trace 3f2a4b1c", "In the terminal"},
                         {"cadre trace 3f2a4b1c --html trace.html", "To zoom, search and read in full"},
                         {"cadre trace 3f2a4b1c --json | jq '.spans[0]'", "For programs"}},
            .run = trace,
        },
    };
}

}  // namespace

std::vector<Verb> stepping_verbs()
{
    std::vector<Verb> verbs = stepping();
    for (Verb& verb : watching()) verbs.push_back(std::move(verb));
    return verbs;
}

}  // namespace cadre::cli
