#include "cadre/engine.hpp"

#include "library/core.hpp"
#include "library/function_model.hpp"
#include "library/function_tool.hpp"
#include "library/pattern.hpp"
#include "library/request.hpp"

#include <utility>

namespace cadre {

using library::Core;
using library::Floor;

Engine::Engine(EngineOptions options) : core_(std::make_shared<Core>(options))
{}

Engine::Engine(Engine&&) noexcept = default;

Engine& Engine::operator=(Engine&& other) noexcept
{
    if (core_ && core_ != other.core_) core_->stop();
    core_ = std::move(other.core_);
    return *this;
}

Engine::~Engine()
{
    if (core_) core_->stop();  // tasks in the hands of others keep the rest of it
}

// ---- what the program brings ----

void Engine::add_tool(Tool tool)
{
    auto ready = library::translated([&] { return std::make_shared<library::FunctionTool>(std::move(tool)); });
    core_->act([ready](Floor& floor) { floor.backend.runtime().tools().add(ready); });
}

void Engine::add_pattern(std::string name, Pattern pattern)
{
    auto run = [pattern = std::move(pattern)](engine::Run& inner) { return library::reply_of(pattern, inner); };
    core_->act([name, run](Floor& floor) { floor.backend.runtime().patterns().add({name, run}); });
}

void Engine::use_model(std::string spec)
{
    core_->use_model(std::move(spec));
}

void Engine::add_model(std::string name, Model model)
{
    core_->act([name, model = std::move(model)](Floor& floor) {
        home::Runtime& runtime = floor.backend.runtime();
        auto function = std::make_shared<library::FunctionModel>(floor.loop, runtime.host().env().pool, name, model);
        runtime.models().add_function(name, std::move(function));
    });
}

// ---- tasks ----

Task Engine::start(std::string_view name, std::string prompt, StartOptions options)
{
    if (name.empty()) throw Failure(Code::invalid, "the name of an agent or team is missing");
    return core_->start(std::string(name), {}, std::move(prompt), std::move(options));
}

Task Engine::start(Agent agent, std::string prompt, StartOptions options)
{
    return core_->start("", std::move(agent), std::move(prompt), std::move(options));
}

Outcome Engine::run(std::string_view name, std::string prompt, StartOptions options)
{
    return start(name, std::move(prompt), std::move(options)).wait();
}

Outcome Engine::run(Agent agent, std::string prompt, StartOptions options)
{
    return start(std::move(agent), std::move(prompt), std::move(options)).wait();
}

Session Engine::session(std::string_view name, std::string id)
{
    if (name.empty()) throw Failure(Code::invalid, "the name of an agent or team is missing");
    return Session(core_, library::session_id(id), std::string(name), {});
}

Session Engine::session(Agent agent, std::string id)
{
    return Session(core_, library::session_id(id), "", std::move(agent));
}

Task Session::say(std::string prompt, StartOptions options) const
{
    options.session = id_;
    return core_->start(name_, agent_, std::move(prompt), std::move(options));
}

std::vector<Task> Engine::tasks(bool all)
{
    std::vector<Task> found;
    for (const Id& id : core_->call([all](Floor& floor) { return floor.backend.tasks(!all); }))
        found.push_back(core_->task(id));
    return found;
}

Task Engine::task(std::string_view id)
{
    return core_->task(core_->call([id = std::string(id)](Floor& floor) { return floor.backend.resolve(id); }));
}

std::vector<Task> Engine::resume_all()
{
    std::vector<Task> resumed;
    for (const Id& id : core_->call([](Floor& floor) { return floor.backend.resume_all(); }))
        resumed.push_back(core_->task(id));
    return resumed;
}

}  // namespace cadre
