#include "cli/backup_verb.hpp"

#include "base/error.hpp"
#include "base/json_writer.hpp"
#include "base/plural.hpp"
#include "cli/args.hpp"
#include "cli/here.hpp"
#include "cli/output.hpp"
#include "cli/task_text.hpp"
#include "cli/verb_context.hpp"
#include "home/backup.hpp"

#include <fmt/format.h>

namespace cadre::cli {
namespace {

std::string json_of(const home::BackedUp& done)
{
    std::string text;
    JsonWriter json(text);
    json.begin_object().field("folder", done.folder.string());
    json.field("tasks", done.tasks).field("records", done.records).field("files", done.files);
    json.key("problems").begin_array();
    for (const std::string& problem : done.problems) json.value(problem);
    json.end_array().end_object();
    return text + "\n";
}

int backup(const Args& args, Output& output)
{
    const auto home = home_here();
    expect_journal(home);
    if (args["folder"].empty()) throw Error(Code::invalid, "the folder of the backup has no name");
    const home::BackedUp done = home::back_up(home, args["folder"]);
    for (const std::string& problem : done.problems)
        output.complain(fmt::format("not copied: {}\n", printable(problem)));
    if (output.json) output.print(json_of(done));
    else if (!output.quiet)
        output.print(fmt::format("{} with {} and {} are in {}\n", plural(done.tasks, "task"),
                                 plural(done.records, "record"), plural(done.files, "file"), done.folder.string()));
    return done.problems.empty() ? 0 : surface(Code::unavailable).exit;
}

}  // namespace

Verb backup_verb()
{
    return {
        .name = "backup",
        .summary = "Copy the home into a folder, while tasks run",
        .arguments = {{.name = "folder", .help = "Where to; it must not exist yet, or be empty"}},
        .text =
            "The copy is the journal as it was at one moment, the files of the tasks, and everything else in the home. "
            "It is a home itself: CADRE_HOME=FOLDER cadre tasks shows what is in it, and to restore it, it takes "
            "the place of the home. Nothing in the home is changed, and tasks need not stop. What cannot be copied "
            "is named, and the exit code is 9.",
        .examples = {{"cadre backup /backups/monday", "A copy of everything"},
                     {"CADRE_HOME=/backups/monday cadre verify", "Is it whole?"}},
        .run = backup,
    };
}

}  // namespace cadre::cli
