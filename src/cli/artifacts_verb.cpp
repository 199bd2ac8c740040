#include "cli/artifacts_verb.hpp"

#include "artifacts/keeper.hpp"
#include "artifacts/path.hpp"
#include "artifacts/text_changes.hpp"
#include "base/async.hpp"
#include "base/base64.hpp"
#include "base/error.hpp"
#include "base/json_writer.hpp"
#include "base/utf8.hpp"
#include "cli/args.hpp"
#include "cli/layout.hpp"
#include "cli/output.hpp"
#include "cli/read_only_home.hpp"
#include "cli/task_argument.hpp"
#include "cli/task_text.hpp"
#include "cli/verb_context.hpp"
#include "home/artifact_requests.hpp"
#include "model/write.hpp"

#include <fmt/format.h>

#include <charconv>

namespace cadre::cli {
namespace {

using artifacts::Version;
using home::ArtifactEntry;
using home::VersionEntry;

/// A task and the files that it has made.
struct Made {
    Id task{};
    std::shared_ptr<const engine::TaskState> state{};
    engine::Histories histories{};
};

Async<Made> made_by(ReadOnlyHome& onlooker, std::string prefix)
{
    Made made;
    made.task = co_await onlooker.queries().resolve(onlooker.who(), std::move(prefix));
    made.state = co_await onlooker.queries().task(onlooker.who(), made.task);
    const auto records = co_await onlooker.queries().records(onlooker.who(), made.task);
    made.histories = engine::histories_of(records);
    co_return made;
}

int version_number(std::string_view text, std::string_view flag)
{
    int number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || end != text.data() + text.size() || number < 1)
        throw Error(Code::invalid,
                    fmt::format("--{} wants the number of a version, counted from 1, not {}", flag, in_quotes(text)));
    return number;
}

std::string path_in(const Args& args, std::string_view why)
{
    const auto path = args.find("path");
    if (!path) throw Error(Code::invalid, fmt::format("--{} needs the path of a file", why));
    return artifacts::plain_path(*path);
}

std::string version_content(const ReadOnlyHome& onlooker, const Id& task, const Version& version)
{
    return artifacts::Keeper(onlooker.home() / "tasks").read(to_string(task), version.sha256);
}

bool is_text(std::string_view bytes)
{
    while (!bytes.empty()) {
        const std::size_t length = utf8_length(bytes);
        if (length == 0 || bytes.front() == '\0') return false;
        bytes.remove_prefix(length);
    }
    return true;
}

/// ` by write_file`
std::string by_whom(const std::optional<std::string>& who)
{
    return who ? " by " + printable(*who) : "";
}

int list_files(const Made& made, const ReadOnlyHome& onlooker, Output& output)
{
    const auto folder = onlooker.home() / "tasks" / to_string(made.task) / "artifacts";
    const auto entries = home::entries_of(*made.state, made.histories, folder);
    if (output.json) {
        std::string text;
        JsonWriter json(text);
        json.begin_object().field("task", to_string(made.task)).key("artifacts").begin_array();
        for (const ArtifactEntry& entry : entries) json.raw(model::to_json_text(entry));
        json.end_array().end_object();
        output.print(text + "\n");
        return 0;
    }
    std::size_t widest = 0;
    for (const ArtifactEntry& entry : entries) widest = std::max(widest, columns(printable(entry.path)));
    const Time now = system_clock().now();
    for (const ArtifactEntry& entry : entries) {
        const std::string state = entry.deleted ? "deleted" : entry.version ? "version " + *entry.version : "";
        const std::string size = size_text(static_cast<std::uint64_t>(entry.size_bytes));
        const std::string when = entry.updated_at ? local_time(*entry.updated_at, now) : "";
        output.print(fmt::format("{}  {}  {}  {}{}\n", padded(printable(entry.path), widest), padded(state, 12),
                                 padded(size, 10), when, by_whom(entry.created_by)));
    }
    if (entries.empty() && !output.quiet) output.complain("the task has made no files\n");
    return 0;
}

int list_versions(const Made& made, const std::string& path, Output& output)
{
    const home::VersionList list = home::versions_in(made.histories, path);
    if (output.json) {
        std::string text = R"({"task":")" + to_string(made.task) + "\",";
        text += model::to_json_text(list).substr(1);
        output.print(text + "\n");
        return 0;
    }
    const Time now = system_clock().now();
    for (const VersionEntry& version : list.versions)
        output.print(fmt::format("{:>5}  {}  {}  {}{}\n", version.version,
                                 padded(size_text(static_cast<std::uint64_t>(version.size_bytes)), 10),
                                 padded(local_time(version.created_at, now), 8),
                                 printable(version.reason) + by_whom(version.created_by),
                                 version.kept ? "" : ", no longer kept"));
    if (list.deleted && !output.quiet) output.complain("the file was deleted; its versions are here\n");
    return 0;
}

int print_content(const Made& made, const ReadOnlyHome& onlooker, const Version& version, Output& output)
{
    const std::string bytes = version_content(onlooker, made.task, version);
    if (!output.json) {
        output.print(bytes);
        return 0;
    }
    const bool is_plain = is_text(bytes);
    std::string text;
    JsonWriter json(text);
    json.begin_object().field("task", to_string(made.task)).field("path", version.path);
    json.field("version", std::to_string(version.version)).field("checksum", version.sha256);
    json.field("mime_type", version.mime_type).field("size_bytes", version.size);
    json.field("encoding", is_plain ? "utf-8" : "base64");
    json.field("content", is_plain ? bytes : to_base64(bytes)).end_object();
    output.print(text + "\n");
    return 0;
}

