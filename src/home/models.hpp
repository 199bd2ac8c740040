// Models by the way people write them down: `script:FILE`, `replay:FILE`, `provider/model`.
#pragma once

#include "base/id.hpp"
#include "base/log.hpp"
#include "config/variables.hpp"
#include "llm/model.hpp"
#include "model/llm.hpp"
#include "model/providers.hpp"

#include <boost/json/object.hpp>

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace cadre::engine {
struct CreateTask;
}
namespace cadre::llm {
class KeyGate;
class ScriptModel;
struct Endpoint;
}  // namespace cadre::llm
namespace cadre::net {
class HttpClient;
class Loop;
}  // namespace cadre::net

namespace cadre::home {

class Project;
struct Place;
class Projects;

/// Provider of the models that are functions of the program around us: `function/NAME`.
inline constexpr std::string_view kFunction = "function";

/// For the messages to those who have none.
inline constexpr std::string_view kModelsThatWork =
    "--model script:FILE or --model local, which need no key and no network, or provider/model, like openai/gpt-5-mini";

/// Whether it is the model that is in the program itself, and generates nothing.
bool is_local(std::string_view provider);

/// Whether the model is a file of answers: `script:FILE`, or what `cadre run --record FILE` wrote, `replay:FILE`.
bool is_script(std::string_view provider);

/// `script:` with the whole path of its file, which is looked for in `folder`: a task may go on in another process, in
/// another folder. Others as they are.
std::string whole_spec(std::string_view spec, const std::filesystem::path& folder);

/// Throws Error when the project has no such model: what is wrong with a script, which variable lacks a key. Whether there is such a
/// function, only the process knows that runs the task.
void expect_model(const Project& project, const model::LlmConfig& config);

/// Why a budget in dollars cannot hold with the model, and what to do; empty: it can.
std::string price_problem(const Project& project, const model::LlmConfig& config);

/// What the task's models are reached with in its project, by their specs: digests of address and key, which say nothing of either.
/// Another turn of a session says nothing of its team, which is paid for as the turns before it; only the model that it may name counts.
engine::CreateTask team_in(const boost::json::object& details, std::string project);
boost::json::object endpoint_fingerprints(const Project& project, const engine::CreateTask& task);
/// Whose variables count for it: another turn of a session names no project.
std::filesystem::path project_folder(const engine::CreateTask& task, const Place& place);
/// Throws Error(conflict) when this process reaches one of them with another address or key than the process that sent these.
void expect_same_endpoints(const Project& project, const boost::json::object& fingerprints,
                           const engine::CreateTask& task);

/// The models of a process. A task has its own of a script, because it uses up its entries; all its steps share it. The others are
/// shared by all: one limiter and one breaker for each key at each address. Lives on its loop.
class Models {
public:
    /// `local`: the model that is in the program itself.
    Models(net::Loop& loop, Projects& projects, Log log, std::shared_ptr<llm::Model> local);
    Models(const Models&) = delete;
    Models& operator=(const Models&) = delete;
    ~Models();

    /// A function of the program around us; the last one of that name counts.
    void add_function(std::string name, std::shared_ptr<llm::Model> model)
    {
        functions_[std::move(name)] = std::move(model);
    }

    /// `project`: its folder, as the task's specification has it.
    std::shared_ptr<llm::Model> get(const model::LlmConfig& config, const Id& task, const std::string& project);

    /// Entries of the scripts that the task should have used and has not, a line each. Forgets them.
    std::vector<std::string> left_over(const Id& task);

private:
    std::shared_ptr<llm::Model> served(const model::LlmConfig& config, const std::string& project);
    std::shared_ptr<llm::Model> function(const std::string& name) const;
    llm::KeyGate& gate_of(const llm::Endpoint& endpoint);

    net::Loop& loop_;
    Projects& projects_;
    Log log_;
    std::shared_ptr<llm::Model> local_;
    std::map<std::string, std::shared_ptr<llm::Model>> functions_;
    std::map<std::pair<Id, std::string>, std::shared_ptr<llm::ScriptModel>> scripts_;
    std::unique_ptr<net::HttpClient> http_;                       // made when first needed
    std::map<std::string, std::unique_ptr<llm::KeyGate>> gates_;  // by address and key
    std::map<std::pair<std::shared_ptr<const Project>, std::string>, std::shared_ptr<llm::Model>>
        served_;  // by configuration
};

}  // namespace cadre::home
