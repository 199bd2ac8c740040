// One case: run in a home of its own, as `cadre run` would run it, and judged.
#pragma once

#include "base/async_fwd.hpp"
#include "base/log.hpp"
#include "base/time.hpp"
#include "net/loop.hpp"
#include "testing/judge.hpp"
#include "testing/suite.hpp"

#include <cstddef>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cadre::testing {

struct CaseOptions {
    home::Place place{};
    std::shared_ptr<LogSink> log{};
    bool keep = false;  // homes stay where they are
    std::function<void(std::string_view)> warn{};
    std::function<void(const std::exception_ptr&)> journal_failed{};
};

struct CaseResult {
    std::string suite{};  // its name
    std::string file{};   // as shown
    config::Position at{};
    std::string name{};
    Millis took{0};
    std::vector<Difference> differences{};
    std::optional<std::filesystem::path> home{};  // if it was kept
    std::string task{};                           // its id; empty: none was made

    bool passed() const { return differences.empty(); }
};

/// Never throws but when it is cancelled: what went wrong is a difference.
Async<CaseResult> run_case(net::Loop& loop, const Suite& suite, std::size_t index, const CaseOptions& options);

struct ChosenCase {
    const Suite* suite = nullptr;
    std::size_t index = 0;
};
/// All of them, a few at a time. `tell` hears of each in their order, as soon as it and all before it have ended.
Async<> run_cases(net::Loop& loop, std::vector<ChosenCase> cases, const CaseOptions& options,
                  std::function<void(const CaseResult&)> tell);

}  // namespace cadre::testing
