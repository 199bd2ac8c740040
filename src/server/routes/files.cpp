// What a task has made: its files, their versions, and files that people give it.
#include "artifacts/media_type.hpp"
#include "artifacts/path.hpp"
#include "artifacts/workspace.hpp"
#include "base/async.hpp"
#include "base/pool.hpp"
#include "home/home_owner.hpp"
#include "home/run_artifacts.hpp"
#include "model/describe.hpp"
#include "server/byte_range.hpp"
#include "server/call.hpp"
#include "server/page.hpp"
#include "server/routes/routes.hpp"
#include "server/service.hpp"
#include "server/stream_task.hpp"
#include "text/template/html.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <sys/stat.h>
#include <unistd.h>

namespace cadre::server {
namespace {

using home::ArtifactEntry;
using model::Entity;
using model::field;
using model::Home;
using storage::Descriptor;

constexpr std::size_t kMostListed = 1'000;
constexpr std::size_t kLargestUpload = 64 << 20;
/// A larger answer goes out in pieces.
constexpr std::uint64_t kArtifactPiece = 4 << 20;

constexpr std::array kArtifactFaults = {Fault{400, "bad_cursor", "The cursor is not one of this list."}};
constexpr std::array kPathFaults = {Fault{400, "bad_path", "No file can have that path."}};
constexpr std::array kContentFaults = {Fault{400, "bad_path", "No file can have that path."},
                                       Fault{416, "bad_range", "The file ends before that."}};

struct ArtifactQuery {
    std::optional<std::string> tag{}, prefix{};
    bool deleted = false;
    int limit = static_cast<int>(kMostListed);
    std::optional<std::string> cursor{};
};

const Entity& describe(const ArtifactQuery*)
{
    static const Entity entity{
        .name = "artifact_query",
        .doc = "Which files of a task.",
        .fields = {field("tag", &ArtifactQuery::tag, "Only those that have it."),
                   field("prefix", &ArtifactQuery::prefix, "Only those whose path begins so."),
                   field("deleted", &ArtifactQuery::deleted, "Also those that are gone."),
                   field("limit", &ArtifactQuery::limit, "How many at most.", {.min = 1, .max = double(kMostListed)}),
                   field("cursor", &ArtifactQuery::cursor, "`next_cursor` of the page before.")},
        .home = {Home::Kind::message}};
    return entity;
}

struct ArtifactPage {
    std::vector<ArtifactEntry> artifacts{};
    std::optional<std::string> next_cursor{};
};

const Entity& describe(const ArtifactPage*)
{
    static const Entity entity{
        .name = "artifact_page",
        .doc = "Files that a task has made.",
        .fields = {field("artifacts", &ArtifactPage::artifacts, "By path."),
                   field("next_cursor", &ArtifactPage::next_cursor, "For the next page; null: this was the last one.")},
        .home = {Home::Kind::message}};
    return entity;
}

struct ContentQuery {
    std::optional<int> version{};
    bool raw = false;
};

const Entity& describe(const ContentQuery*)
{
    static const Entity entity{
        .name = "content_query",
        .doc = "Which content of a file.",
        .fields = {field("version", &ContentQuery::version, "Which one; null: the newest.", {.min = 1}),
                   field("raw", &ContentQuery::raw, "To be shown by a browser, where its type can do no harm.")},
        .home = {Home::Kind::message}};
    return entity;
}

struct UploadQuery {
    std::string description{};
    std::vector<std::string> tags{};
};

const Entity& describe(const UploadQuery*)
{
    static const Entity entity{
        .name = "upload_query",
        .doc = "What is known of a file.",
        .fields = {field("description", &UploadQuery::description, "What it is for.", {.max_length = 2000}),
                   field("tags", &UploadQuery::tags, "Words to find it by.", {.max_length = 20})},
        .home = {Home::Kind::message}};
    return entity;
}

std::string artifact_path(const Call& call)
{
    const std::string& path = call.path("path");
    if (const auto problem = artifacts::problem_with(path))
        throw Refusal(400, Code::malformed, "bad_path", "the path " + in_quotes(path) + " " + *problem);
    return artifacts::plain_path(path);
}

Async<engine::Histories> histories(Call& call)
{
    const auto records = co_await call.service().home.runtime().queries().records(call.by(), call.task());
    co_return engine::histories_of(records);
}

Async<ArtifactPage> list_artifacts(Call& call, ArtifactQuery query)
{
    home::Runtime& home = call.service().home.runtime();
    const auto state = co_await home.queries().task(call.by(), call.task());
    auto known = co_await histories(call);
    auto entries = co_await on(home.host().env().pool, [state, known = std::move(known),
                                                        folder = home::artifacts_folder(home.home(), call.task())] {
        return home::entries_of(*state, known, folder);
    });
    const std::string filter = fmt::format("artifacts\n{}\n{}\n{}\n{}", to_string(call.task()), query.tag.value_or(""),
                                           query.prefix.value_or(""), query.deleted);
    const std::string cursor = query.cursor.value_or("");
    const std::string_view behind = cursor.empty() ? "" : place_in(cursor, filter, call.service().secret);
    ArtifactPage page;
    const auto limit = static_cast<std::size_t>(query.limit);
    for (ArtifactEntry& entry : entries) {
        if (entry.path <= behind || (entry.deleted && !query.deleted)) continue;
        if (query.prefix && !entry.path.starts_with(*query.prefix)) continue;
        if (query.tag && std::ranges::find(entry.tags, *query.tag) == entry.tags.end()) continue;
        if (page.artifacts.size() == limit) {
            page.next_cursor = sealed_place(page.artifacts.back().path, filter, call.service().secret);
            break;
        }
        page.artifacts.push_back(std::move(entry));
    }
    co_return page;
}

std::string read_at(int file, std::uint64_t first, std::size_t size)
{
    std::string bytes(size, '\0');
    for (std::size_t done = 0; done < size;) {
        const ssize_t got = ::pread(file, bytes.data() + done, size - done, static_cast<off_t>(first + done));
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) throw Error(Code::unavailable, "the content of this version cannot be read");
        done += static_cast<std::size_t>(got);
    }
    return bytes;
}

struct Content {
    std::shared_ptr<Descriptor> file{};
    std::uint64_t size = 0;
    std::string type{};
    std::string checksum{};  // empty: it has no version
};

/// Of a version, or of a file that an older release wrote.
Async<Content> open_content(Call& call, const std::string& path, std::optional<int> number)
{
    home::Runtime& home = call.service().home.runtime();
    const Id task = call.task();
    const auto state = co_await home.queries().task(call.by(), task);
    const auto known = co_await histories(call);
    Content content{.type = std::string(artifacts::media_type_of(path))};
    const bool has_versions = known.contains(path) || !state->written.contains(path);
    if (has_versions) {
        const artifacts::Version& version = home::get_version(known, path, number);
        content.checksum = version.sha256;
        if (artifacts::is_media_type(version.mime_type)) content.type = version.mime_type;
    }
    co_return co_await on(home.host().env().pool, [&home, task, path, content]() mutable {
        Descriptor file;
        if (!content.checksum.empty()) file = home.artifacts().keeper().open(to_string(task), content.checksum);
        else file = artifacts::Workspace(home::artifacts_folder(home.home(), task)).open(path).file;
        struct stat status{};
        if (!file || ::fstat(file.get(), &status) != 0)
            throw Error(Code::not_found, "the task has no file " + in_quotes(path));
        content.size = static_cast<std::uint64_t>(status.st_size);
        content.file = std::make_shared<Descriptor>(std::move(file));
        return std::move(content);
    });
}

/// Bytes that no browser takes for a page of ours.
void add_safe_headers(Call& call, const Content& content, const std::string& path, bool is_shown)
{
    const std::string name = text::tpl::url_encoded(path.substr(path.rfind('/') + 1), true);
    std::string file_name = name;
    for (std::size_t at = 0; (at = file_name.find('+', at)) != std::string::npos;) file_name.replace(at, 1, "%20");
    call.add_header("Content-Disposition",
                    fmt::format("{}; filename*=UTF-8''{}", is_shown ? "inline" : "attachment", file_name));
    call.add_header("Content-Security-Policy", "sandbox; default-src 'none'");
    call.add_header("Accept-Ranges", "bytes");
    if (!content.checksum.empty()) call.add_header("ETag", "\"" + content.checksum + "\"");
}

Async<> send_bytes(Call& call, Content content, ByteRange range)
{
    Pool& pool = call.service().home.runtime().host().env().pool;
    const auto piece_at = [&pool, file = content.file](std::uint64_t first, std::uint64_t size) {
        return on(pool, [file, first, size] { return read_at(file->get(), first, static_cast<std::size_t>(size)); });
    };
    if (range.size <= kArtifactPiece) {
        std::string bytes = co_await piece_at(range.first, range.size);
        co_return co_await call.reply_text(content.type, std::move(bytes));
    }
    net::HttpHeaders headers = call.take_headers();
    headers.push_back({"Content-Type", content.type});
    co_await call.exchange().begin(call.status(), std::move(headers));
    while (range.size > 0) {
        const std::uint64_t size = std::min(range.size, kArtifactPiece);
        std::string piece = co_await piece_at(range.first, size);
        co_await call.exchange().write(std::move(piece));
        range = {range.first + size, range.size - size};
    }
    co_await call.exchange().end();
}

Async<> get_artifact(Call& call)
{
    const auto query = call.query<ContentQuery>();
    const std::string path = artifact_path(call);
    Content content = co_await open_content(call, path, query.version);
    add_safe_headers(call, content, path, query.raw && artifacts::can_preview(content.type));
    if (!content.checksum.empty() && call.knows(call.added("ETag"))) co_return co_await call.reply_empty(304);
    const std::string_view same = call.header("If-Range");
    const auto range =
        same.empty() || same == call.added("ETag") ? byte_range(call.header("Range"), content.size) : std::nullopt;
    if (range && range->size == 0) {
        net::HttpHeaders headers{{"Content-Range", fmt::format("bytes */{}", content.size)}};
        throw Refusal(416, Code::invalid, "bad_range", fmt::format("{} has {} bytes", in_quotes(path), content.size),
                      {}, std::move(headers));
    }
    if (range) {
        call.set_status(206);
        call.add_header("Content-Range",
                        fmt::format("bytes {}-{}/{}", range->first, range->first + range->size - 1, content.size));
    }
    const std::uint64_t all = content.size;
    co_await send_bytes(call, std::move(content), range.value_or(ByteRange{0, all}));
}

Async<home::VersionList> versions(Call& call)
{
    const std::string path = artifact_path(call);
    const auto known = co_await histories(call);
    co_return home::versions_in(known, path);
}

Async<ArtifactEntry> restore(Call& call)
{
    const std::string& number = call.path("version");
    home::RestoreArtifact request{.task = call.task(), .path = artifact_path(call)};
    const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), request.version);
    if (error != std::errc() || end != number.data() + number.size() || request.version < 1)
        throw Error(Code::not_found, in_quotes(request.path) + " has no version " + in_quotes(number));
    co_return co_await call.service().home.perform(call.by(), std::move(request));
}

