#include "cli/help.hpp"

#include "base/error.hpp"
#include "cli/args.hpp"
#include "cli/exit_codes.hpp"
#include "cli/layout.hpp"
#include "cli/output_fixture.hpp"
#include "cli/verb_groups.hpp"

#include <doctest/doctest.h>
#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <set>
#include <sstream>

using namespace cadre;
using namespace cadre::cli;

namespace {

std::size_t widest(const std::string& page)
{
    std::size_t width = 0;
    std::istringstream lines(page);
    for (std::string line; std::getline(lines, line);) width = std::max(width, columns(line));
    return width;
}

/// What a shell makes of an example's arguments: up to `|` or `)`, with words in double quotes as they are.
std::vector<std::string> words_of(std::string_view text)
{
    std::vector<std::string> words(1);
    bool in_quotes = false;
    for (const char c : text) {
        if (c == '"') in_quotes = !in_quotes;
        else if (!in_quotes && (c == '|' || c == ')')) break;
        else if (!in_quotes && c == ' ') words.emplace_back();
        else words.back() += c;
    }
    std::erase(words, "");
    return words;
}

}  // namespace

TEST_CASE("verb table: keeps the rules that the parser and the pages rely on")
{
    std::set<std::string_view> verbs;
    for (const Verb& verb : program().verbs) {
        CAPTURE(verb.name);
        CHECK(verbs.insert(verb.name).second);
        CHECK(verb.name.find_first_not_of("abcdefghijklmnopqrstuvwxyz-") == std::string_view::npos);
        CHECK_FALSE(verb.summary.empty());
        CHECK_FALSE(verb.summary.ends_with('.'));
        CHECK((verb.run != nullptr));
        CHECK_FALSE(verb.examples.empty());

        std::set<std::string_view> names;  // arguments and flags share them in Args
        for (const Flag& flag : global_flags()) names.insert(flag.name);
        for (const Flag& flag : verb.flags) CHECK(names.insert(flag.name).second);
        for (const Argument& argument : verb.arguments) CHECK(names.insert(argument.name).second);

        std::size_t optional = 0;  // of two that may be left out nobody could tell which was, except at the end
        for (const Argument& argument : verb.arguments) {
            if (argument.count == Argument::Count::required) CHECK(optional < 2);
            else ++optional;
            if (argument.count == Argument::Count::repeated) CHECK(&argument == &verb.arguments.back());
        }
    }
}

TEST_CASE("help pages: fit 80 columns and say everything that the table says")
{
    CHECK(widest(welcome_page(program())) <= kWidth);
    CHECK(widest(overview_page(program())) <= kWidth);
    CHECK(widest(exit_codes_page()) <= kWidth);
    for (const Verb& verb : program().verbs) {
        CAPTURE(verb.name);
        const std::string page = verb_page(verb);
        CHECK(widest(page) <= kWidth);
        CHECK(contains(page, usage(verb)));
        for (const Flag& flag : verb.flags) CHECK(contains(page, spelling(flag)));
        for (const Argument& argument : verb.arguments) CHECK(contains(page, spelling(argument)));
        for (const Example& example : verb.examples) CHECK(contains(page, example.command));
        for (const auto& whole : {overview_page(program()), welcome_page(program()), markdown_page(program())})
            CHECK(contains(whole, verb.summary));
    }
}

TEST_CASE("help: every example of the table can be parsed")
{
    std::vector<Example> examples = program().root.examples;
    for (const Verb& verb : program().verbs)
        examples.insert(examples.end(), verb.examples.begin(), verb.examples.end());
    for (const Example& example : examples) {
        CAPTURE(example.command);
        const std::size_t start = example.command.find("cadre ");
        REQUIRE(start != std::string_view::npos);
        CHECK_NOTHROW(parse_command(program(), words_of(example.command.substr(start + 6))));
    }
}

