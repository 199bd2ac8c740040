// Guardrails as files say them: those of a team are checked, those of whoever runs the home are read, and looked at again.
#pragma once

#include "base/log.hpp"
#include "base/time.hpp"
#include "config/contents.hpp"
#include "home/place.hpp"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace cadre {
class Clock;
}

namespace cadre::home {

class Project;

/// Everything that is wrong with policies that stand at `list` in the file, as they are compiled.
void check_policies(const std::vector<model::GuardrailPolicy>& policies, const config::PathSteps& list,
                    const config::File& file, config::Findings& findings);

/// The same of a whole file of them. It holds in the home only.
void check_operator_file(const Project& project, const std::filesystem::path& file, config::Findings& findings);

/// `config/guardrails.yaml` of the home: policies that hold for all its teams. Lives on one loop.
class OperatorFile {
public:
    /// Throws Error(invalid) with what is wrong with the file: nothing runs without the guardrails that somebody wanted.
    OperatorFile(Place place, std::filesystem::path home, const Clock& clock, Log log);

    /// As they are to hold: for everybody, and each called `operator/NAME`, so that no team's takes its place.
    const std::vector<model::GuardrailPolicy>& policies() const { return policies_; }
    /// Grows when they become others.
    std::uint64_t version() const { return version_; }
    /// Looks at the file, once in a second at most, or at once. Of one that has become faulty the log is told, and what was there stays.
    void refresh(bool at_once = false);

    /// Is told of others: those before, and those now.
    using Watcher =
        std::function<void(const std::vector<model::GuardrailPolicy>&, const std::vector<model::GuardrailPolicy>&)>;
    void set_watcher(Watcher watcher) { watcher_ = std::move(watcher); }

    /// Null: there is none.
    static std::optional<std::filesystem::path> find(const std::filesystem::path& home);

private:
    std::vector<model::GuardrailPolicy> read() const;
    std::string mark() const;

    Place place_;
    std::filesystem::path home_;
    const Clock& clock_;
    Log log_;
    std::string mark_;
    std::vector<model::GuardrailPolicy> policies_;
    std::uint64_t version_ = 0;
    Time looked_{};
    Watcher watcher_;
};

}  // namespace cadre::home
