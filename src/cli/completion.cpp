#include "cli/completion.hpp"

#include "base/json_writer.hpp"
#include "cli/args.hpp"
#include "cli/completion_words.hpp"
#include "cli/output.hpp"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>

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

/// What the script offers for the argument; it takes FILES for any file, and asks the program for @tasks.
std::string bash_words(const Argument& argument)
{
    if (argument.choices) return fmt::format("\"{}\"", fmt::join(argument.choices(), " "));
    const std::string_view kind = words_for(argument);
    return kind.empty() ? "FILES" : fmt::format("@{}", kind);
}

/// `--agent=agents`: which words can stand behind a flag.
std::string flag_kinds(const Verb& verb)
{
    std::string text;
    for (const Flag& flag : verb.flags)
        if (const std::string_view kind = words_for(flag); !flag.value.empty() && !kind.empty())
            text += fmt::format("{}--{}={}", text.empty() ? "" : " ", flag.name, kind);
    return text;
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
    return fmt::format("    \"{}\")\n        arguments=({}) rest={}\n        flags=\"{}\"\n        valued=\"{}\"\n     "
                       "   kinds=\"{}\"\n        ;;\n",
                       verb.name, fmt::join(arguments, " "), rest, fmt::join(flag_words(verb), " "),
                       fmt::join(flag_words(verb, true), " "), flag_kinds(verb));
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

std::string zsh_words(std::string_view kind)
{
    return kind.empty() ? "_files" : fmt::format("_cadre_words {}", kind);
}

/// `excludes`: what cannot follow any of them.
std::string zsh_flags(std::span<const Flag> flags, std::string_view excludes = "")
{
    std::string text;
    for (const Flag& flag : flags) {
        const std::string_view kind = words_for(flag);
        const std::string value =
            flag.value.empty() ? "" : fmt::format(":{}:{}", zsh_text(flag.value), zsh_words(kind));
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
            argument.choices ? fmt::format("({})", fmt::join(argument.choices(), " ")) : zsh_words(words_for(argument));
        const char* place = argument.count == Argument::Count::repeated ? "*" : "";
        text += fmt::format(" \\\n            '{}:{}:{}'", place, zsh_text(argument.name), values);
    }
    return text;
}

constexpr const char* kBash = R"(# Completion of cadre in bash. To load it: source <(cadre completion bash)
_cadre() {{
    local current=${{COMP_WORDS[COMP_CWORD]}} previous=${{COMP_WORDS[COMP_CWORD - 1]}} verb="" i
    local arguments=() rest="" flags="" valued="" kinds="" kind taken=0 words flag
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
    if [[ $current == = || " = $valued " == *" $previous "* ]]; then  # of --agent=NAME, the name of the flag is two words back
        words=FILES flag=$previous
        [[ $previous == = ]] && flag=${{COMP_WORDS[COMP_CWORD - 2]}}
        [[ $current == = ]] && current=""
        for kind in $kinds; do [[ $kind == "$flag="* ]] && words=@${{kind#*=}}; done
    fi
    COMPREPLY=()
    if [[ $words == FILES || $words == @runnable ]]; then compopt -o default; fi
    [[ $words == FILES ]] && return
    [[ $words == @* ]] && words=$("${{COMP_WORDS[0]}}" completion --words "${{words#@}}" 2>/dev/null)
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
}}
complete -F _cadre cadre
)";

constexpr const char* kZsh = R"zsh(#compdef cadre
# Completion of cadre in zsh. To load it: source <(cadre completion zsh)
_cadre_words() {{
    local -a offered=(${{(f)"$(cadre completion --words $1 2>/dev/null)"}})
    compadd -a offered
    [[ $1 == runnable ]] && _files
}}
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
)zsh";

int print_words(const std::string& kind, const Output& output)
{
    const std::vector<std::string> kinds = kinds_of_words();
    if (std::ranges::find(kinds, kind) == kinds.end())
        throw Error(Code::invalid,
                    fmt::format("--words takes one of {}, not {}", fmt::join(kinds, ", "), in_quotes(kind)));
    const std::vector<std::string> words = completion_words(kind);
    std::string text;
    if (output.json) {
        JsonWriter json(text);
        json.begin_object().field("kind", kind).key("words").begin_array();
        for (const std::string& word : words) json.value(std::string_view(word));
        json.end_array().end_object();
        text += "\n";
    } else {
        for (const std::string& word : words) text += printable(word) + "\n";
    }
    output.print(text);
    return 0;
}

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
    if (const auto kind = args.find("words")) return print_words(*kind, output);
    if (!args.has("shell")) throw UsageError("completion: SHELL is missing", *find_verb(program(), "completion"));
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
