#include "cli/engine_room.hpp"

#include "base/async.hpp"
#include "base/error.hpp"
#include "base/log.hpp"
#include "base/pool.hpp"
#include "base/random.hpp"
#include "cli/environment.hpp"
#include "cli/project_here.hpp"
#include "llm/http_options.hpp"
#include "patterns/patterns.hpp"
#include "storage/files.hpp"
#include "storage/sqlite/sqlite_store.hpp"
#include "tools/builtin.hpp"
#include "tools/fetch/fetch_tool.hpp"
#include "tools/sandbox/code_tools.hpp"

#include <system_error>
#include <unistd.h>
#include <utility>

namespace cadre::cli {
namespace {

namespace fs = std::filesystem;

/// Tools that block at the same time.
constexpr std::size_t kToolThreads = 4;

}  // namespace

EngineRoom::EngineRoom(net::Loop& loop, fs::path home, std::unique_ptr<storage::Store> store)
    : home_(std::move(home)),
      pool_(kToolThreads),
      store_(std::move(store)),
      http_(loop, llm::http_options(environment)),
      project_tools_(loop, home_, Log(descriptor_sink(STDERR_FILENO), Level::error)),
      models_(loop, Log(descriptor_sink(STDERR_FILENO), Level::warning)),
      env_{.loop = loop,
           .pool = pool_,
           .random = system_random(),
           .store = *store_,
           .tools = tools_,
           .models = [this](const model::LlmConfig& config, const Id& task) { return models_.get(config, task); },
           .workspace = [this](const Id& task) { return workspace(task); },
           .toolbox = &project_tools_,
           .log = Log(descriptor_sink(STDERR_FILENO), Level::error)}
{
    tools::add_builtin_tools(tools_, loop.clock());
    const tools::SandboxOptions sandbox{.loop = loop, .mode = sandbox_here()};
    tools_.add(tools::shell_tool(sandbox));
    tools_.add(tools::python_tool(sandbox));
    tools_.add(tools::fetch_tool(http_));
    patterns::add_patterns(patterns_);
    host_ = std::make_unique<engine::Host>(env_, patterns_);
    commands_.emplace(*host_);
}

EngineRoom::~EngineRoom() = default;

Async<> EngineRoom::close()
{
    co_await host_->close();
    co_await project_tools_.close();
}

Async<bool> EngineRoom::copy_files(Id from, Id to)
{
    const fs::path source = folder_of(from) / "artifacts";
    const fs::path target = folder_of(to);
    co_return co_await on(pool_, [source, target] {
        const fs::path whole = target / "artifacts", part = target / "artifacts.part";
        std::error_code error;
        if (!fs::is_directory(source, error) || fs::exists(whole, error)) return false;
        storage::make_private_folder(target);
        fs::remove_all(part, error);  // of a copy that a crash has cut off
        // links stay links: they lead where they led
        fs::copy(source, part, fs::copy_options::recursive | fs::copy_options::copy_symlinks, error);
        if (!error) fs::rename(part, whole, error);
        if (error)
            throw Error(Code::unavailable,
                        "cannot copy the files of the task from " + source.string() + ": " + error.message());
        return true;
    });
}

Async<> EngineRoom::remove_files(Id task)
{
    const fs::path folder = folder_of(task);
    co_await on(pool_, [folder] {
        std::error_code error;
        fs::remove_all(folder, error);  // as far as that works
    });
}

fs::path EngineRoom::folder_of(const Id& task) const
{
    return home_ / "tasks" / to_string(task);
}

fs::path EngineRoom::workspace(const Id& task) const
{
    const fs::path folder = artifacts_folder(home_, task);
    std::error_code error;
    if (!fs::is_directory(folder.parent_path(), error)) storage::make_private_folder(folder.parent_path());
    return folder;
}

fs::path artifacts_folder(const fs::path& home, const Id& task)
{
    return home / "tasks" / to_string(task) / "artifacts";
}

std::unique_ptr<EngineRoom> find_journal(net::Loop& loop, const fs::path& home)
{
    try {
        return std::make_unique<EngineRoom>(loop, home, storage::SqliteStore::open_read_only(home));
    } catch (const Error& error) {
        if (error.code() != Code::not_found) throw;
    }
    return nullptr;
}

}  // namespace cadre::cli