/// The body as it is, whatever it holds.
Async<ArtifactEntry> upload(Call& call)
{
    home::HomeOwner& home = call.service().home;
    co_await home.runtime().queries().expect(call.by(), engine::Act::change, call.task());
    auto query = call.query<UploadQuery>();
    artifacts::Draft draft{
        .path = artifact_path(call), .description = std::move(query.description), .tags = std::move(query.tags)};
    const std::string_view said = call.header("Content-Type");
    const std::string type(said.substr(0, said.find(';')));
    // what clients say who know nothing of it
    if (artifacts::is_media_type(type) && type != "application/octet-stream" &&
        type != "application/x-www-form-urlencoded")
        draft.mime_type = type;
    co_await call.take_body();
    draft.content = call.body_text();
    co_return co_await home.upload(call.by(), call.task(), std::move(draft));
}

}  // namespace

std::vector<Route> file_routes()
{
    using engine::Act;
    Route put = typed({.method = Method::put,
                       .path = "/tasks/{task_id}/artifacts/{path*}",
                       .name = "put_artifact",
                       .doc = "Gives a task a file: the next version of its path.",
                       .act = Act::change,
                       .rate = RateClass::write,
                       .faults = kPathFaults,
                       .body_limit = kLargestUpload,
                       .takes_file = true},
                      upload);
    put.query = &detail::entity_of<UploadQuery>();
    return {
        with_stream(typed({.path = "/tasks/{task_id}/artifacts",
                           .name = "list_artifacts",
                           .doc = "Files that a task has made; as a stream, what happens to them.",
                           .faults = kArtifactFaults,
                           .requirements = "API-16, API-38"},
                          list_artifacts),
                    "artifacts"),
        typed({.path = "/tasks/{task_id}/artifacts/{path*}/versions",
               .name = "list_versions",
               .doc = "All versions of a file that a task has made.",
               .faults = kPathFaults,
               .requirements = "API-18"},
              versions),
        typed({.method = Method::post,
               .path = "/tasks/{task_id}/artifacts/{path*}/restore/{version}",
               .name = "restore_artifact",
               .doc = "Makes a version of a file the newest one again, as a new version.",
               .act = Act::change,
               .rate = RateClass::write,
               .success = 201,
               .faults = kPathFaults,
               .requirements = "API-19"},
              restore),
        {.path = "/tasks/{task_id}/artifacts/{path*}",
         .name = "get_artifact",
         .doc = "What a file that a task has made holds, or a part of it.",
         .query = &detail::entity_of<ContentQuery>(),
         .faults = kContentFaults,
         .form = Form::file,
         .requirements = "API-17",
         .handler = get_artifact},
        std::move(put),
    };
}

}  // namespace cadre::server
