#include "home/runtime.hpp"

#include "base/async.hpp"
#include "base/error.hpp"
#include "base/log.hpp"
#include "base/pool.hpp"
#include "base/random.hpp"
#include "home/channels.hpp"
#include "home/encoders.hpp"
#include "home/fork_files.hpp"
#include "home/run_artifacts.hpp"
#include "home/run_memory.hpp"
#include "llm/local/local_model.hpp"
#include "net/http_options.hpp"
#include "patterns/patterns.hpp"
#include "storage/files.hpp"
#include "storage/sqlite/sqlite_store.hpp"
#include "tools/builtin.hpp"
#include "tools/fetch/fetch_tool.hpp"
#include "tools/sandbox/code_tools.hpp"

#include <system_error>
#include <unistd.h>
#include <utility>

namespace cadre::home {
namespace fs = std::filesystem;

/// The tools of projects, with what stands in for them.
class Runtime::StandIns final : public tools::Toolbox {
public:
    using Choice = decltype(RuntimeOptions::stand_in);

    StandIns(tools::Toolbox& real, Choice stand_in) : real_(real), stand_in_(std::move(stand_in)) {}

    Async<> describe(model::Team& team, fs::path project) override { return real_.describe(team, std::move(project)); }
    std::shared_ptr<tools::Tool> find(const model::Tool& described, const fs::path& project, std::string& why) override
    {
        auto tool = real_.find(described, project, why);
        return tool ? stand_in_(std::move(tool)) : nullptr;
    }

private:
    tools::Toolbox& real_;
    Choice stand_in_;
};

Runtime::Runtime(net::Loop& loop, const RuntimeOptions& options, std::unique_ptr<storage::Store> store)
    : home_(options.home),
      projects_(options.place, options.home, options.project),
      pool_(options.threads),
      store_(std::move(store)),
      http_(loop, net::http_options(options.place.environment)),
      encoder_(lazy_encoder(embeddings_folder(options.place, home_), Log(options.log, options.log_level))),
      project_tools_(loop, projects_, home_, Log(options.log, options.log_level), encoder_),
      stand_ins_(options.stand_in ? std::make_unique<StandIns>(project_tools_, options.stand_in) : nullptr),
      models_(loop, projects_, Log(options.log, options.log_level), std::make_shared<llm::LocalModel>(pool_, encoder_)),
      operator_file_(options.place, home_, loop.clock(), Log(options.log, options.log_level)),
      guards_(loop.clock(), pool_, encoder_, &operator_file_),
      router_(pool_, encoder_),
      memory_(std::make_unique<RunMemory>(loop, pool_, *store_, home_ / "tasks", encoder_,
                                          Log(options.log, options.log_level))),
      artifacts_(std::make_unique<RunArtifacts>(pool_, home_ / "tasks")),
      channels_(std::make_unique<Channels>(loop, *store_, http_, projects_, Log(options.log, options.log_level))),
      env_{.loop = loop,
           .pool = pool_,
           .random = system_random(),
           .store = *store_,
           .tools = tools_,
           .models =
               [this, expect = options.expect_model](const model::LlmConfig& config, const Id& task,
                                                     const std::string& project) {
                   if (expect) expect(config);
                   return models_.get(config, task, project);
               },
           .workspace = [this](const Id& task) { return workspace(task); },
           .toolbox = stand_ins_ ? static_cast<tools::Toolbox*>(stand_ins_.get()) : &project_tools_,
           .log = Log(options.log, options.log_level),
           .memory = memory_.get(),
           .artifacts = artifacts_.get(),
           // what stands in for tools sends nothing to people either
           .sender = options.stand_in ? nullptr : &channels_->outbox(),
           .router = &router_,
           .guardrails = &guards_,
           .compactor = &compactor_}
{
    tools::Registry ours;
    tools::add_builtin_tools(ours, loop.clock());
    const tools::SandboxOptions sandbox{.loop = loop, .mode = sandbox_mode(options.place)};
    ours.add(tools::shell_tool(sandbox));
    ours.add(tools::python_tool(sandbox));
    ours.add(tools::fetch_tool(http_));
    for (std::shared_ptr<tools::Tool>& tool : ours.all())
        tools_.add(options.stand_in ? options.stand_in(std::move(tool)) : std::move(tool));
    patterns::add_patterns(patterns_);
    host_ = std::make_unique<engine::Host>(env_, patterns_);
    memory_->tell(*host_);
    queries_.emplace(*store_, host_.get());
    commands_.emplace(*host_, *queries_);
}

Runtime::~Runtime() = default;

Async<> Runtime::close()
{
    co_await memory_->settle();  // it writes to journals
    co_await host_->close();
    co_await memory_->close();  // runs write to it
    co_await project_tools_.close();
}

Async<bool> Runtime::copy_files(Id from, Id to)
{
    const fs::path source = folder_of(from) / "artifacts";
    const fs::path target = folder_of(to);
    co_return co_await on(pool_, [source, target, from, to, &keeper = artifacts_->keeper()] {
        const fs::path whole = target / "artifacts", part = target / "artifacts.part";
        std::error_code error;
        if (!fs::is_directory(source, error) || fs::exists(whole, error)) return false;
        storage::make_private_folder(target);
        fs::remove_all(part, error);  // of a copy that a crash has cut off
        // links stay links: they lead where they led
        copy_folder(source, part);
        keeper.share(to_string(from), to_string(to));
        fs::rename(part, whole, error);
        if (error)
            throw Error(Code::unavailable,
                        "cannot copy the files of the task from " + source.string() + ": " + error.message());
        return true;
    });
}

Async<> Runtime::remove_later_files(Id from, Id fork)
{
    auto source = co_await store_->read(from);
    auto own = co_await store_->read(fork);
    const fs::path folder = artifacts_folder(home_, fork);
    engine::Histories histories = engine::histories_of(own);
    co_await on(pool_, [source = std::move(source), own = std::move(own), folder] {
        remove_below(folder, files_behind(source, own));
    });
    co_await artifacts_->put_back(fork, std::move(histories));
}

Async<> Runtime::remove_files(Id task)
{
    const fs::path folder = folder_of(task);
    co_await on(pool_, [folder] {
        std::error_code error;
        fs::remove_all(folder, error);  // as far as that works
    });
}

fs::path Runtime::folder_of(const Id& task) const
{
    return home_ / "tasks" / to_string(task);
}

fs::path Runtime::workspace(const Id& task) const
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

std::unique_ptr<storage::Store> find_journal(const fs::path& home)
{
    try {
        return storage::SqliteStore::open_read_only(home, {.readers = 0});
    } catch (const Error& error) {
        if (error.code() != Code::not_found) throw;
    }
    return nullptr;
}

}  // namespace cadre::home
