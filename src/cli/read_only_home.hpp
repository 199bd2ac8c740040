// What a verb that only looks has around it.
#pragma once

#include "base/async.hpp"
#include "base/run.hpp"
#include "home/runtime.hpp"
#include "net/loop.hpp"

#include <filesystem>
#include <memory>
#include <optional>
#include <set>
#include <utility>

namespace cadre::cli {

class ReadOnlyHome {
public:
    ReadOnlyHome();
    ~ReadOnlyHome();

    /// Whether there is a journal at all.
    bool has_journal() const { return room_ != nullptr; }
    /// Throws Error(not_found) when there is none.
    home::Runtime& room();
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
    std::unique_ptr<home::Runtime> room_;
};

}  // namespace cadre::cli
