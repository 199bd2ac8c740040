// The table entries of the verbs that make runs of runs.
#include "cli/fork_verbs.hpp"
#include "cli/task_argument.hpp"

namespace cadre::cli {

std::vector<Verb> fork_verbs()
{
    return {
        {
            .name = "diff",
            .summary = "Compare two tasks step by step",
            .arguments = {{.name = "a", .help = kTaskHelp}, {.name = "b", .help = "The other one"}},
            .text =
                "Says where they first differ, and in what: instructions, messages, tools, arguments of a call, or "
                "what "
                "came of it. Then a table of all steps: who, tokens, money, time and text, on both sides where they "
                "differ.",
            .examples = {{"cadre diff 3f2a4b1c 9c1e77d0", "A task and its fork"},
                         {"cadre diff 3f2a4b1c 9c1e77d0 --json | jq -r .first_difference", "For programs"}},
            .run = diff,
        },
        {
            .name = "export",
            .summary = "Write a task into one file, to be looked at elsewhere",
            .arguments = {kTask},
            .flags = {{.name = "full", .help = "With credentials, which are masked otherwise"},
                      {.name = "output",
                       .letter = 'o',
                       .value = "FILE",
                       .help = "Where to, in place of what is there; standard output when left out"}},
            .text =
                "The file holds the journal of the task and of what it delegated, and the team that it ran with. Files "
                "that its tools wrote are not in it. cadre import reads it, on any machine.",
            .examples = {{"cadre export 3f2a4b1c -o run.jsonl", "One task"},
                         {"cadre export 3f2a4b1c | gzip > run.jsonl.gz", "Through a pipe"}},
            .run = export_run,
        },
        {
            .name = "fork",
            .summary = "Run a task again from some point on, with something changed",
            .arguments = {kTask,
                          {.name = "text", .help = "Another prompt for the task", .count = Argument::Count::optional}},
            .flags = {{.name = "at", .value = "N", .help = "Keep all up to event N, as cadre tail numbers them"},
                      {.name = "checkpoint",
                       .value = "N",
                       .help = "Keep all up to checkpoint N, as cadre checkpoints numbers them"},
                      {.name = "model", .value = "SPEC", .help = "Another model for all its agents"},
                      {.name = "prompt", .value = "FILE", .help = "Another prompt for an agent"},
                      {.name = "agent", .value = "NAME", .help = "Whose prompt; needed when there are several"},
                      {.name = "set", .value = "KEY=VALUE", .help = "Another setting: agents.writer.temperature=0.2"},
                      {.name = "state",
                       .value = "KEY=VALUE",
                       .help = "Of a workflow: another state after the node of --checkpoint"},
                      {.name = "budget",
                       .value = "LIMITS",
                       .help = "What it may spend: 20000tokens, $0.50, 20steps, 5m"},
                      {.name = "no-wait", .help = "Only make the fork, and print its id"}},
            .text =
                "The fork is a task of its own; the first one stays as it is. What is kept is reused without a model "
                "or tool call, and costs nothing. After that point, a recorded step is reused only if its "
                "request is the same and every earlier step was reused; without a change, everything after the point "
                "is run again. Then the fork runs like cadre run.",
            .examples = {{"cadre fork 3f2a4b1c --at 5 --prompt new.txt", "From event 5 on, with another prompt"},
                         {"cadre fork 3f2a4b1c --at 5", "Another try"},
                         {"cadre fork 3f2a4b1c --checkpoint 2 --state routing_key=legal", "A workflow, another way"},
                         {"cadre fork 3f2a4b1c --agent editor --prompt new.txt", "What would that have changed?"}},
            .run = fork,
        },
        {
            .name = "import",
            .summary = "Read a task that was exported elsewhere",
            .arguments = {{.name = "file", .help = "What cadre export wrote"}},
            .text = "The task can be shown, replayed, compared and forked. It is never resumed here, whatever it had "
                    "begun: only "
                    "a fork of it does. Everything in the file is checked first; one that was changed or cut off is "
                    "refused "
                    "as a whole.",
            .examples = {{"cadre import run.jsonl", "Then: cadre show, cadre replay, cadre fork"}},
            .run = import_run,
        },
    };
}

}  // namespace cadre::cli