/// `2..5`; `2`: up to the newest.
std::pair<int, std::optional<int>> versions_named(std::string_view text)
{
    const std::size_t dots = text.find("..");
    const int from = version_number(text.substr(0, dots), "diff");
    if (dots == text.npos || dots + 2 == text.size()) return {from, std::nullopt};
    return {from, version_number(text.substr(dots + 2), "diff")};
}

int diff_versions(const Made& made, const ReadOnlyHome& onlooker, const std::string& path, std::string_view named,
                  Output& output)
{
    const auto [first, second] = versions_named(named);
    const Version& from = home::get_version(made.histories, path, first);
    const Version& to = second ? home::get_version(made.histories, path, second)
                               : home::get_history(made.histories, path).versions.back();
    const std::string before = version_content(onlooker, made.task, from),
                      after = version_content(onlooker, made.task, to);
    const bool are_texts = is_text(before) && is_text(after);
    const artifacts::LineCounts lines = are_texts ? artifacts::changes_between(before, after) : artifacts::LineCounts();
    std::string changes;
    if (are_texts)
        changes = artifacts::unified_diff(before, after, fmt::format("{} version {}", path, from.version),
                                          fmt::format("{} version {}", path, to.version));
    if (output.json) {
        std::string text;
        JsonWriter json(text);
        json.begin_object().field("task", to_string(made.task)).field("path", path);
        json.field("from", std::to_string(from.version)).field("to", std::to_string(to.version));
        json.field("same", before == after).field("added", lines.added).field("removed", lines.removed);
        json.field("diff", changes).end_object();
        output.print(text + "\n");
        return 0;
    }
    if (are_texts) output.print(changes);
    else if (before != after) output.print("they are not texts, and differ\n");
    return 0;
}

Async<int> restored(VerbContext& command, std::string prefix, home::RestoreArtifact request, ArtifactEntry& entry)
{
    request.task = co_await command.session.resolve(std::move(prefix));
    entry = co_await command.session.call(std::move(request));
    co_return 0;
}

int restore(const Args& args, Output& output)
{
    const std::string path = path_in(args, "restore");
    VerbContext command(output);
    expect_journal(command.session.home());
    ArtifactEntry entry;
    command.run(
        restored(command, args["task"], {.path = path, .version = version_number(args["restore"], "restore")}, entry));
    if (output.json) output.print(model::to_json_text(entry) + "\n");
    else if (!output.quiet)
        output.print(printable(fmt::format("{} is version {}: what version {} was\n", entry.path,
                                           entry.version.value_or("?"), args["restore"])));
    return 0;
}

int artifacts_verb_run(const Args& args, Output& output)
{
    if (args.has("version") + args.has("restore") + args.has("diff") > 1)
        throw Error(Code::invalid, "--version, --restore and --diff are three different things: give one of them");
    if (args.has("restore")) return restore(args, output);
    ReadOnlyHome onlooker;
    const Made made = onlooker.run(made_by(onlooker, args["task"]));
    if (args.has("diff")) return diff_versions(made, onlooker, path_in(args, "diff"), args["diff"], output);
    if (args.has("version"))
        return print_content(
            made, onlooker,
            home::get_version(made.histories, path_in(args, "version"), version_number(args["version"], "version")),
            output);
    if (args.has("path")) return list_versions(made, path_in(args, "path"), output);
    return list_files(made, onlooker, output);
}

}  // namespace

Verb artifacts_verb()
{
    return {
        .name = "artifacts",
        .summary = "List, compare and restore the files of a task",
        .arguments = {kTask,
                      {.name = "path",
                       .help = "Of a file, as the list has it: then its versions are listed",
                       .count = Argument::Count::optional}},
        .flags = {{.name = "version", .value = "N", .help = "Print what that version of the file holds"},
                  {.name = "diff",
                   .value = "A..B",
                   .help = "Print which lines two versions differ in; A: from there to the newest"},
                  {.name = "restore", .value = "N", .help = "Make that version the newest one again"}},
        .text =
            "Whenever a tool of a task changes a file, what it held is kept: nothing that a task has made is lost by "
            "what it does next. A version that is restored is a new one with the content of the old; the file in "
            "tasks/ID/artifacts of the home becomes that too, also while the task runs or when it has ended. A file "
            "that a tool has removed is listed as deleted, and its versions can be restored.\n\n"
            "Of more than 1,000 versions of a file, the first and the latest keep their content.",
        .examples = {{"cadre artifacts 3f2a4b1c", "The files of a task"},
                     {"cadre artifacts 3f2a4b1c report.md", "The versions of one"},
                     {"cadre artifacts 3f2a4b1c report.md --version 1", "What it was at first"},
                     {"cadre artifacts 3f2a4b1c report.md --diff 1..2", "What has changed"},
                     {"cadre artifacts 3f2a4b1c report.md --restore 1", "Make it that again"}},
        .run = artifacts_verb_run,
    };
}

}  // namespace cadre::cli
