#include "cli/args.hpp"

#include "base/suggest.hpp"
#include "cli/shell_word.hpp"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <utility>

namespace cadre::cli {
namespace {

[[noreturn]] void refuse(const Verb& verb, const std::string& what)
{
    const std::string where = verb.name.empty() ? "" : fmt::format("{}: ", verb.name);
    throw UsageError(where + what, verb);
}

std::string did_you_mean(std::string_view word, std::span<const std::string> candidates)
{
    const auto meant = nearest(word, candidates);
    return meant ? fmt::format("; did you mean {}?", *meant) : "";
}

bool offers(const Argument& argument, const std::string& word)
{
    const auto choices = argument.choices ? argument.choices() : std::vector<std::string>{};
    return std::ranges::find(choices, word) != choices.end();
}

/// What people write as a sentence, and forget the quotes of.
bool is_sentence(const Argument& argument)
{
    return argument.name == "prompt" || argument.name == "text" || argument.name == "instruction";
}

bool looks_like_file(std::string_view word)
{
    return word.ends_with(".yaml") || word.ends_with(".yml") || word.ends_with(".json");
}

/// `-5` and `-.5` are values wherever a value can stand; `-` alone is one too, by custom standard input.
bool looks_like_flag(std::string_view word)
{
    if (word.size() < 2 || word[0] != '-') return false;
    const bool number = (word[1] >= '0' && word[1] <= '9') || word[1] == '.';
    return !number;
}

/// The words of one verb, taken from the left.
class Parser {
public:
    Parser(const Verb& verb, std::span<const std::string> words) : verb_(verb), words_(words)
    {
        flags_.assign(verb.flags.begin(), verb.flags.end());
        flags_.insert(flags_.end(), global_flags().begin(), global_flags().end());
    }

    Args parse()
    {
        bool flags_ended = false;
        while (next_ < words_.size()) {
            const std::string& word = words_[next_++];
            if (flags_ended || !looks_like_flag(word)) {
                plain_.push_back(word);
            } else if (word == "--") {
                flags_ended = true;
            } else if (word.starts_with("--")) {
                take_long(word);
            } else {
                take_short(word);
            }
        }
        take_arguments();
        return std::move(args_);
    }

private:
    /// What is optional gets a word only when there are more than the required ones need.
    void take_arguments()
    {
        auto spare = static_cast<std::ptrdiff_t>(plain_.size()) -
                     std::ranges::count(verb_.arguments, Argument::Count::required, &Argument::count);
        auto word = plain_.begin();
        for (const Argument& argument : verb_.arguments) {
            switch (argument.count) {
            case Argument::Count::required:
                if (word == plain_.end()) refuse(verb_, fmt::format("{} is missing", spelling(argument)));
                take(argument, *word++);
                break;
            case Argument::Count::optional:
                if (spare-- > 0) take(argument, *word++);
                break;
            case Argument::Count::repeated:
                while (word != plain_.end()) take(argument, *word++);
                break;
            }
        }
        if (word != plain_.end())
            refuse(verb_, fmt::format("unexpected argument {}{}", in_quotes(*word), quoting_hint()));
    }

    /// `cadre run "Write a poem"`, where a sentence was typed without its quotes.
    std::string quoting_hint() const
    {
        if (verb_.arguments.empty() || !is_sentence(verb_.arguments.back())) return {};
        std::size_t before = 0;  // words that are something else: the task of an answer, a team's file
        for (const Argument& argument : verb_.arguments) {
            const bool is_needed = argument.count == Argument::Count::required;
            if (is_sentence(argument) || (!is_needed && !looks_like_file(plain_[before]))) break;
            ++before;
        }
        std::string command = fmt::format("cadre {}", verb_.name);
        for (std::size_t i = 0; i < before; ++i) command += " " + shell_word(plain_[i]);
        const auto sentence = std::span(plain_).subspan(before);
        return fmt::format("; quote it: {} {}", as_typed(command),
                           in_quotes(fmt::format("{}", fmt::join(sentence, " "))));
    }

    void take(const Argument& argument, const std::string& word)
    {
        if (argument.choices && !offers(argument, word)) {
            const auto choices = argument.choices();
            refuse(verb_, fmt::format("{} is not one of {}{}", in_quotes(word), fmt::join(choices, ", "),
                                      did_you_mean(word, choices)));
        }
        args_.add(argument.name, word);
    }

    void take_long(const std::string& word)
    {
        const std::size_t equals = word.find('=');
        const std::string name = word.substr(0, equals);
        const Flag* flag = find_flag(name);
        if (!flag) unknown(name);
        if (equals == std::string::npos) return take_value(*flag, name);
        if (flag->value.empty()) refuse(verb_, fmt::format("{} takes no value", name));
        args_.add(flag->name, word.substr(equals + 1));
    }

