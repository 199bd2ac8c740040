#include "sim/world_tools.hpp"

#include "base/async.hpp"
#include "base/json.hpp"
#include "base/timeout.hpp"
#include "sim/simulation.hpp"

#include <boost/json.hpp>
#include <fmt/core.h>

#include <algorithm>

namespace cadre::sim {

namespace {

using namespace std::chrono_literals;

struct Kind {
    const char* name;
    model::Effect effect;
};
constexpr Kind kKinds[] = {
    {"look", model::Effect::pure}, {"put", model::Effect::idempotent}, {"send", model::Effect::keyed},
    {"pay", model::Effect::once},  {"gate", model::Effect::once},      {"bomb", model::Effect::pure},
};
constexpr int kToolSeconds = 20;
constexpr const char* kWorker = "worker";

/// What the world does with a call, by what is asked of it.
enum class Manner { answers, says_error, breaks, never_leaves, hangs };

Manner manner_of(std::uint64_t salt, model::Effect effect, bool first)
{
    const std::uint64_t dice = salt % 100;
    if (dice < 78) return Manner::answers;
    if (dice < 86) return effect == model::Effect::once ? Manner::answers : Manner::says_error;
    if (dice < 90) return Manner::never_leaves;
    // a person says what came of a `once` call, and the second time it answers; so the run's answer stays the same
    if (effect == model::Effect::once && !first) return Manner::answers;
    return dice < 95 ? Manner::breaks : Manner::hangs;
}

Async<> for_ever()
{
    co_await sleep_for(Millis::max());
}

class WorldTool final : public tools::Tool {
public:
    WorldTool(Simulation& simulation, Worker& worker, const Kind& kind) : simulation_(simulation), worker_(worker)
    {
        definition_.name = kind.name;
        definition_.description = "A tool of the simulation.";
        definition_.effect = kind.effect;
        definition_.timeout = kToolSeconds;
        if (definition_.name == "gate") definition_.permission = model::Permission::ask;
        if (definition_.name == "put")
            definition_.input_schema =
                parse_json(R"({"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]})").as_object();
    }
    const model::Tool& definition() const override { return definition_; }

