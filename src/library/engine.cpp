#include "cadre/engine.hpp"

#include "base/async.hpp"
#include "base/error.hpp"
#include "base/json.hpp"
#include "base/log.hpp"
#include "base/pool.hpp"
#include "base/random.hpp"
#include "base/run.hpp"
#include "engine/commands.hpp"
#include "engine/host.hpp"
#include "engine/run.hpp"
#include "library/function_model.hpp"
#include "library/function_tool.hpp"
#include "library/pattern.hpp"
#include "llm/endpoint.hpp"
#include "llm/http_model.hpp"
#include "llm/key_gate.hpp"
#include "llm/script.hpp"
#include "model/wire_name.hpp"
#include "net/http_options.hpp"
#include "net/loop.hpp"
#include "patterns/patterns.hpp"
#include "storage/home.hpp"
#include "storage/memory/memory_store.hpp"
#include "storage/sqlite/sqlite_store.hpp"
#include "tools/builtin.hpp"

#include <boost/json.hpp>
#include <fmt/core.h>

#include <cstdlib>
#include <map>
#include <optional>
#include <utility>

#include <unistd.h>

namespace cadre {

namespace {

namespace fs = std::filesystem;

/// Functions that run at the same time.
constexpr std::size_t kThreads = 4;
constexpr std::string_view kScript = "script:";

std::optional<std::string> variable(const std::string& name)
{
    const char* value = std::getenv(name.c_str());
    return value && *value ? std::optional<std::string>(value) : std::nullopt;
}

/// What our rooms throw becomes what the public headers promise.
template <class Act>
auto translated(Act act) -> decltype(act())
{
    try {
        return act();
    } catch (const Error& error) {
        throw Failure(std::string(name_of(error.code())), error.what());
    }
}

storage::HomeLock lock_of(const fs::path& folder)
{
    if (auto lock = storage::HomeLock::try_acquire(folder)) return std::move(*lock);
    const auto pid = storage::owner_pid(folder);
    throw Error(Code::unavailable, fmt::format("{} is in use by {}", folder.string(),
                                               pid ? fmt::format("process {}", *pid) : "another process"));
}

model::Team team_of(const Agent& agent)
{
    if (agent.name.empty()) throw Error(Code::invalid, "an agent needs a name");
    return {.name = agent.name,
            .agents = {{.name = agent.name,
                        .role = agent.name,
                        .tools = agent.tools,
                        .prompt = agent.instructions.empty() ? "You are " + agent.name + '.' : agent.instructions,
                        .max_iterations = agent.max_iterations}}};
}

/// What a person reads when they are asked.
std::string words_of(const model::HumanRequest& request)
{
    const auto* question = request.context.if_contains("question");
    const std::string said = question && question->is_string() ? std::string(question->get_string()) : std::string();
    const auto* tool = request.context.if_contains("tool");
    if (!tool || !tool->is_string()) return said;
    const auto* arguments = request.context.if_contains("arguments");
    const std::string call = std::string(tool->get_string()) + (arguments ? " " + to_text(*arguments) : "");
    return said.empty() ? call : call + ": " + said;
}

Outcome outcome_of(const engine::TaskState& state)
{
    Outcome outcome{.task = to_string(state.id), .status = std::string(model::wire_name(state.status))};
    outcome.text = state.reply ? state.reply->text : !state.error.empty() ? state.error : state.pause_text;
    for (const auto& open : state.questions)
        outcome.questions.push_back(
            {open.request.id, std::string(model::wire_name(open.request.type)), words_of(open.request)});
    if (outcome.text.empty() && !outcome.questions.empty()) outcome.text = outcome.questions.front().text;
    const engine::Work own = state.own_work();
    outcome.usage = {own.steps, own.usage.input, own.usage.output, own.usage.cost};
    return outcome;
}

model::HumanAnswer inner_form(model::HumanRequestType type, Answer answer)
{
    model::HumanAnswer inner{.verb = answer.yes ? model::HumanVerb::approve : model::HumanVerb::reject,
                             .message = std::move(answer.text)};
    if (type == model::HumanRequestType::outcome_unknown)
        inner.verb = answer.yes ? model::HumanVerb::happened : model::HumanVerb::not_happened;
    return inner;
}

}  // namespace

struct Engine::Impl {
    Impl(fs::path home, std::unique_ptr<storage::Store> opened)
        : folder(std::move(home)),
          store(std::move(opened)),
          env{.loop = loop,
              .pool = pool,
              .random = system_random(),
              .store = *store,
              .tools = tools,
              .models = [this](const model::LlmConfig&, const Id& task, const std::string&) { return model_for(task); },
              .workspace = [this](const Id& task) { return workspace(task); },
              .log = Log(descriptor_sink(STDERR_FILENO), Level::error)},
          host(env, patterns),
          commands(host)
    {
        patterns::add_patterns(patterns);
    }
    ~Impl() { cadre::run(loop, host.close()); }

    template <class T>
    T wait(Async<T> work)
    {
        return cadre::run(loop, std::move(work));
    }

    std::shared_ptr<llm::Model> model_for(const Id& task)
    {
        if (model) return model;
        if (script.empty())
            throw Error(Code::invalid,
                        "the engine has no model: call use_model() with a function, provider/model or script:FILE");
        auto& its_own = scripts[task];  // a task uses up the entries of its script
        if (!its_own) its_own = llm::ScriptModel::from_file(script);
        return its_own;
    }

    /// One limiter and one breaker for each model, which has one key.
    std::shared_ptr<llm::Model> served(const std::string& spec)
    {
        llm::Endpoint endpoint = llm::endpoint_of(model::built_in_providers(), spec, variable);
        if (!http) http = std::make_unique<net::HttpClient>(loop, net::http_options(variable));
        gates.push_back(std::make_unique<llm::KeyGate>(endpoint.provider, loop, system_random(), env.log));
        return llm::patient(std::make_shared<llm::HttpModel>(*http, std::move(endpoint), gates.back().get()));
    }

