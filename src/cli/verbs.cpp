// The table itself.
#include "cli/artifacts_verb.hpp"
#include "cli/ask_verb.hpp"
#include "cli/backup_verb.hpp"
#include "cli/channels_verb.hpp"
#include "cli/chat_verbs.hpp"
#include "cli/check_verb.hpp"
#include "cli/checkpoints_verb.hpp"
#include "cli/completion.hpp"
#include "cli/doctor.hpp"
#include "cli/embeddings_verb.hpp"
#include "cli/folder_verbs.hpp"
#include "cli/fork_verbs.hpp"
#include "cli/graph/graph_verb.hpp"
#include "cli/guardrails_verb.hpp"
#include "cli/help.hpp"
#include "cli/inbox_verb.hpp"
#include "cli/init_verb.hpp"
#include "cli/logs_verb.hpp"
#include "cli/mcp_verb.hpp"
#include "cli/memory_verb.hpp"
#include "cli/message_verb.hpp"
#include "cli/mock_channels_verb.hpp"
#include "cli/mock_llm_verb.hpp"
#include "cli/mock_mcp_verb.hpp"
#include "cli/models_verb.hpp"
#include "cli/route_verb.hpp"
#include "cli/router_verb.hpp"
#include "cli/run_verb.hpp"
#include "cli/schema_verb.hpp"
#include "cli/serve_verb.hpp"
#include "cli/stepping_verbs.hpp"
#include "cli/test_verb.hpp"
#include "cli/token_verb.hpp"
#include "cli/trust_verb.hpp"
#include "cli/verb.hpp"
#include "cli/version.hpp"

#include <algorithm>