    void take_short(const std::string& word)
    {
        const std::string name = word.substr(0, 2);
        const Flag* flag = find_flag(name);
        if (!flag || (flag->value.empty() && word.size() > 2)) unknown(word);
        if (word.size() == 2) return take_value(*flag, name);
        args_.add(flag->name, word.substr(2));
    }

    void take_value(const Flag& flag, std::string_view typed)
    {
        if (flag.value.empty()) return args_.add(flag.name, "");
        // `--output --json` is a forgotten value, not a file called --json; that one is `--output=--json`
        if (next_ == words_.size() || words_[next_] == "--" || find_flag(words_[next_]))
            refuse(verb_, fmt::format("{} needs a value: {} {}", typed, typed, flag.value));
        args_.add(flag.name, words_[next_++]);
    }

    const Flag* find_flag(std::string_view typed) const
    {
        const auto found = std::ranges::find_if(flags_, [&](const Flag& flag) {
            if (typed.starts_with("--")) return typed.substr(2) == flag.name;
            return typed.size() == 2 && typed[0] == '-' && flag.letter && typed[1] == flag.letter;
        });
        return found == flags_.end() ? nullptr : &*found;
    }

    [[noreturn]] void unknown(const std::string& typed) const
    {
        std::vector<std::string> known;
        for (const Flag& flag : flags_) known.push_back(fmt::format("--{}", flag.name));
        const bool takes_words = !verb_.arguments.empty() && verb_.arguments.back().count == Argument::Count::repeated;
        const std::string hint = did_you_mean(typed, known);
        refuse(verb_,
               fmt::format("unknown flag {}{}", in_quotes(typed),
                           hint.empty() && takes_words ? "; put flags that are not meant for cadre after --" : hint));
    }

    const Verb& verb_;
    std::span<const std::string> words_;
    std::vector<Flag> flags_;
    Args args_;
    std::size_t next_ = 0;            // the next word
    std::vector<std::string> plain_;  // words that are neither flags nor their values
};

[[noreturn]] void unknown_verb(const Program& program, const std::string& word)
{
    const std::string what = fmt::format("unknown verb {}", in_quotes(word));
    std::vector<std::string> known;
    for (const Verb& verb : program.verbs) {
        known.emplace_back(verb.name);
        // `exit-codes` alone: a topic whose verb was left out
        for (const Argument& argument : verb.arguments)
            if (offers(argument, word))
                refuse(program.root, fmt::format("{}; did you mean {}?", what,
                                                 as_typed(fmt::format("cadre {} {}", verb.name, word))));
    }
    refuse(program.root, what + did_you_mean(word, known));
}

}  // namespace

UsageError::UsageError(const std::string& text, const Verb& verb)
    : Error(Code::invalid, text), usage(as_typed(cli::usage(verb))), help(as_typed(help_command(verb)))
{}

void Args::add(std::string_view name, std::string value)
{
    values_[std::string(name)].push_back(std::move(value));
}

std::optional<std::string> Args::find(std::string_view name) const
{
    const auto found = values_.find(name);
    return found == values_.end() ? std::nullopt : std::optional(found->second.back());
}

std::vector<std::string> Args::all(std::string_view name) const
{
    const auto found = values_.find(name);
    return found == values_.end() ? std::vector<std::string>{} : found->second;
}

Command parse_command(const Program& program, std::span<const std::string> words)
{
    // only global flags can stand before the verb, and they take no values: the first other word is the verb
    const auto name = std::ranges::find_if_not(words, looks_like_flag);
    std::vector<std::string> rest(words.begin(), name);
    const Verb* verb = &program.root;
    if (name != words.end()) {
        verb = find_verb(program, *name);
        if (!verb) unknown_verb(program, *name);
        rest.insert(rest.end(), name + 1, words.end());
    }

    Command command{.verb = verb};
    if (asks_for("help", words)) {
        command.args.add("help", "");
    } else {
        command.args = Parser(*verb, rest).parse();
    }
    return command;
}

bool asks_for(std::string_view global_flag, std::span<const std::string> words)
{
    const auto flag = std::ranges::find(global_flags(), global_flag, &Flag::name);
    const std::string name = fmt::format("--{}", flag->name);
    const std::string letter = flag->letter ? fmt::format("-{}", flag->letter) : name;
    const auto end = std::ranges::find(words, "--");
    return std::find_if(words.begin(), end, [&](const auto& word) { return word == name || word == letter; }) != end;
}

}  // namespace cadre::cli
