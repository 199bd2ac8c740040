// The table itself.
#include "cli/completion.hpp"
#include "cli/doctor.hpp"
#include "cli/help.hpp"
#include "cli/verb.hpp"
#include "cli/version.hpp"

namespace cadre::cli {
namespace {

Verb root()
{
    return {
        .flags = {{.name = "version", .help = "The same as the verb version"}},
        .text =
            "Cadre runs teams of AI agents the way a database runs transactions. What a team has done is kept on disk "
            "before the next step begins, so a crash, a restart or a slow answer costs no work.",
        .examples = {{"cadre doctor", "Is this machine ready?"},
                     {"cadre help", "All verbs and flags"},
                     {"cadre help exit-codes", "How a command can end"}},
        .run = welcome,
    };
}

std::vector<Verb> verbs()
{
    return {
        {
            .name = "completion",
            .summary = "Print a completion script for your shell",
            .arguments = {{.name = "shell", .help = "Which shell", .choices = completion_shells}},
            .text = "The script completes verbs, flags and what arguments can be, for the command cadre, which must be "
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
                    "documents Cadre implements) and what can lock tools in, and says how to fix what is not as it "
                    "should be. Changes nothing.\n\n"
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
            .flags = {{.name = "markdown", .help = "Print everything as the page docs/reference/cli.md"}},
            .examples = {{"cadre help doctor", "The same as doctor --help"}, {"cadre help exit-codes", "For scripts"}},
            .run = help,
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

}  // namespace

const Program& program()
{
    static const Program table{.root = root(), .verbs = verbs()};
    return table;
}

}  // namespace cadre::cli