    fs::path workspace(const Id& task) const
    {
        if (folder.empty()) return {};
        const fs::path mine = folder / "tasks" / to_string(task);
        std::error_code error;
        if (!fs::is_directory(mine, error)) storage::make_private_folder(mine);
        return mine / "artifacts";
    }

    Async<Outcome> rest(Id task)
    {
        co_await host.until_resting(task);
        const engine::TaskState state = co_await commands.task(task);
        if (state.finished()) scripts.erase(task);
        co_return outcome_of(state);
    }
    Async<Outcome> begin(engine::CreateTask create)
    {
        const Id task = co_await commands.create(std::move(create));
        co_return co_await rest(task);
    }
    Async<Outcome> resume(Id task)
    {
        const engine::TaskState state = co_await commands.task(task);
        if (!state.finished()) co_await commands.resume(task, "");
        co_return co_await rest(task);
    }
    Async<Outcome> answer(Id task, Answer said, std::string question)
    {
        auto type = model::HumanRequestType::approval;
        const engine::TaskState state = co_await commands.task(task);
        for (const auto& open : state.questions)
            if (open.request.id.starts_with(question)) type = open.request.type;
        co_await commands.answer(task, std::move(question), inner_form(type, std::move(said)));
        co_return co_await rest(task);
    }
    Async<Outcome> cancel(Id task, std::string reason)
    {
        co_await commands.cancel(task, "", std::move(reason));
        co_return co_await rest(task);
    }

    fs::path folder;  // empty: in memory
    std::optional<storage::HomeLock> lock;
    net::Loop loop;
    ThreadPool pool{kThreads};
    std::unique_ptr<storage::Store> store;
    tools::Registry tools;
    engine::Patterns patterns;
    std::unique_ptr<net::HttpClient> http;  // made when first needed
    std::vector<std::unique_ptr<llm::KeyGate>> gates;
    std::shared_ptr<llm::Model> model;
    fs::path script;
    double most_dollars = 0;
    std::map<Id, std::shared_ptr<llm::Model>> scripts;
    engine::Env env;
    engine::Host host;
    engine::Commands commands;
};

Engine::Engine() : impl_(std::make_unique<Impl>(fs::path(), std::make_unique<storage::MemoryStore>()))
{
    tools::Registry all;
    tools::add_builtin_tools(all, impl_->loop.clock());
    for (const char* name : {"calculator", "clock"}) impl_->tools.add(all.get(name));  // the others need files
}

Engine::Engine(const fs::path& folder)
{
    translated([&] {
        auto lock = lock_of(folder);
        impl_ = std::make_unique<Impl>(folder, storage::SqliteStore::open(folder));
        impl_->lock = std::move(lock);
        tools::add_builtin_tools(impl_->tools, impl_->loop.clock());
    });
}

Engine::Engine(Engine&&) noexcept = default;
Engine& Engine::operator=(Engine&&) noexcept = default;
Engine::~Engine() = default;

void Engine::add_tool(Tool tool)
{
    translated([&] { impl_->tools.add(std::make_shared<library::FunctionTool>(std::move(tool))); });
}

void Engine::add_pattern(std::string name, Pattern pattern)
{
    auto run = [pattern = std::move(pattern)](engine::Run& inner) { return library::reply_of(pattern, inner); };
    translated([&] { impl_->patterns.add({std::move(name), std::move(run)}); });
}

void Engine::use_model(const std::string& spec)
{
    translated([&] {
        if (!spec.starts_with(kScript)) {
            impl_->model = impl_->served(spec);
            return;
        }
        const fs::path file = fs::absolute(spec.substr(kScript.size()));
        llm::ScriptModel::from_file(file);  // so that what is wrong with it is said now
        impl_->script = file;
        impl_->model = nullptr;
    });
}

void Engine::use_model(std::function<Reply(const Request&)> model)
{
    impl_->model = std::make_shared<library::FunctionModel>(impl_->pool, std::move(model));
}

Outcome Engine::run(const Agent& agent, std::string prompt)
{
    return run("react@1", agent, std::move(prompt));
}

Outcome Engine::run(std::string pattern, const Agent& agent, std::string prompt)
{
    return translated([&] {
        engine::CreateTask create{
            .team = team_of(agent), .description = std::move(prompt), .pattern = std::move(pattern)};
        if (impl_->most_dollars > 0) create.budget.cost = impl_->most_dollars;
        return impl_->wait(impl_->begin(std::move(create)));
    });
}

void Engine::limit_dollars(double most)
{
    impl_->most_dollars = most;
}

std::vector<std::string> Engine::unfinished()
{
    return translated([&] {
        std::vector<std::string> ids;
        for (const auto& entry : impl_->wait(impl_->commands.tasks({.open_only = true, .limit = SIZE_MAX})))
            ids.push_back(to_string(entry.task));
        return ids;
    });
}

Outcome Engine::look(const std::string& task)
{
    return translated([&] { return outcome_of(impl_->wait(impl_->commands.task(id_from(task)))); });
}

Outcome Engine::resume(const std::string& task)
{
    return translated([&] { return impl_->wait(impl_->resume(id_from(task))); });
}

Outcome Engine::answer(const std::string& task, Answer answer, const std::string& question)
{
    return translated([&] { return impl_->wait(impl_->answer(id_from(task), std::move(answer), question)); });
}

Outcome Engine::cancel(const std::string& task, const std::string& reason)
{
    return translated([&] { return impl_->wait(impl_->cancel(id_from(task), reason)); });
}

}  // namespace cadre
