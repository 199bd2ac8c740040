#include "cli/engine_room.hpp"

#include "base/async.hpp"
#include "base/error.hpp"
#include "base/log.hpp"
#include "base/random.hpp"
#include "patterns/patterns.hpp"
#include "storage/files.hpp"
#include "storage/sqlite/sqlite_store.hpp"
#include "tools/builtin.hpp"

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
      env_{.loop = loop,
           .pool = pool_,
           .random = system_random(),
           .store = *store_,
           .tools = tools_,
           .models = [this](const std::string& spec, const Id& task) { return models_.get(spec, task); },
           .workspace = [this](const Id& task) { return workspace(task); },
           .log = Log(descriptor_sink(STDERR_FILENO), Level::error)}
{
    tools::add_builtin_tools(tools_, loop.clock());
    patterns::add_patterns(patterns_);
    host_ = std::make_unique<engine::Host>(env_, patterns_);
    commands_.emplace(*host_);
}

EngineRoom::~EngineRoom() = default;

Async<> EngineRoom::close()
{
    co_await host_->close();
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
