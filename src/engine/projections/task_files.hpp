// TaskFiles: the files in the folder of one task, each a pure function of its journal and the team that it is pinned to.
// Those that only grow are appended to, the others replaced; a cursor says up to where.
#pragma once

#include "engine/artifact_history.hpp"
#include "engine/projections/chronicle.hpp"
#include "engine/projections/layout.hpp"
#include "model/views/agentx_workspace.hpp"
#include "model/views/framework_retention.hpp"
#include "model/views/framework_task.hpp"

#include <boost/json/value.hpp>

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>

namespace cadre::storage {
class PrivateFolder;
}

namespace cadre::engine {

/// What is the same for many tasks.
struct PinnedTeam {
    boost::json::value team{};  // null: there is none. What looks like a secret is masked
    std::string yaml{};
    model::Dict<std::string> servers{};                // which MCP server has which tool
    model::Dict<model::agentx::SandboxTool> limits{};  // of programs, by the tool that runs them
    model::Dict<std::int64_t> short_term{};            // how many tokens each agent remembers of what was said
};
PinnedTeam pinned_team_from(std::string_view json);

/// `.agentx/cursor.json`: what the files hold. Written last, so that after a crash whatever stands behind it is cut off.
struct Cursor {
    int version = 1;
    std::int64_t seq = 0;  // of the last record
    Time updated_at{};
    model::Dict<std::int64_t> sizes{};  // of the files that grow

    bool operator==(const Cursor&) const = default;
};
const model::Entity& describe(const Cursor*);
/// Nothing when there is none that this release understands.
std::optional<Cursor> find_cursor(storage::PrivateFolder& folder);

/// The record as files may show it, without secrets; nothing when it holds none.
std::optional<storage::Record> find_masked(const storage::Record& record);

/// Lives as long as its task is being worked on; each call on some thread, one at a time.
class TaskFiles {
public:
    /// Goes on behind `cursor`: what it covers is not written again.
    explicit TaskFiles(std::optional<Cursor> cursor = {});

    void apply(const storage::Record& record);
    /// Brings the folder up to date. False: it is not as the cursor says; begin anew, without one.
    bool write(storage::PrivateFolder& folder, const PinnedTeam& team, const model::framework::RetentionPolicy& policy,
               std::span<const model::framework::SubAgentSession> sessions);

    const Chronicle& chronicle() const { return chronicle_; }
    /// All versions of the files that it has made; nothing: no more than the last time, so that there is nothing to show.
    const Histories* new_histories();

private:
    /// history.jsonl and the logs.
    struct Growing {
        std::string_view name;
        std::string text{};  // that is not in the file yet
        std::uint64_t size = 0;
    };

    void add_event(const ToldEvent& told);
    std::string trace(const model::Task& task, const PinnedTeam& team,
                      std::span<const model::framework::SubAgentSession> sessions);

    Chronicle chronicle_;
    Histories histories_;
    bool is_new_ = true;         // what they say, to whoever shows it
    std::uint32_t written_ = 0;  // the last record that is in the files
    std::array<Growing, 1 + layout::kLogs.size()> growing_;
    std::set<std::size_t> checkpoints_;  // to be written
    std::set<std::string> sandboxed_;    // tools that have run programs in a sandbox
    std::size_t sandbox_written_ = 0;    // how many of these its file has
    std::string settled_rows_;           // of the trace, of steps that cannot change any more
    std::size_t settled_ = 0;            // how many steps those are
};

/// A task that another one delegated, as its parent's folder shows it.
model::framework::SubAgentSession session_of(const Chronicle& child, const PinnedTeam& team);

}  // namespace cadre::engine
