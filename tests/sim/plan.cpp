#include "sim/plan.hpp"

#include "base/error.hpp"
#include "base/sha256.hpp"
#include "engine/run.hpp"
#include "engine/run_state.hpp"
#include "sim/chance.hpp"
#include "sim/seams.hpp"
#include "sim/structure.hpp"

#include <boost/json.hpp>
#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <iterator>

namespace cadre::sim {

using engine::Run;

namespace {

constexpr std::string_view kPrompt = "plan ";
constexpr std::string_view kErrand = "errand ";
constexpr const char* kTools[] = {"look", "put", "send", "pay", "pay", "gate", "ask_human"};

// ---- making plans ----

PlanStep some_step(Chance& chance, int depth)
{
    if (depth < 2 && chance.one_in(3)) return some_structure(chance, depth);
    if (chance.one_in(6)) return some_seam(chance);
    PlanStep step{.salt = chance.below(1'000'000)};
    const std::uint64_t dice = chance.below(100);
    if (depth < 2 && dice < 22) {
        step.act = Act::map;
        const std::uint64_t branches = 2 + chance.below(2);
        for (std::uint64_t i = 0; i < branches; ++i) step.inside.push_back(some_steps(chance, depth + 1, 2));
        if (chance.one_in(2)) {  // one branch fails while the others are under way
            Plan& doomed = step.inside[chance.below(branches)];
            doomed.push_back({.act = Act::bomb, .salt = chance.below(1'000'000)});
        }
    } else if (depth < 2 && dice < 36) {
        step.act = Act::node;
        step.width = 1 + chance.below(2);
        step.inside.push_back(some_steps(chance, depth + 1, 3));
    } else if (dice < 58) {
        step.act = Act::use;
        step.width = 1 + chance.below(3);
    } else if (dice < 72) {
        step.act = Act::react;
    } else if (dice < 82) {
        step.act = Act::ask;
    } else if (dice < 90) {
        step.act = Act::nap;
    } else if (dice < 95) {
        step.act = Act::sleep;
    } else {
        step.act = Act::stamp;
    }
    return step;
}

const char* name_of(Act act)
{
    switch (act) {
    case Act::use: return "use";
    case Act::bomb: return "bomb";
    case Act::react: return "react";
    case Act::ask: return "ask";
    case Act::nap: return "nap";
    case Act::sleep: return "sleep";
    case Act::stamp: return "stamp";
    case Act::node: return "node";
    case Act::map: return "map";
    case Act::slip: return "slip";
    case Act::wonder: return "wonder";
    case Act::first: return "first";
    case Act::within: return "within";
    case Act::collect: return "collect";
    case Act::quorum: return "quorum";
    case Act::flow: return "flow";
    case Act::seats: return "seats";
    case Act::meet: return "meet";
    case Act::delegate: return "delegate";
    case Act::heed: return "heed";
    case Act::remember: return "remember";
    case Act::recall: return "recall";
    case Act::message: return "message";
    case Act::save: return "save";
    case Act::check: return "check";
    case Act::compact: return "compact";
    }
    return "?";
}

void write(std::string& out, const Plan& plan, int depth)
{
    for (const PlanStep& step : plan) {
        out += fmt::format("{:{}}{} {} ×{}\n", "", 2 * depth, name_of(step.act), step.salt, step.width);
        for (const Plan& inside : step.inside) write(out, inside, depth + 1);
        if (step.inside.size() > 1) out += fmt::format("{:{}}({} branches)\n", "", 2 * depth, step.inside.size());
    }
}

/// Whether the act calls tools in the scope that it is played in.
bool calls_at_top(Act act)
{
    constexpr Act kCalling[] = {Act::react, Act::stamp, Act::slip,   Act::first, Act::within, Act::quorum,
                                Act::flow,  Act::heed,  Act::recall, Act::save,  Act::check};
    return std::ranges::find(kCalling, act) != std::end(kCalling);
}

// ---- playing them ----

model::ToolCall call_of(std::string tool, std::uint64_t salt)
{
    model::ToolCall call{.id = fmt::format("c{}", salt), .tool_name = std::move(tool)};
    if (call.tool_name == "ask_human") call.args["question"] = fmt::format("question {}?", salt);
    else call.args["n"] = salt;
    return call;
}

std::string words_of(const std::vector<engine::ToolReply>& replies)
{
    std::string words;
    for (const engine::ToolReply& reply : replies) words += (reply.is_error ? "!" : "") + reply.text + ";";
    return words;
}

struct Inside {
    const Plan* plan;
    const Watch* watch;
    Async<std::string> operator()(Run& run) const { return play(run, *plan, *watch); }
};

struct Branch {
    const Watch* watch;
    Async<std::string> operator()(Run& run, const Plan* plan) const { return play(run, *plan, *watch); }
};

Async<std::string> react(Run& run, std::uint64_t salt)
{
    constexpr int kTurns = 4;
    run.tell(fmt::format("do {}", salt));
    std::string words;
    for (int turn = 0; turn < kTurns; ++turn) {
        std::string failure;
        engine::Step step;
        try {
            step = co_await run.think(run.agent());
        } catch (const engine::EffectFailed& error) {
            failure = error.what();
        } catch (const Error& error) {
            failure = error.what();
        }
        if (!failure.empty()) co_return words + "!" + failure;
        words += step.text;
        if (step.calls.empty()) break;
        words += words_of(co_await run.use(run.agent(), step.calls));
    }
    co_return words;
}

Async<std::string> act(Run& run, const PlanStep& step, const Watch& watch)
{
    switch (step.act) {
    case Act::use: {
        std::vector<model::ToolCall> calls;
        for (std::uint64_t i = 0; i < step.width; ++i)
            calls.push_back(call_of(kTools[(step.salt + i) % std::size(kTools)], step.salt + i));
        co_return words_of(co_await run.use(run.agent(), std::move(calls)));
    }
    case Act::bomb: {
        const auto replies = co_await run.use(run.agent(), {call_of("bomb", step.salt)});
        throw Error(Code::upstream, replies.front().text);
    }
    case Act::slip: {
        co_await run.use(run.agent(), {call_of("look", step.salt)});
        throw Error(Code::upstream, "slipped");
    }
    case Act::first:
    case Act::within:
    case Act::collect:
    case Act::quorum:
    case Act::flow:
    case Act::seats:
    case Act::meet:
    case Act::delegate:
    case Act::heed: co_return co_await play_structure(run, step, watch);
    case Act::remember:
    case Act::recall:
    case Act::message:
    case Act::save:
    case Act::check:
    case Act::compact: co_return co_await play_seam(run, step);
    case Act::react: co_return co_await react(run, step.salt);
    case Act::ask: {
        engine::Question question{.type = model::HumanRequestType::feedback, .agent = run.agent().name};
        question.context["salt"] = step.salt;
        if (step.salt % 4 == 0) question.timeout = Millis(5'000 + step.salt % 40'000);
        const model::HumanAnswer answer = co_await run.ask(std::move(question));
        co_return std::string(model::participle(answer.verb));
    }
    case Act::wonder: {
        engine::Question question{.type = model::HumanRequestType::feedback, .agent = run.agent().name};
        question.context[kNobody] = step.salt;
        co_await run.ask(std::move(question));
        co_return "w";
    }
    case Act::nap: co_await run.sleep(Millis(step.salt % 9'000)); co_return "n";
    case Act::sleep: co_await run.sleep(Millis(10'000 + step.salt % 40'000)); co_return "s";
    case Act::stamp: {
        const Time time = co_await run.now();
        const Id id = co_await run.fresh_id();
        model::ToolCall call = call_of("put", step.salt);
        call.args["stamp"] = to_iso(time) + to_string(id);
        co_return words_of(co_await run.use(run.agent(), {std::move(call)}));
    }
    case Act::node: {
        std::string words;
        for (std::uint64_t i = 0; i < step.width; ++i)
            words += co_await run.node(fmt::format("part{}", step.salt % 3), Inside{&step.inside.front(), &watch});
        co_return words;
    }
    case Act::map: {
        std::vector<const Plan*> branches;
        for (const Plan& inside : step.inside) branches.push_back(&inside);
        std::string failure;
        try {
            std::string words;
            for (const std::string& said : co_await run.map(std::move(branches), Branch{&watch})) words += said + "|";
            co_return words;
        } catch (const Error& error) {
            failure = error.what();
        }
        co_return "join failed: " + failure;
    }
    }
    co_return "";
}

}  // namespace

Plan some_steps(Chance& chance, int depth, std::uint64_t most)
{
    Plan plan;
    for (std::uint64_t i = 0, count = 1 + chance.below(most); i < count; ++i) plan.push_back(some_step(chance, depth));
    return plan;
}

Async<std::string> play(Run& run, const Plan& plan, const Watch& watch)
{
    std::string words;
    for (const PlanStep& step : plan) words += co_await act(run, step, watch);
    co_return words;
}

Plan plan_of(std::uint64_t number)
{
    Chance chance(number, "plan");
    return some_steps(chance, 0, 4);
}

Plan errand_of(std::uint64_t number)
{
    Chance chance(number, "errand");
    return some_steps(chance, 1, 2);
}

std::string to_text(const Plan& plan)
{
    std::string text;
    write(text, plan, 0);
    return text;
}

std::string first_call(const Plan& plan)
{
    for (const PlanStep& step : plan)
        if (step.act == Act::use) return "use:1.0";
        else if (calls_at_top(step.act)) return "";
    return "";
}

std::string prompt_of(std::uint64_t plan)
{
    return std::string(kPrompt) + std::to_string(plan);
}

std::string errand_prompt(std::uint64_t errand)
{
    return std::string(kErrand) + std::to_string(errand);
}

Plan plan_in(const std::string& prompt)
{
    const bool is_errand = prompt.starts_with(kErrand);
    std::uint64_t number = 0;
    std::from_chars(prompt.data() + (is_errand ? kErrand : kPrompt).size(), prompt.data() + prompt.size(), number);
    return is_errand ? errand_of(number) : plan_of(number);
}

Async<model::Reply> play_plan(Run& run, std::function<bool(const std::string& task)> leaves_out, Watch watch)
{
    Plan plan = plan_in(run.prompt());
    if (leaves_out(run.reply("").task)) plan.erase(std::ranges::find(plan, Act::use, &PlanStep::act));
    const std::string words = co_await play(run, plan, watch);
    co_return run.reply(words.size() <= 200 ? words : to_hex(digest_of(words)));
}

}  // namespace cadre::sim
