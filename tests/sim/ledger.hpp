// Ledger: the world outside the crash domain. It counts what tools really did and what models were really asked, by key and
// by task, whatever became of the process that asked.
#pragma once

#include "base/id.hpp"
#include "base/time.hpp"

#include <boost/json/object.hpp>

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace cadre::sim {

/// One request that left a process.
struct Dispatch {
    Id task{};
    std::string key{};
    std::string tool{};
    std::string worker{};
    boost::json::object arguments{};
    int attempt = 1;
    Time at{};
    std::optional<Time> effect_at{};  // when the world changed by it, or will; none: it never does
    std::string result{};
    bool not_dispatched = false;  // the tool said that nothing had left
};

/// What models have cost a task.
struct Meter {
    std::int64_t tokens = 0;
    int calls = 0;
};

/// What a memory holds.
struct Noted {
    std::string id{};
    std::string tenant{};
    Id task{};  // who said so
    std::string text{};
};

struct Ledger {
    std::vector<Dispatch> dispatches{};
    std::map<std::string, std::vector<std::size_t>> by_key{};  // into dispatches
    std::map<Id, Meter> meters{};
    std::vector<Noted> notes{};
    std::set<std::string> blobs{};                // by hash
    std::map<std::string, int> model_failures{};  // by request: how often it was refused already

    std::size_t add(Dispatch dispatch)
    {
        by_key[dispatch.key].push_back(dispatches.size());
        dispatches.push_back(std::move(dispatch));
        return dispatches.size() - 1;
    }
    /// The dispatch with that key that changed the world, or will; null: there is none.
    const Dispatch* effect_of(const std::string& key) const
    {
        const auto place = by_key.find(key);
        if (place == by_key.end()) return nullptr;
        for (const std::size_t index : place->second)
            if (dispatches[index].effect_at) return &dispatches[index];
        return nullptr;
    }
    bool was_dispatched(const std::string& key) const { return by_key.contains(key); }
};

}  // namespace cadre::sim
