#include "base/async.hpp"
#include "base/error.hpp"
#include "base/json_writer.hpp"
#include "cli/args.hpp"
#include "cli/fork_verbs.hpp"
#include "cli/layout.hpp"
#include "cli/read_only_home.hpp"
#include "cli/task_text.hpp"
#include "cli/verb_context.hpp"
#include "cli/write_file.hpp"
#include "engine/transfer.hpp"
#include "model/write.hpp"

#include <fmt/core.h>

#include <filesystem>

namespace cadre::cli {
namespace {

namespace fs = std::filesystem;

Async<engine::Transfer> export_one(ReadOnlyHome& onlooker, std::string prefix, bool full)
{
    const Id task = co_await onlooker.queries().resolve(onlooker.who(), std::move(prefix));
    co_return co_await onlooker.queries().export_run(onlooker.who(), task, full);
}

Async<int> import_file(VerbContext& command, std::string file)
{
    const engine::ImportReport report = co_await command.session.call(home::Import{std::move(file)});
    const Output& output = command.console.output();
    const std::string id = short_id(report.task);
    if (output.json) co_await command.console.out(model::to_json_text(report) + "\n");
    else if (report.existed) co_await command.console.out(fmt::format("task {} was here already\n", id));
    else
        co_await command.console.out(
            fmt::format("task {} is here; to look at it: {}\n", id, as_typed("cadre show " + id)));
    co_return 0;
}

}  // namespace

int export_run(const Args& args, Output& output)
{
    ReadOnlyHome onlooker;
    const engine::Transfer transfer = onlooker.run(export_one(onlooker, args["task"], args.has("full")));
    const std::string text = engine::file_of(transfer);
    const auto file = args.find("output");
    if (!file) {
        output.print(text);
        return 0;
    }
    write_file(*file, text);
    if (output.json) {
        std::string result;
        JsonWriter json(result);
        json.begin_object().field("task", to_string(transfer.task)).field("file", *file);
        json.field("bytes", std::uint64_t{text.size()}).field("redacted", transfer.redacted).end_object();
        output.print(result + "\n");
    } else if (!output.quiet) {
        output.complain(printable(fmt::format("{} written, {}{}\n", *file, size_text(text.size()),
                                              transfer.redacted ? "; credentials are masked: --full keeps them" : "")));
    }
    return 0;
}

int import_run(const Args& args, Output& output)
{
    VerbContext command(output);
    // whoever owns the home reads it
    return command.run(import_file(command, fs::absolute(args["file"]).lexically_normal().string()));
}

}  // namespace cadre::cli
