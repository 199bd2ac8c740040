#include "home/project/guardrails.hpp"

#include "base/error.hpp"
#include "base/time.hpp"
#include "config/read_into.hpp"
#include "guardrails/policy_set.hpp"
#include "home/project/project.hpp"
#include "text/embed/hashed_encoder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <sys/stat.h>
#include <system_error>
#include <utility>

namespace cadre::home {
namespace {

namespace fs = std::filesystem;

constexpr Millis kBetweenLooks{1'000};
constexpr const char* kNames[] = {"guardrails.yaml", "guardrails.yml", "guardrails.json"};

config::PathSteps at(config::PathSteps path, const config::PathSteps& more)
{
    path.insert(path.end(), more.begin(), more.end());
    return path;
}

}  // namespace

void check_policies(const std::vector<model::GuardrailPolicy>& policies, const config::PathSteps& list,
                    const config::File& file, config::Findings& findings)
{
    const text::embed::HashedEncoder words;  // which one it is makes no difference to whether a rule is one
    for (std::size_t i = 0; i < policies.size(); ++i) {
        try {
            const auto set = guardrails::PolicySet::compile({guardrails::policy_of(policies[i])}, &words);
            for (const guardrails::Remark& remark : set->remarks()) {
                const config::PathSteps path = at(list, {i, "rules", remark.rule});
                const config::Found found = config::find(file.document->value, file.document->root, path);
                findings.warn(file.shown, found.place->key, model::path_text(path) + ": " + remark.text);
            }
        } catch (const Error& error) {
            config::report(at(list, {i}), error.what(), *file.document, findings);
        }
    }
}

void check_operator_file(const Project& project, const fs::path& file, config::Findings& findings)
{
    const config::Contents contents = project.read(file);
    const auto& read = contents.guardrails.back();
    check_policies(read.value.policies, {"policies"}, *read.file, findings);
    std::error_code error;
    if (!fs::equivalent(file.parent_path(), project.home() / "config", error))
        findings.warn(read.file->shown, config::kNowhere,
                      fmt::format("has no effect here: move it to {}, or write the policies into a team",
                                  (project.home() / "config").string()));
}

std::optional<fs::path> OperatorFile::find(const fs::path& home)
{
    std::error_code error;
    for (const char* name : kNames)
        if (fs::exists(home / "config" / name, error)) return home / "config" / name;
    return std::nullopt;
}

OperatorFile::OperatorFile(Place place, fs::path home, const Clock& clock, Log log)
    : place_(std::move(place)),
      home_(std::move(home)),
      clock_(clock),
      log_(std::move(log)),
      mark_(mark()),
      policies_(read()),
      looked_(clock.now())
{}

void OperatorFile::refresh(bool at_once)
{
    const Time now = clock_.now();
    if (!at_once && now >= looked_ && now - looked_ < kBetweenLooks) return;
    looked_ = now;
    std::string mark = this->mark();
    if (mark == mark_) return;
    mark_ = std::move(mark);
    try {
        auto policies = read();
        if (policies == policies_) return;
        std::swap(policies, policies_);
        ++version_;
        if (watcher_) watcher_(policies, policies_);
    } catch (const Error& error) {
        log_.error(fmt::format("the guardrails of the home stay as they were: {}", error.what()));
    }
}

std::vector<model::GuardrailPolicy> OperatorFile::read() const
{
    const auto file = find(home_);
    if (!file) return {};
    const config::Contents contents = Project(place_, home_, home_).read(*file);
    config::Findings findings;
    const auto& read = contents.guardrails.back();
    check_policies(read.value.policies, {"policies"}, *read.file, findings);
    findings.raise();
    std::vector<model::GuardrailPolicy> policies = read.value.policies;
    for (model::GuardrailPolicy& policy : policies) {
        policy.everywhere = true;
        policy.name.insert(0, "operator/");
    }
    return policies;
}

std::string OperatorFile::mark() const
{
    std::string marks;
    for (const char* name : kNames) {
        struct stat facts{};
        const bool there = ::stat((home_ / "config" / name).c_str(), &facts) == 0;
        marks += there ? fmt::format("{}.{} {} {} ", facts.st_mtim.tv_sec, facts.st_mtim.tv_nsec, facts.st_size,
                                     facts.st_ino)
                       : "- ";
    }
    return marks;
}

}  // namespace cadre::home
