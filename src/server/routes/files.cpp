// What a task has written: the files in its folder of artifacts.
#include "base/async.hpp"
#include "base/pool.hpp"
#include "base/sha256.hpp"
#include "home/home_owner.hpp"
#include "model/describe.hpp"
#include "server/call.hpp"
#include "server/routes/routes.hpp"
#include "server/service.hpp"
#include "server/stream_task.hpp"
#include "storage/private_folder.hpp"

#include <algorithm>
#include <filesystem>
#include <system_error>

namespace cadre::server {
namespace {

namespace fs = std::filesystem;
using model::Entity;
using model::field;
using model::Home;

constexpr std::size_t kMostFiles = 10'000;
constexpr std::size_t kLargestFile = 64 << 20;

struct FileView {
    std::string path{};
    std::int64_t size_bytes = 0;
};

const Entity& describe(const FileView*)
{
    static const Entity entity{.name = "file_view",
                               .doc = "A file that a task has written.",
                               .fields = {field("path", &FileView::path, "In its folder of artifacts."),
                                          field("size_bytes", &FileView::size_bytes, "How large it is.")},
                               .home = {Home::Kind::message}};
    return entity;
}

struct FileList {
    std::vector<FileView> artifacts{};
};

const Entity& describe(const FileList*)
{
    static const Entity entity{.name = "file_list",
                               .doc = "Files that a task has written.",
                               .fields = {field("artifacts", &FileList::artifacts, "By path, at most 10,000.")},
                               .home = {Home::Kind::message}};
    return entity;
}

/// Links are nothing: they may lead anywhere.
FileList files_in(const fs::path& folder)
{
    FileList list;
    std::error_code error;
    for (auto at = fs::recursive_directory_iterator(folder, error);
         !error && at != fs::recursive_directory_iterator() && list.artifacts.size() < kMostFiles;
         at.increment(error)) {
        if (at->is_symlink(error) || !at->is_regular_file(error)) continue;
        list.artifacts.push_back(
            {at->path().lexically_relative(folder).generic_string(), static_cast<std::int64_t>(at->file_size(error))});
    }
    std::ranges::sort(list.artifacts, {}, &FileView::path);
    return list;
}

Async<FileList> files(Call& call)
{
    home::Runtime& home = call.service().home.runtime();
    co_await home.queries().expect(call.by(), engine::Act::read, call.task());
    const fs::path folder = home::artifacts_folder(home.home(), call.task());
    co_return co_await on(home.host().env().pool, [folder] { return files_in(folder); });
}

/// Bytes that no browser takes for a page of ours.
Async<> file(Call& call)
{
    home::Runtime& home = call.service().home.runtime();
    const Id task = call.task();
    co_await home.queries().expect(call.by(), engine::Act::read, task);
    const std::string path = call.path("path");
    const fs::path folder = home::artifacts_folder(home.home(), task).parent_path();
    auto bytes = co_await on(home.host().env().pool, [folder, path]() -> std::optional<std::string> {
        auto found = storage::PrivateFolder::find(folder);
        if (!found) return std::nullopt;
        return found->read("artifacts/" + path, kLargestFile);
    });
    if (!bytes) throw Error(Code::not_found, "the task has no file " + in_quotes(path));
    std::string tag = "\"";
    append_hex(tag, sha256(*bytes));
    call.add_header("ETag", tag + "\"");
    call.add_header("Content-Disposition", "attachment");
    call.add_header("Content-Security-Policy", "sandbox; default-src 'none'");
    co_await call.reply_text("application/octet-stream", std::move(*bytes));
}

}  // namespace

std::vector<Route> file_routes()
{
    return {
        with_stream(typed({.path = "/tasks/{task_id}/artifacts",
                           .name = "list_artifacts",
                           .doc = "Files that a task has written; as a stream, what happens to them.",
                           .requirements = "API-16, API-38"},
                          files),
                    "artifacts"),
        {.path = "/tasks/{task_id}/artifacts/{path*}",
         .name = "get_artifact",
         .doc = "A file that a task has written.",
         .form = Form::file,
         .requirements = "API-17",
         .handler = file},
    };
}

}  // namespace cadre::server
