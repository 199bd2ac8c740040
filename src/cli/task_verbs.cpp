// The table entries of everything about tasks.
#include "cli/answer_verbs.hpp"
#include "cli/look_verbs.hpp"
#include "cli/run_verb.hpp"
#include "cli/task_argument.hpp"
#include "cli/verb.hpp"

#include <fmt/format.h>

namespace cadre::cli {
namespace {

const Flag kRequest{.name = "request", .value = "ID", .help = "Which question, when the task asks several"};
const Flag kNoWait{.name = "no-wait", .help = "Only record the answer; do not resume the task"};
const Flag kBudget{.name = "budget", .value = "LIMITS", .help = "What it may spend: 20000tokens, $0.50, 20steps, 5m"};

const Flag kDeltas{.name = "deltas",
                   .help = "With --json: also the pieces that models write, {\"chunk\":{...}}, as they come"};

const std::string& status_help()
{
    static const std::string text = fmt::format("Only those: {}", fmt::join(statuses(), ", "));
    return text;
}

Verb run_entry()
{
    return {
        .name = "run",
        .summary = "Run a task and print its answer",
        .arguments = {{.name = "file",
                       .help = "A team, agent or workflow: its file or its name; the project's team when left out",
                       .count = Argument::Count::optional},
                      {.name = "prompt", .help = "What is to be done; - reads it from standard input"}},
        .flags = {{.name = "agent",
                   .value = "NAME",
                   .help = "The agent that begins; alone, an agent of the project or home"},
                  {.name = "pattern",
                   .value = "NAME",
                   .help = "A collaboration pattern of the team that begins instead of an agent"},
                  {.name = "workflow", .value = "NAME", .help = "A workflow of the project or home"},
                  {.name = "input",
                   .value = "KEY=VALUE",
                   .help = "For a workflow: task.input.KEY, and the field KEY of its state; JSON or text"},
                  {.name = "model",
                   .value = "SPEC",
                   .help = "provider/model, local, script:FILE or replay:FILE; wins over CADRE_MODEL and all files"},
                  {.name = "record",
                   .value = "FILE",
                   .help = "Write there what models answer: replay:FILE is a model that answers the same again"},
                  {.name = "mode",
                   .value = "MODE",
                   .help = "autonomous; step: pause before each model call; hitl: a person agrees to each tool call"},
                  kBudget,
                  {.name = "trust", .help = "Trust the project for this once, as CADRE_TRUST=1 does"},
                  {.name = "kind", .value = "KIND", .help = "For the retention policy: critical, debug or your own"},
                  {.name = "retention-days", .value = "N", .help = "How long its history is kept, whatever the policy"},
                  {.name = "session",
                   .value = "ID",
                   .help = "A turn of this conversation: it hears what was said before. A whole UUID may be new"},
                  {.name = "continue", .letter = 'c', .help = "A turn of the newest conversation"},
                  kDeltas},
        .text = "Standard output gets the answer and nothing else; with --json, every event as one line "
                "{\"seq\":N,\"event\":{...}}. What the task does on the way goes to standard error, with --quiet "
                "nothing.\n\n"
                "Every step is on disk before the next one begins. A run that is killed, or stopped with Ctrl-C, goes "
                "on with "
                "cadre resume; tool calls that were made are not made again.\n\n"
                "A question is asked in place. Without a terminal, the command ends with exit code 11 and prints the "
                "command "
                "that answers it.",
        .examples = {{"cadre run --agent researcher \"What is 2+3?\"", "An agent of the project"},
                     {"cadre run team.yaml - --model script:demo.yaml", "A team, with the prompt from standard input"},
                     {"cadre run \"Write a poem\" --budget 20000tokens,5m", "The project's team, with limits"},
                     {"cadre run -c \"And shorter?\"", "Go on with the newest conversation"},
                     {"cadre run --workflow article \"Write about tea\"", "The nodes of workflows/article.yaml"}},
        .run = run_task,
    };
}

std::vector<Verb> looking()
{
    return {
        {
            .name = "replay",
            .summary = "Replay a task from its journal, and check that the code agrees",
            .arguments = {kTask},
            .text = "Prints the events as cadre tail --json does, byte for byte. Then the task's code runs against its "
                    "journal "
                    "with models, tools and network switched off. When the two do not agree, the exit code is 5.",
            .examples = {{"cadre replay 3f2a4b1c", "One task"}},
            .run = replay,
        },
        {
            .name = "show",
            .summary = "Show a task: what it did, what it used, its answer",
            .arguments = {kTask},
            .flags = {{.name = "requests", .help = "What each of its model calls was sent, instead"}},
            .text =
                "With --json, the task as the reference describes it, with its open questions and what it used.\n\n"
                "--requests shows system prompt, messages, tools and settings of every model call as they were sent, "
                "rebuilt from the journal; what looks like a key is masked. It needs the code that ran the task, as "
                "cadre replay does.",
            .examples = {{"cadre show 3f2a4b1c", "By the first letters of its id"},
                         {"cadre show 3f2a4b1c --requests", "What the model was sent"},
                         {"cadre show 3f2a4b1c --json | jq -r .task.reply.text", "Only the answer"}},
            .run = show,
        },
        {
            .name = "tail",
            .summary = "Print the events of a task, and follow them",
            .arguments = {kTask},
            .flags = {{.name = "follow", .letter = 'f', .help = "Until the task has ended, whichever process runs it"},
                      {.name = "from", .value = "N", .help = "Begin with event number N"},
                      kDeltas},
            .text = "With --json, every event as one line {\"seq\":N,\"event\":{...}}. To continue later, give --from "
                    "the number after the last one. What a model wrote in a turn is the text of its "
                    "event_agent_complete; the pieces that it came in are not stored, so --deltas is for a task that "
                    "runs, with --follow.",
            .examples = {{"cadre tail -f 3f2a4b1c", "From the beginning until the end"},
                         {"cadre tail 3f2a4b1c --json --from 12", "For programs"},
                         {"cadre tail -f 3f2a4b1c --json --deltas", "With every piece of text, as it is written"}},
            .run = tail,
        },
        {
            .name = "tasks",
            .summary = "List tasks: the unfinished ones and the newest",
            .flags = {{.name = "all", .help = "All there are"},
                      {.name = "status", .value = "STATUS", .help = status_help()}},
            .text =
                "An interrupted task has not ended, and no process drives it: its process was killed or stopped. cadre "
                "resume resumes it.",
            .examples = {{"cadre tasks", "What is going on"},
                         {"cadre tasks --status waiting", "What waits for you"},
                         {"cadre tasks --json | jq -r '.tasks[].id'", "For programs"}},
            .run = tasks,
        },
        {
            .name = "verify",
            .summary = "Check that journals are as they were written",
            .arguments = {{.name = "task", .help = "Only this one", .count = Argument::Count::optional}},
            .flags = {{.name = "salvage",
                       .value = "FOLDER",
                       .help = "Write what can still be read into a new home in that folder"}},
            .text =
                "Recomputes the hash of every record from its predecessor's and its content, and reads all that the "
                "records say. A task whose journal is damaged, or cannot be understood, "
                "is named, and the exit code is 9; others are not affected. Changes nothing.\n\n"
                "With --salvage, whatever can be read of a damaged home becomes a new one in FOLDER: every task up "
                "to its first record that is lost. A task that had not ended and has lost its end, or may have, is "
                "cancelled there, because what it did last is not known. What is lost is named, and the exit code "
                "is 9 then.",
            .examples = {{"cadre verify", "All tasks"},
                         {"cadre verify 3f2a4b1c --json", "One, for programs"},
                         {"cadre verify --salvage ../saved", "Of a home that is damaged"}},
            .run = verify,
        },
    };
}

std::vector<Verb> changing()
{
    return {
        {
            .name = "answer",
            .summary = "Answer what a task asks",
            .arguments = {kTask, {.name = "text", .help = "The answer", .count = Argument::Count::optional}},
            .flags = {{.name = "happened", .value = "RESULT", .help = "The call in question was made, and gave this"},
                      {.name = "not-happened", .help = "The call in question was not made: make it"},
                      kRequest,
                      kNoWait},
            .text = "The answer is on disk when the command says so. Then the task continues here, like cadre run; if "
                    "another "
                    "process waits with it, there.\n\n"
                    "After a crash it may not be known whether a tool call was made. A call that must not be made "
                    "twice is not "
                    "repeated: the task asks, and --happened or --not-happened answers.",
            .examples = {{"cadre answer 3f2a4b1c blue", "A question"},
                         {"cadre answer 3f2a4b1c --happened sent", "After a crash: it was made"}},
            .run = answer,
        },
        {
            .name = "approve",
            .summary = "Approve what a task wants to do",
            .arguments = {kTask},
            .flags = {{.name = "arguments", .value = "JSON", .help = "Approve the call with these arguments instead"},
                      {.name = "state",
                       .value = "KEY=VALUE",
                       .help = "Approve, and change this field of the workflow's state"},
                      {.name = "always",
                       .help = "Also write a rule into the project's cadre.yaml that allows this tool from now on"},
                      {.name = "message", .value = "TEXT", .help = "Words for the agent"},
                      kRequest,
                      kNoWait},
            .text = "The answer is on disk when the command says so. Then the task continues here, like cadre run; if "
                    "another "
                    "process waits with it, there.",
            .examples = {{"cadre approve 3f2a4b1c", "The task's only question"},
                         {"cadre approve 3f2a4b1c --always", "And do not ask about this tool again"},
                         {"cadre approve 3f2a4b1c --state routing_key=legal",
                          "A node of a workflow, with another state"}},
            .run = approve,
        },
        {
            .name = "cancel",
            .summary = "Stop a task for good",
            .arguments = {kTask},
            .flags = {{.name = "reason", .value = "TEXT", .help = "Why, for the record"}},
            .text = "Model and tool calls that are running are stopped, whichever process drives the task.",
            .examples = {{"cadre cancel 3f2a4b1c", "Also while it runs in another terminal"}},
            .run = cancel,
        },
        {
            .name = "reject",
            .summary = "Reject what a task wants to do",
            .arguments = {kTask},
            .flags = {{.name = "message", .value = "TEXT", .help = "Why, for the agent"}, kRequest, kNoWait},
            .text = "The agent is told, and continues without it.",
            .examples = {{"cadre reject 3f2a4b1c --message \"too long\"", "With a reason"}},
            .run = reject,
        },
        {
            .name = "resume",
            .summary = "Resume a task where it stopped",
            .arguments = {{.name = "task", .help = kTaskHelp, .count = Argument::Count::optional}},
            .flags = {{.name = "all", .help = "Every unfinished task that no process is running"},
                      kBudget,
                      kDeltas,
                      {.name = "steps", .value = "N", .help = "In step mode: so many model calls, then pause again"}},
            .text = "After a crash, Ctrl-C or a pause. Nothing that was done is done again.\n\n"
                    "With --all, the exit code is 9 when a task failed or could not be resumed.",
            .examples = {{"cadre resume 3f2a4b1c", "One task, as cadre run would have gone on"},
                         {"cadre resume --all", "After a restart of the machine"},
                         {"cadre resume 3f2a4b1c --budget 40000tokens", "One that had used up its budget"}},
            .run = resume,
        },
    };
}

}  // namespace

std::vector<Verb> task_verbs()
{
    std::vector<Verb> verbs{run_entry()};
    for (auto list : {looking(), changing()}) verbs.insert(verbs.end(), list.begin(), list.end());
    return verbs;
}

}  // namespace cadre::cli
