// The engine with everything that it needs around it, on a store: the wiring.
#pragma once

#include "base/async_fwd.hpp"
#include "base/log.hpp"
#include "base/pool.hpp"
#include "engine/commands.hpp"
#include "engine/env.hpp"
#include "engine/host.hpp"
#include "engine/pattern.hpp"
#include "engine/queries.hpp"
#include "engine/window_compactor.hpp"
#include "home/local_router.hpp"
#include "home/models.hpp"
#include "home/project/guardrails.hpp"
#include "home/project/project.hpp"
#include "home/project/project_tools.hpp"
#include "home/team_guards.hpp"
#include "net/http_client.hpp"
#include "net/loop.hpp"
#include "storage/store.hpp"
#include "tools/tool.hpp"

#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>

namespace cadre::home {

class Channels;      // home/channels.hpp
class RunArtifacts;  // home/run_artifacts.hpp
class RunMemory;     // home/run_memory.hpp

/// What a home is worked on with.
struct RuntimeOptions {
    Place place{};
    std::filesystem::path home{};
    std::shared_ptr<const Project> project{};  // one that was read already; null: none was
    std::shared_ptr<LogSink> log{};
    Level log_level = Level::error;  // what is told to it at least
    std::size_t threads = 4;         // for tools and models that block, at the same time
    /// What is called in place of a tool, in tests; null: tools are as they are.
    std::function<std::shared_ptr<tools::Tool>(std::shared_ptr<tools::Tool>)> stand_in{};
    /// Throws Error for a model that must not be asked, in tests; null: each may.
    std::function<void(const model::LlmConfig&)> expect_model{};
};

/// Lives on its loop; close() before it dies. On a store that only reads, nothing can be run.
class Runtime {
public:
    Runtime(net::Loop& loop, const RuntimeOptions& options, std::unique_ptr<storage::Store> store);
    Runtime(const Runtime&) = delete;
    Runtime& operator=(const Runtime&) = delete;
    ~Runtime();

    engine::Commands& commands() { return *commands_; }
    engine::Queries& queries() { return *queries_; }
    engine::Host& host() { return *host_; }
    storage::Store& store() { return *store_; }
    Models& models() { return models_; }
    Projects& projects() { return projects_; }
    RunMemory& memory() { return *memory_; }
    RunArtifacts& artifacts() { return *artifacts_; }
    Channels& channels() { return *channels_; }
    const Place& place() const { return projects_.place(); }
    const std::filesystem::path& home() const { return home_; }
    ProjectTools& project_tools() { return project_tools_; }
    TeamGuards& guards() { return guards_; }
    /// Whoever embeds us adds tools and patterns of their own, while tasks run if need be.
    tools::Registry& tools() { return tools_; }
    engine::Patterns& patterns() { return patterns_; }

    /// Gives a fork what the other's tools have written, as it is now. False: there is nothing, or it has been given already.
    Async<bool> copy_files(Id from, Id to);
    /// Of the files of a fork, those that the task has written behind the point where it forks; those that it has changed become again
    /// what they were there.
    Async<> remove_later_files(Id from, Id fork);
    Async<> remove_files(Id task);

    /// Stops what is under way. Commands are of no use any more.
    Async<> close();

private:
    class StandIns;

    std::filesystem::path folder_of(const Id& task) const;
    std::filesystem::path workspace(const Id& task) const;

    std::filesystem::path home_;
    Projects projects_;
    ThreadPool pool_;  // of the tools
    std::unique_ptr<storage::Store> store_;
    tools::Registry tools_;
    net::HttpClient http_;  // of the tools
    EncoderSource encoder_;
    ProjectTools project_tools_;
    std::unique_ptr<StandIns> stand_ins_;  // null: tools are as they are
    engine::Patterns patterns_;
    Models models_;
    OperatorFile operator_file_;
    TeamGuards guards_;
    engine::WindowCompactor compactor_;
    LocalRouter router_;
    std::unique_ptr<RunMemory> memory_;
    std::unique_ptr<RunArtifacts> artifacts_;
    std::unique_ptr<Channels> channels_;
    engine::Env env_;
    std::unique_ptr<engine::Host> host_;
    std::optional<engine::Queries> queries_;
    std::optional<engine::Commands> commands_;
};

/// Where the files are that a task writes, if it has written any.
std::filesystem::path artifacts_folder(const std::filesystem::path& home, const Id& task);

/// For somebody who only looks, while the owner lives or not: it reads on the caller's thread. Null when there is no journal yet.
std::unique_ptr<storage::Store> find_journal(const std::filesystem::path& home);

}  // namespace cadre::home
