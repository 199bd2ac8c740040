#include "cli/completion.hpp"

#include "base/json_writer.hpp"
#include "cli/args.hpp"
#include "cli/output.hpp"

#include <fmt/core.h>
#include <fmt/ranges.h>

namespace cadre::cli {
namespace {

std::vector<std::string> verb_names(const Program& program)
{
    std::vector<std::string> names;
    for (const Verb& verb : program.verbs) names.emplace_back(verb.name);
    return names;
}

/// Every spelling of the verb's own flags and those of every verb; with `valued`, only of those that take a value.
std::vector<std::string> flag_words(const Verb& verb, bool valued = false)
{
    std::vector<std::string> words;
    for (const auto& flags : {std::span<const Flag>(verb.flags), global_flags()})
        for (const Flag& flag : flags) {
            if (valued && flag.value.empty()) continue;
            words.push_back(fmt::format("--{}", flag.name));
            if (flag.letter) words.push_back(fmt::format("-{}", flag.letter));
        }
    return words;
}

/// What the script offers for the argument; it takes FILES for any file.
std::string bash_words(const Argument& argument)
{
    return argument.choices ? fmt::format("\"{}\"", fmt::join(argument.choices(), " ")) : "FILES";
}

std::string bash_case(const Program& program, const Verb& verb)
{
    std::vector<std::string> arguments;
    std::string rest;
    for (const Argument& argument : verb.arguments) {
        arguments.push_back(bash_words(argument));
        if (argument.count == Argument::Count::repeated) rest = arguments.back();
    }
    if (&verb == &program.root) arguments.push_back(fmt::format("\"{}\"", fmt::join(verb_names(program), " ")));
    return fmt::format(
        "    \"{}\")\n        arguments=({}) rest={}\n        flags=\"{}\"\n        valued=\"{}\"\n        ;;\n",
        verb.name, fmt::join(arguments, " "), rest, fmt::join(flag_words(verb), " "),
        fmt::join(flag_words(verb, true), " "));
}

/// Inside single quotes of zsh, where `:` and brackets separate the parts of a description.
std::string zsh_text(std::string_view text)
{
    std::string result;
    for (const char c : text) {
        if (c == '\'') {
            result += "'\\''";
        } else {
            if (c == ':' || c == '[' || c == ']' || c == '\\') result += '\\';
            result += c;
        }
    }
    return result;
}

/// `excludes`: what cannot follow any of them.
std::string zsh_flags(std::span<const Flag> flags, std::string_view excludes = "")
{
    std::string text;
    for (const Flag& flag : flags) {
        const std::string value = flag.value.empty() ? "" : fmt::format(":{}:_files", zsh_text(flag.value));
        const std::string help = zsh_text(flag.help);
        text += fmt::format(" \\\n            '{}*--{}{}[{}]{}'", excludes, flag.name, value.empty() ? "" : "=", help,
                            value);
        if (flag.letter) text += fmt::format(" \\\n            '{}*-{}[{}]{}'", excludes, flag.letter, help, value);
    }
    return text;
}

std::string zsh_arguments(const Verb& verb)
{
    std::string text;
    for (const Argument& argument : verb.arguments) {
        const std::string values =
            argument.choices ? fmt::format("({})", fmt::join(argument.choices(), " ")) : "_files";
        const char* place = argument.count == Argument::Count::repeated ? "*" : "";
        text += fmt::format(" \\\n            '{}:{}:{}'", place, zsh_text(argument.name), values);
    }
    return text;
}

constexpr const char* kBash = R"(# Completion of cadre in bash. To load it: source <(cadre completion bash)
_cadre() {{
    local current=${{COMP_WORDS[COMP_CWORD]}} previous=${{COMP_WORDS[COMP_CWORD - 1]}} verb="" i
    local arguments=() rest="" flags="" valued="" taken=0 words
    for ((i = 1; i < COMP_CWORD; i++)); do
        case ${{COMP_WORDS[i]}} in
        {}) ;;
        *) verb=${{COMP_WORDS[i]}}; break ;;
        esac
    done
    case $verb in
{}    esac
    for ((i++; i < COMP_CWORD; i++)); do  # neither flags nor their values, which stand behind a `=` or alone
        [[ ${{COMP_WORDS[i]}} == [-=]* || " = $valued " == *" ${{COMP_WORDS[i - 1]}} "* ]] || ((taken += 1))
    done
    words=${{arguments[taken]-${{rest:-$flags}}}}
    [[ $current == -* ]] && words=$flags
    [[ $current == = || " = $valued " == *" $previous "* ]] && words=FILES
    COMPREPLY=()
    if [[ $words == FILES ]]; then compopt -o default; return; fi
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
}}
complete -F _cadre cadre
)";

constexpr const char* kZsh = R"(#compdef cadre
# Completion of cadre in zsh. To load it: source <(cadre completion zsh)
_cadre() {{
    local context state state_descr line
    typeset -A opt_args
    local -a verbs=({}
    )
    _arguments -C{} \
        '1: :->verb' '*:: :->rest'
    case $state in
    verb) _describe verb verbs ;;
    rest)
        case $words[1] in
{}        esac
        ;;
    esac
}}
if [[ $funcstack[1] == _cadre ]]; then
    _cadre "$@"
elif (( $+functions[compdef] )); then
    compdef _cadre cadre
else
    print -u2 'cadre: completion needs compinit; load that first: autoload -Uz compinit && compinit'
fi
)";

}  // namespace

std::string bash_completion(const Program& program)
{
    std::string cases = bash_case(program, program.root);
    for (const Verb& verb : program.verbs) cases += bash_case(program, verb);
    return fmt::format(kBash, fmt::join(flag_words({}), " | "), cases);
}

std::string zsh_completion(const Program& program)
{
    std::string verbs;
    std::string cases;
    for (const Verb& verb : program.verbs) {
        verbs += fmt::format("\n        '{}:{}'", verb.name, zsh_text(verb.summary));
        cases += fmt::format("        {}) _arguments{}{}{} ;;\n", verb.name, zsh_flags(verb.flags),
                             zsh_flags(global_flags()), zsh_arguments(verb));
    }
    return fmt::format(kZsh, verbs, zsh_flags(program.root.flags, "(- 1 *)") + zsh_flags(global_flags()), cases);
}

std::vector<std::string> completion_shells()
{
    return {"bash", "zsh"};
}

int completion(const Args& args, Output& output)
{
    const std::string shell = args["shell"];
    const std::string script = shell == "bash" ? bash_completion(program()) : zsh_completion(program());
    if (!output.json) {
        output.print(script);
        return 0;
    }
    std::string text;
    JsonWriter(text).begin_object().field("shell", shell).field("script", script).end_object();
    output.print(text + "\n");
    return 0;
}

}  // namespace cadre::cli
