// What a run asks of its memory. Scopes, merging, search and forgetting are the memory's; here stands only what a run needs of them.
#pragma once

#include "base/async_fwd.hpp"
#include "base/id.hpp"
#include "base/time.hpp"
#include "model/memory_config.hpp"
#include "model/type.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace cadre::engine {

/// On whose behalf, and from which effect.
struct MemoryOwner {
    std::string tenant{};
    Id task{};
    std::string path{};  // of the effect; with the task, the same in every attempt
    std::string session{};
    std::string user{};
    std::string team{};
    std::string project{};         // that the team is defined in
    model::MemoryConfig config{};  // the agent's
};

struct MemoryQuery {
    std::string agent{};
    std::string text{};
    std::string scope{};  // empty: all that the task may read
    int limit = 8;
    std::optional<double> threshold{};
};

struct MemoryHit {
    std::string id{};
    std::string type{};
    std::string text{};
    double score = 0;
    std::optional<Time> at{};              // when it was last told
    std::vector<std::string> conflicts{};  // items that say something else

    bool operator==(const MemoryHit&) const = default;
};
const model::Entity& describe(const MemoryHit*);

struct Recall {
    std::vector<MemoryHit> hits{};  // the best first
    std::string encoder{};          // who told how alike texts are
    double threshold = 0;           // hits below it were left out
};

struct MemoryNote {
    std::string agent{};
    std::string scope{};  // empty: the task's usual one
    std::string type = "semantic";
    std::string text{};
    std::vector<std::string> tags{};
    double importance = 0.5;
    std::optional<Time> expires_at{};
};

enum class MemoryChange : std::uint8_t { created, merged, conflict };
std::span<const model::EnumName> names_of(const MemoryChange*);

struct Remembered {
    std::string id{};
    MemoryChange change = MemoryChange::created;
    std::string scope{};                   // whose it is now: `user`, `session`, …
    std::string type{};                    // what it was kept as
    std::vector<std::string> conflicts{};  // items that say something else
};

/// Lives on the loop of whoever asks, and longer.
class MemoryPort {
public:
    /// Whether what is asked for leaves the machine, to an encoder elsewhere.
    virtual bool is_remote() const = 0;
    virtual Async<Recall> recall(MemoryOwner owner, MemoryQuery query) = 0;
    /// Durable when it returns. Asked again by the same effect after a crash, it finds what it made then and answers as it did.
    virtual Async<Remembered> remember(MemoryOwner owner, MemoryNote note) = 0;

protected:
    ~MemoryPort() = default;
};

}  // namespace cadre::engine
