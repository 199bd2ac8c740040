// What a verb that only looks has around it: the journal, and no engine.
#pragma once

#include "base/async.hpp"
#include "base/run.hpp"
#include "engine/queries.hpp"
#include "net/loop.hpp"
#include "storage/store.hpp"

#include <filesystem>
#include <memory>
#include <optional>
#include <set>
#include <utility>

namespace cadre::cli {

class ReadOnlyHome {
public:
    ReadOnlyHome();

    /// Whether there is a journal at all.
    bool has_journal() const { return store_ != nullptr; }
    /// Throws Error(not_found) when there is none.
    engine::Queries& queries();
    storage::Store& store();
    /// The person who is here.
    const engine::Principal& who() const { return who_; }
    net::Loop& loop() { return loop_; }
    const std::filesystem::path& home() const { return home_; }

    template <class T>
    T run(Async<T> work)
    {
        return cadre::run(loop_, std::move(work));
    }

    /// The tasks that the owner of the home drives; nothing when it does not answer.
    Async<std::optional<std::set<Id>>> driven();

private:
    net::Loop loop_;
    std::filesystem::path home_;
    engine::Principal who_;
    std::unique_ptr<storage::Store> store_;
    std::optional<engine::Queries> queries_;
};

}  // namespace cadre::cli