namespace cadre::cli {
namespace {

Verb root()
{
    return {
        .flags = {{.name = "version", .help = "The same as the verb version"}},
        .text =
            "Cadre runs teams of AI agents the way a database runs transactions. What a team has done is kept on disk "
            "before the next step begins, so a crash, a restart or a slow answer costs no work.",
        .examples = {{"cadre init hello", "A small project"},
                     {"cadre run --agent NAME PROMPT", "Run a task"},
                     {"cadre doctor", "Is this machine ready?"},
                     {"cadre help", "All verbs and flags"},
                     {"cadre help exit-codes", "How a command can end"}},
        .run = welcome,
    };
}

std::vector<Verb> other_verbs()
{
    return {
        {
            .name = "check",
            .summary = "Find what is wrong with configuration files",
            .arguments = {{.name = "path",
                           .help = "Files or folders; the project around the current folder when left out",
                           .count = Argument::Count::repeated}},
            .flags = {{.name = "live",
                       .help = "Then also start the project's MCP servers, look for the teams' tools there, and ask "
                               "whether their models answer"}},
            .text = "Reads files only and starts nothing, unless --live is given. Every problem of every file is "
                    "reported in "
                    "one go, with its file, line and column and what to do about it: wrong fields and values, names "
                    "that do not exist, workflows "
                    "that lead in circles, variables that are not set, secrets written down.\n\n"
                    "A file alone is checked against the rest of its project. Warnings leave the exit code at 0.",
            .examples = {{"cadre check", "The project"},
                         {"cadre check teams/writers.yaml", "One file"},
                         {"cadre check --live", "And whether servers start and models answer"},
                         {"cadre check --json | jq -r '.findings[].text'", "For programs"}},
            .run = check,
        },
        {
            .name = "completion",
            .summary = "Print a completion script for your shell",
            .arguments = {{.name = "shell",
                           .help = "Which shell",
                           .count = Argument::Count::optional,
                           .choices = completion_shells}},
            .flags = {{.name = "words",
                       .value = "KIND",
                       .help = "Print words for such a script instead, for example tasks"}},
            .text = "The script completes verbs, flags and what arguments can be, tasks, agents and statuses too, for "
                    "the command cadre, which must be "
                    "in your PATH. To have it in every terminal, load it in the start file of your shell; in zsh, "
                    "after the line with compinit.",
            .examples = {{"source <(cadre completion bash)", "This terminal only"},
                         {"echo 'source <(cadre completion bash)' >> ~/.bashrc", "Every new bash"},
                         {"echo 'source <(cadre completion zsh)' >> ~/.zshrc", "Every new zsh"}},
            .run = completion,
        },
        {
            .name = "doctor",
            .summary = "Check that this machine is ready for Cadre",
            .text = "Looks at the machine, the home folder ($CADRE_HOME, or ~/.multi-agent, the folder name of the "
                    "documents Cadre implements), what can lock tools in and which keys of model providers are "
                    "set, and says how to fix what is not as it should be. Changes nothing. Of a key only the last "
                    "four characters are shown; a local server that a variable names (OLLAMA_HOST) is asked whether "
                    "it runs.\n\n"
                    "A warning means that Cadre works with less safety or comfort than it could have. Only a "
                    "failed check makes the exit code other than 0. With --json, a check that measured something has "
                    "the numbers too, as \"value\".",
            .examples = {{"cadre doctor", "Everything"},
                         {"cadre doctor --quiet", "Only warnings and failures"},
                         {"cadre doctor --json | jq .ok", "One word for a script"}},
            .run = doctor,
        },
        {
            .name = "help",
            .summary = "Explain a verb, or the exit codes",
            .arguments = {{.name = "topic",
                           .help = "What to explain",
                           .count = Argument::Count::optional,
                           .choices = help_topics}},
            .flags = {{.name = "markdown", .help = "Print everything as the page docs/reference/cli.md"},
                      {.name = "man", .help = "Print everything as a manual page, for man"}},
            .examples = {{"cadre help doctor", "The same as doctor --help"},
                         {"cadre help exit-codes", "For scripts"},
                         {"cadre help --man | man -l -", "All of it, to read through"}},
            .run = help,
        },
        {
            .name = "init",
            .summary = "Make a small project that works",
            .arguments = {{.name = "dir",
                           .help = "Where; the current folder when left out",
                           .count = Argument::Count::optional}},
            .flags = {{.name = "team",
                       .value = "NAME",
                       .help = "Only this team, into teams/: conversation, which answers messages"}},
            .text =
                "Writes a team, an agent, a workflow and the project file, each with comments, and schemas with which "
                "editors complete and check them. It needs no key. Files that are there are never overwritten.",
            .examples = {{"cadre init support", "A new folder"},
                         {"cadre init --team conversation", "The agents that answer messages, to be changed"}},
            .run = init,
        },
        {
            .name = "schema",
            .summary = "Print the JSON Schema of what Cadre reads and writes",
            .arguments = {{.name = "name",
                           .help = "Of what; all names are listed when left out",
                           .count = Argument::Count::optional}},
            .flags = {{.name = "all", .value = "DIR", .help = "Write all of them into this folder"},
                      {.name = "pages", .value = "DIR", .help = "Write the reference pages into this folder instead"}},
            .text = "JSON Schema 2020-12. What verbs print with --json is called answer_VERB; the number at the end of "
                    "its $id, "
                    "which is json_format of cadre version --json, grows when programs must be changed. An editor that "
                    "knows the schema of a file completes and checks it; the files "
                    "that "
                    "cadre init writes show how it is named in their first line.",
            .examples = {{"cadre schema team", "Of a team file"},
                         {"cadre schema answer_tasks", "Of what cadre tasks --json prints"},
                         {"cadre schema --all schemas", "One file each"}},
            .run = schema,
        },
        {
            .name = "version",
            .summary = "Print the version and what it was built with",
            .examples = {{"cadre version --quiet", "Only the number"},
                         {"cadre version --json", "For bug reports and programs"}},
            .run = version,
        },
    };
}

std::vector<Verb> verbs()
{
    std::vector<Verb> all = other_verbs();
    all.push_back(artifacts_verb());
    all.push_back(ask_verb());
    all.push_back(message_verb());
    all.push_back(backup_verb());
    all.push_back(embeddings_verb());
    all.push_back(graph_verb());
    all.push_back(guardrails_verb());
    all.push_back(inbox_verb());
    all.push_back(logs_verb());
    all.push_back(mcp_verb());
    all.push_back(memory_verb());
    all.push_back(mock_llm_verb());
    all.push_back(mock_mcp_verb());
    all.push_back(mock_channels_verb());
    all.push_back(channels_verb());
    all.push_back(router_verb());
    all.push_back(serve_verb());
    all.push_back(dev_verb());
    all.push_back(models_verb());
    all.push_back(route_verb());
    all.push_back(test_verb());
    all.push_back(token_verb());
    all.push_back(trust_verb());
    for (auto list : {task_verbs(), stepping_verbs(), fork_verbs(), folder_verbs(), chat_verbs(), checkpoint_verbs()})
        all.insert(all.end(), list.begin(), list.end());
    std::ranges::sort(all, {}, &Verb::name);
    return all;
}

}  // namespace

const Program& program()
{
    static const Program table{.root = root(), .verbs = verbs()};
    return table;
}

}  // namespace cadre::cli
