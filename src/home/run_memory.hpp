// What runs remember: engine::MemoryPort over the room memory, under the rules that teams and agents set in memory_config.
#pragma once

#include "base/async_fwd.hpp"
#include "base/async_scope.hpp"
#include "base/log.hpp"
#include "engine/memory_port.hpp"
#include "home/local_router.hpp"
#include "memory/memory.hpp"

#include <filesystem>
#include <map>
#include <set>
#include <string>

namespace cadre::engine {
class Host;
struct TaskState;
}  // namespace cadre::engine

namespace cadre::home {

struct TaskMemory {
    std::vector<memory::Scope> scopes{};
    model::MemoryConfig config{};  // of the agent that it begins with
};

/// Lives on its loop; settle() and close() before it dies.
class RunMemory final : public engine::MemoryPort {
public:
    /// `folders`: of tasks, which get files that show what they have stored.
    RunMemory(Loop& loop, Pool& pool, storage::Store& store, std::filesystem::path folders, EncoderSource encoder,
              Log log);

    bool is_remote() const override { return false; }
    Async<engine::Recall> recall(engine::MemoryOwner owner, engine::MemoryQuery query) override;
    Async<engine::Remembered> remember(engine::MemoryOwner owner, engine::MemoryNote note) override;

    memory::Memory& memory() { return memory_; }
    /// What a task may read, whoever of its agents asks.
    Async<TaskMemory> of_task(std::shared_ptr<const engine::TaskState> state);
    /// Whose journals say what was summed up by itself.
    void tell(engine::Host& host) { host_ = &host; }
    /// Sums up what a task may read and says so in its journal. Returns what it came to.
    Async<memory::Consolidation> consolidate(Id task, std::vector<memory::Scope> scopes, std::string topic,
                                             std::string by);

    /// Writes what the folder of a task shows of its memory.
    Async<> write_files(Id task, std::vector<memory::Scope> scopes);
    /// What a task that is removed has noted for itself alone.
    Async<> drop_task(std::string tenant, Id task);

    /// Nothing happens by itself any more; what waits to be written is.
    Async<> settle();
    Async<> close();

private:
    void consolidate_in_time(Id task, const memory::Scope& scope, Millis interval);
    Async<> consolidate_when_due(Id task, memory::Scope scope, Millis interval);
    void show(Id task, std::vector<memory::Scope> scopes);
    Async<> write_shown();

    Loop& loop_;
    Pool& pool_;
    std::filesystem::path folders_;
    Log log_;
    memory::Memory memory_;
    engine::Host* host_ = nullptr;
    std::set<std::string> waiting_;                   // scopes that will be summed up
    std::map<std::string, Time> looked_at_;           // when scopes were, by this process
    std::map<Id, std::vector<memory::Scope>> shown_;  // tasks whose files are behind, and what they may read
    bool is_writing_ = false;
    AsyncScope scope_;  // last: its coroutines use all of the above
};

/// On whose behalf a task uses memory, as that agent.
memory::Reader reader_of(const engine::MemoryOwner& owner, const std::string& agent);

}  // namespace cadre::home