TEST_CASE("every verb is in one group of help, once, and each group names verbs that there are")
{
    std::map<std::string_view, int> times;
    for (const VerbGroup& group : verb_groups())
        for (const std::string_view name : group.verbs) {
            CAPTURE(name);
            CHECK(find_verb(program(), name) != nullptr);
            ++times[name];
        }
    for (const Verb& verb : program().verbs) {
        CAPTURE(verb.name);
        CHECK(times[verb.name] == 1);
    }
}

TEST_CASE("the manual page has every verb, flag, example and exit code, and no line that roff takes for a command")
{
    const std::string page = man_page(program());
    const auto escaped = [](std::string_view text) {
        std::string result;
        for (const char c : text) result += c == '-' ? "\\-" : c == '\\' ? "\\e" : std::string(1, c);
        return result;
    };
    CHECK(page.find(".TH CADRE 1") != page.npos);
    for (const Verb& verb : program().verbs) {
        CAPTURE(verb.name);
        CHECK(contains(page, ".SS " + escaped(usage(verb))));
        for (const Flag& flag : verb.flags) CHECK(contains(page, escaped(fmt::format("--{}", flag.name))));
        for (const Example& example : verb.examples) CHECK(contains(page, escaped(example.command)));
    }
    for (const ExitCode& code : exit_codes()) CHECK(contains(page, escaped(code.meaning)));
    std::istringstream lines(page);
    for (std::string line; std::getline(lines, line);) {
        CAPTURE(line);
        static const std::set<std::string> ours{".TH", ".SH", ".SS", ".PP", ".TP",  ".B",
                                                ".RS", ".RE", ".nf", ".fi", ".\\\""};
        if (line.starts_with('.')) CHECK(ours.contains(line.substr(0, line.find(' '))));
        CHECK_FALSE(line.starts_with('\''));
    }
}

TEST_CASE("colours: only where they are on")
{
    CHECK_FALSE(contains(overview_page(program()), "\x1b"));
    CHECK(contains(overview_page(program(), {.on = true}), "\x1b[1mRun a task:\x1b[0m"));
}

TEST_CASE("exit codes: success and every error code, ascending, with the numbers of base")
{
    const auto codes = exit_codes();
    CHECK(codes.size() == static_cast<std::size_t>(Code::internal) + 2 + 5);
    CHECK(codes.front().number == 0);
    CHECK(std::ranges::is_sorted(codes, {}, &ExitCode::number));
    for (const ExitCode& code : codes) {
        CAPTURE(code.code);
        CHECK_FALSE(code.meaning.empty());
        const bool is_error = !code.code.empty() && name_of(code_of(code.code)) == code.code;
        if (is_error) CHECK(code.number == surface(code_of(code.code)).exit);
        // what is no error has a number of its own
        else CHECK(std::ranges::count(codes, code.number, &ExitCode::number) == 1);
    }
}

TEST_CASE("layout: wraps at spaces, keeps line breaks, counts characters rather than bytes")
{
    CHECK(wrapped("") == "\n");
    CHECK(wrapped("one\n\ntwo", 2) == "  one\n\n  two\n");
    const std::string word(50, 'x');
    CHECK(wrapped(word + " " + word) == word + "\n" + word + "\n");
    CHECK(wrapped(std::string(100, 'x')) == std::string(100, 'x') + "\n");
    CHECK(columns("✓ é") == 3);
    CHECK(padded("✓", 3) == "✓  ");
    const Row rows[] = {{"a", "first"}, {"long", "second"}, {"bare", ""}};
    CHECK(table(rows) == "  a     first\n  long  second\n  bare\n");
}

TEST_CASE("sizes: the largest unit that gives at least one")
{
    CHECK(size_text(0) == "0 B");
    CHECK(size_text(1023) == "1023 B");
    CHECK(size_text(1024) == "1.0 KiB");
    CHECK(size_text(std::uint64_t{3} << 29) == "1.5 GiB");
    CHECK(size_text(~std::uint64_t{0}) == "16.0 EiB");
}
