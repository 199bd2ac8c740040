#include "cli/trust_verb.hpp"

#include "base/json_writer.hpp"
#include "base/redact.hpp"
#include "base/trim.hpp"
#include "base/visible.hpp"
#include "cli/args.hpp"
#include "cli/environment.hpp"
#include "cli/here.hpp"
#include "cli/output.hpp"
#include "config/check.hpp"
#include "config/project.hpp"
#include "home/project/project.hpp"
#include "home/project/resolve.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <termios.h>
#include <unistd.h>

namespace cadre::cli {
namespace {

namespace fs = std::filesystem;
using home::Want;

bool is_person_there(const Output& output)
{
    return !output.json && ::isatty(STDIN_FILENO) == 1 && ::isatty(STDERR_FILENO) == 1 &&
           ::tcgetpgrp(STDIN_FILENO) == ::getpgrp();
}

std::string lines_of(const std::vector<Want>& wants)
{
    std::string text;
    for (const Want& want : wants)
        text += fmt::format("  - {}{}\n", visible(redact(want.text)),
                            want.file.empty() ? "" : fmt::format(", says {}", visible(want.file)));
    return text;
}

/// Nothing but a yes is a yes.
bool says_yes(const Output& output)
{
    ::tcflush(STDIN_FILENO, TCIFLUSH);  // typed before there was a question: no answer to it
    output.complain("Trust it with this? [y]es, or anything else for no: ");
    std::string line;
    for (char c = 0; line.size() < 100;) {
        const ssize_t size = ::read(STDIN_FILENO, &c, 1);
        if (size < 0 && errno == EINTR) continue;
        if (size <= 0 || c == '\n') break;
        line += c;
    }
    const std::string_view word = trimmed(line);
    return word == "y" || word == "yes";
}

std::string json_of(const fs::path& folder, const std::vector<Want>& wants, bool trusted)
{
    std::string text;
    JsonWriter json(text);
    json.begin_object().field("folder", folder.string()).field("trusted", trusted).key("wants").begin_array();
    for (const Want& want : wants)
        json.begin_object().field("text", redact(want.text)).field("file", want.file).end_object();
    json.end_array().end_object();
    return text + "\n";
}

fs::path folder_in(const Args& args)
{
    const fs::path given = args.find("dir").value_or(".");
    std::error_code error;
    if (given.empty() || !fs::is_directory(given, error))
        throw Error(Code::not_found, fmt::format("{} is not a folder", in_quotes(given.string())));
    fs::path whole = fs::absolute(given).lexically_normal();
    if (!whole.has_filename()) whole = whole.parent_path();  // a slash at its end would make it another one
    return config::project_around(whole);
}

int trust(const Args& args, Output& output)
{
    const fs::path folder = folder_in(args);
    if (args.has("forget")) {
        const bool known = home::forget_trust(place_here(), folder);
        if (output.json) output.print(json_of(folder, {}, false));
        else if (!output.quiet)
            output.print(fmt::format("{} {}\n", printable(folder.string()),
                                     known ? "is not trusted any more" : "was not trusted"));
        return 0;
    }
    const std::vector<Want> wants = all_wants(folder);
    if (!output.json && !output.quiet)
        output.print(wants.empty() ? fmt::format("{} wants nothing that needs trust\n", printable(folder.string()))
                                   : fmt::format("{} wants this:\n{}", printable(folder.string()), lines_of(wants)));
    if (!wants.empty() && !args.has("yes")) {
        if (!is_person_there(output))
            throw Error(Code::forbidden, "there is no person at a terminal to ask; look at the list, then say --yes");
        if (!says_yes(output)) return surface(Code::cancelled).exit;
    }
    if (!wants.empty()) home::trust(place_here(), folder, wants);
    if (output.json) output.print(json_of(folder, wants, true));
    else if (!output.quiet && !wants.empty())
        output.print("trusted; what it comes to want later is asked about again\n");
    return 0;
}

}  // namespace

std::vector<Want> all_wants(const fs::path& folder)
{
    home::Place place = place_here();
    place.trusted = true;  // for looking: else nothing could be seen behind a home that is not trusted
    const home::Project project(place, folder);
    std::vector<Want> wants = home::wants_of(project);
    const auto add = [&](std::vector<Want> more) {
        for (Want& want : more)
            if (std::ranges::find(wants, want.text, &Want::text) == wants.end()) wants.push_back(std::move(want));
    };
    const config::CheckResult found = config::check({.paths = {folder},
                                                     .current = place.folder,
                                                     .environment = environment,
                                                     .environment_names = environment_names()});
    for (const config::RunnableFile& file : found.runnable) {
        if (file.project != project.folder()) continue;  // one below it is trusted by itself
        const home::Resolution resolved = home::resolve(project, file.path, "", false);
        if (resolved.findings.errors() == 0) add(home::wants_of(project, resolved.team, file.path, ""));
    }
    return wants;
}

bool ask_for_trust(const home::NotTrusted& refused, const Output& output)
{
    if (!is_person_there(output)) return false;
    output.complain(fmt::format("The project {} was not made here, and you have not trusted it yet. It wants this:\n{}",
                                printable(refused.folder().string()), lines_of(refused.wants())));
    if (!says_yes(output)) return false;
    home::trust(place_here(), refused.folder(), refused.wants());
    return true;
}

void begin_again()
{
    std::ifstream typed("/proc/self/cmdline");
    std::vector<std::string> words;
    for (std::string word; std::getline(typed, word, '\0');) words.push_back(word);
    if (words.empty()) return;
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    ::execv("/proc/self/exe", argv.data());
}

Verb trust_verb()
{
    return {
        .name = "trust",
        .summary = "Look at what a project wants, and trust it",
        .arguments = {{.name = "dir",
                       .help = "The project; the one around the current folder when left out",
                       .count = Argument::Count::optional}},
        .flags = {{.name = "yes", .help = "Trust it without being asked"},
                  {.name = "forget", .help = "Trust it no longer"}},
        .text =
            "A project that somebody else wrote can name addresses that your keys go to, programs that start on "
            "your machine, rules by which you are not asked, and a folder to keep tasks in. Nothing of that happens "
            "before you have seen it and said yes, here or where it is first needed. What is trusted is what was "
            "shown: when the project comes to want something else, you are asked again. It is remembered in "
            "~/.config/cadre/trusted.json.\n\n"
            "Projects that cadre init made on this machine are yours and need no trust. Neither do scripts and "
            "models on this machine, providers at their own addresses, and tools that only look. For machines "
            "without a person: CADRE_TRUST=1, or --trust.",
        .examples = {{"cadre trust", "The project around the current folder"},
                     {"cadre trust --yes ~/src/support", "After you have read its files"},
                     {"cadre trust --forget", "Ask again"}},
        .run = trust,
    };
}

}  // namespace cadre::cli
