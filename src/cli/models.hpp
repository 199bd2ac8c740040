// Models by the way people write them down: `script:FILE`, `provider/model`.
#pragma once

#include "base/id.hpp"
#include "llm/model.hpp"

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace cadre::llm {
class ScriptModel;
}

namespace cadre::cli {

/// What works, for the messages to those who want something else.
inline constexpr std::string_view kModelsThatWork = "--model script:FILE";

/// `script:` with the whole path of its file, which is looked for in `folder`: a task may go on in another process, in
/// another folder. Others as they are.
std::string whole_spec(std::string_view spec, const std::filesystem::path& folder);

/// Throws Error(unavailable) when this release has no such model, and what is wrong with a script.
void expect_model(const std::string& spec);

/// The models of a process. A task has its own of a script, because it uses up its entries; all its steps share it. Lives on one
/// loop.
class Models {
public:
    std::shared_ptr<llm::Model> get(const std::string& spec, const Id& task);

    /// Entries of the scripts that the task should have used and has not, a line each. Forgets them.
    std::vector<std::string> left_over(const Id& task);

private:
    std::map<std::pair<Id, std::string>, std::shared_ptr<llm::ScriptModel>> scripts_;
};

}  // namespace cadre::cli