    Async<tools::Result> call(tools::Call call, tools::ToolContext&) override
    {
        if (worker_.freezing) co_await yield();  // it hangs here, and goes on much later
        if (worker_.dead) co_await for_ever();
        Chance& chance = simulation_.world_chance();
        const auto* number = call.arguments.if_contains("n");
        const std::uint64_t salt =
            hash_of(simulation_.seed(), fmt::format("{} {}", definition_.name, number ? cadre::to_text(*number) : ""));
        const bool first = !simulation_.ledger().was_dispatched(call.key.substr(0, call.key.find('#')));
        const Manner manner =
            definition_.name == "bomb" ? Manner::says_error : manner_of(salt, definition_.effect, first);
        Millis takes = chance.one_in(8) ? chance.between(5s, 15s) : chance.between(0ms, 2s);

        Dispatch dispatch{.key = call.key,
                          .tool = definition_.name,
                          .worker = worker_.name,
                          .arguments = call.arguments,
                          .attempt = call.attempt,
                          .at = simulation_.now(),
                          .result = fmt::format("{}:{}", definition_.name, salt % 10'000)};
        if (manner == Manner::never_leaves) {
            dispatch.not_dispatched = true;
        } else if (manner == Manner::answers || manner == Manner::says_error || chance.one_in(2)) {
            const bool again = definition_.effect == model::Effect::keyed && simulation_.ledger().effect_of(call.key);
            if (!again) dispatch.effect_at = simulation_.now() + takes / 2;
        }
        const std::string result = dispatch.result;
        simulation_.dispatched(std::move(dispatch), worker_);

        const bool stubborn = chance.one_in(4);
        try {
            if (manner == Manner::hangs) co_await for_ever();
            co_await sleep_for(takes);
        } catch (const Cancelled&) {
            if (!stubborn || manner != Manner::answers) throw;
            // it was done anyway, and says so although nobody wants to know any more
        }
        switch (manner) {
        case Manner::breaks: throw Error(Code::upstream, "the connection broke");
        case Manner::never_leaves: throw tools::NotDispatched(Code::unavailable, "nobody there");
        default: co_return tools::Result{.text = result, .is_error = manner == Manner::says_error};
        }
    }

private:
    Simulation& simulation_;
    Worker& worker_;
    model::Tool definition_;
};

class WorldModel final : public llm::Model {
public:
    WorldModel(Simulation& simulation, Worker& worker, const Id& task)
        : simulation_(simulation), worker_(worker), task_(task)
    {}

    std::string spec() const override { return "world"; }

    Async<llm::Completion> complete(llm::Request request, llm::ChunkSink& sink) override
    {
        if (worker_.freezing) co_await yield();
        if (worker_.dead) co_await for_ever();
        std::size_t characters = request.instructions.size();
        std::string heard;
        for (const auto& message : request.messages) {
            characters += message->text.size();
            if (message->text.starts_with(kNote)) continue;  // instructions come when they come
            heard += message->text + '\n';
            for (const auto& call : message->calls)
                heard += call.tool_name + cadre::to_text(boost::json::value(call.args));
        }
        if (request.agent != kWorker) heard += request.agent;  // each has its own opinion
        const std::uint64_t salt = hash_of(simulation_.seed(), heard);
        const auto of_team = team_answer(salt, request);
        llm::Completion completion = of_team ? *of_team : answer(salt, request);
        completion.usage.input = static_cast<std::int64_t>(characters / 4);
        completion.usage.output = 1 + static_cast<std::int64_t>(salt % kMaxTokens);
        const bool refuses = salt % 23 == 7;
        const int failures = static_cast<int>(salt / 23 % 6) - 3;
        int& failed = simulation_.ledger().model_failures[to_string(task_) + heard];
        const bool is_free = refuses || failed < failures;  // who is refused does not pay
        simulation_.asked_model(task_, is_free ? 0 : completion.usage.input + completion.usage.output,
                                completion.usage.input + kMaxTokens);

        Chance& chance = simulation_.world_chance();
        co_await sleep_for(chance.one_in(6) ? chance.between(3s, 15s) : chance.between(0ms, 2s));
        if (refuses) throw llm::ModelError(Code::upstream, "the model refuses", false);
        if (failed < failures) {
            ++failed;
            std::optional<Millis> wait;
            if (salt % 2) wait = Millis(static_cast<std::int64_t>(salt % 7'000));
            throw llm::ModelError(Code::rate_limited, "too many requests", true, wait);
        }
        for (std::size_t at = 0; at < completion.text.size(); at += 4)
            sink.chunk(std::string_view(completion.text).substr(at, 4));
        co_return completion;
    }

private:
    static llm::Completion answer(std::uint64_t salt, const llm::Request& request)
    {
        llm::Completion completion;
        completion.text = fmt::format("t{}.", salt % 100'000);
        const auto heeded = std::ranges::find_if(request.messages.rbegin(), request.messages.rend(),
                                                 [](const auto& message) { return !message->text.starts_with(kNote); });
        const bool after_tools = heeded != request.messages.rend() && (*heeded)->role == model::Role::tool;
        if (salt % 10 < (after_tools ? 6u : 3u)) return completion;
        constexpr const char* kCalledTools[] = {"look", "put", "send", "pay", "gate", "ask_human", "nobody_has_this",
                                                "put"};
        for (std::uint64_t i = 0; i < 1 + salt / 10 % 3; ++i) {
            model::ToolCall call{.tool_name = kCalledTools[(salt / 100 + i * 3) % std::size(kCalledTools)]};
            if (call.tool_name == "ask_human") call.args["question"] = fmt::format("question {}?", (salt + i) % 1'000);
            else if (call.tool_name == "put" && salt % 5 == 0) call.args["n"] = "no number";
            else call.args["n"] = (salt + i) % 100'000;
            completion.calls.push_back(std::move(call));
        }
        return completion;
    }

    Simulation& simulation_;
    Worker& worker_;
    Id task_;
};

}  // namespace

std::vector<std::shared_ptr<tools::Tool>> tools_of(Simulation& simulation, Worker& worker)
{
    std::vector<std::shared_ptr<tools::Tool>> tools;
    for (const Kind& kind : kKinds) tools.push_back(std::make_shared<WorldTool>(simulation, worker, kind));
    return tools;
}

std::shared_ptr<llm::Model> model_for(Simulation& simulation, Worker& worker, const Id& task)
{
    return std::make_shared<WorldModel>(simulation, worker, task);
}

model::Team team_of_the_simulation()
{
    model::Agent agent{.name = kWorker, .role = "works", .prompt = "You work."};
    for (const Kind& kind : kKinds) agent.tools.push_back(kind.name);
    agent.tools.push_back("ask_human");
    model::Team team{.name = "sim", .agents = {std::move(agent)}};
    team.default_llm.max_tokens = kMaxTokens;
    return team;
}

}  // namespace cadre::sim
