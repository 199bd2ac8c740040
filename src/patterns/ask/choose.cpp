#include "patterns/ask/choose.hpp"

#include "base/json.hpp"
#include "engine/run.hpp"
#include "engine/run_state.hpp"
#include "patterns/ask/domain_tool.hpp"
#include "patterns/react.hpp"
#include "patterns/structured.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <algorithm>

namespace cadre::patterns {

using engine::Run;
using model::AskSetup;
using model::Decision;
using model::RouterKind;
using model::domains::Domain;
using model::domains::DomainRoutingDecision;

namespace {

std::vector<const Domain*> askable_in(const AskSetup& setup)
{
    std::vector<const Domain*> askable;
    for (const Domain& domain : setup.domains)
        if (can_be_asked(domain)) askable.push_back(&domain);
    return askable;
}

std::string decision_schema(const AskSetup& setup)
{
    boost::json::array names;
    for (const Domain* domain : askable_in(setup)) names.emplace_back(domain->name);
    const boost::json::object chosen{
        {"type", "array"}, {"uniqueItems", true}, {"items", {{"type", "string"}, {"enum", std::move(names)}}}};
    return to_text(boost::json::object{{"type", "object"},
                                       {"required", {"identified_domains", "confidence", "reasoning"}},
                                       {"additionalProperties", false},
                                       {"properties",
                                        {{"identified_domains", chosen},
                                         {"reasoning", {{"type", "string"}}},
                                         {"confidence", {{"type", "number"}, {"minimum", 0}, {"maximum", 1}}},
                                         {"ambiguity_detected", {{"type", "boolean"}}},
                                         {"clarification_needed", {{"type", "boolean"}}}}}});
}

std::string how_to_choose(const std::string& question, const AskSetup& setup)
{
    std::string text =
        "Which of the data domains below should be asked to answer this question? Do not answer it yourself.\n\n"
        "Question: " +
        question + "\n\nDomains:";
    for (const Domain* domain : askable_in(setup)) {
        text += fmt::format("\n- {} ({}): {}", domain->name, domain->display_name, domain->description);
        if (!domain->capabilities.empty())
            text += fmt::format(" It can answer: {}.", fmt::join(domain->capabilities, "; "));
    }
    text +=
        "\n\nAnswer with JSON alone:\n"
        R"({"identified_domains": ["name"], "reasoning": "why these", "confidence": 0.0 to 1.0, )"
        R"("ambiguity_detected": false, "clarification_needed": false})"
        "\nName every domain that the answer needs, the most important first, and none that it does not. Where the "
        "question could be for other domains as well, ambiguity_detected is true and reasoning names them. Where it is "
        "not clear what is asked, clarification_needed is true.";
    return text;
}

/// Throws what a rule of the document has against it.
Decision decision_from(const boost::json::value& said, const std::string& question)
{
    boost::json::object whole = said.as_object();
    whole["user_query"] = question;
    return model::domains::from(model::from_json<DomainRoutingDecision>(whole));
}

std::string problem_of_decision(const boost::json::value& said, const std::string& question)
{
    try {
        decision_from(said, question);
        return "";
    } catch (const Error& error) {
        return error.what();
    }
}

/// Nobody could decide.
Decision undecided(const std::string& question, std::string why)
{
    return {.query = question,
            .target_kind = model::TargetKind::domain,
            .reasoning = std::move(why),
            .ambiguous = true,
            .clarify = true};
}

Async<StructuredAnswer> ask_router(Run& run, const AskSetup& setup)
{
    run.fail_when_spent();
    run.tell_history();
    run.tell(how_to_choose(run.prompt(), setup));
    WantedAnswer wanted{.schema = decision_schema(setup), .attempts = setup.options.max_attempts};
    wanted.problem = [question = run.prompt()](const boost::json::value& said) {
        return problem_of_decision(said, question);
    };
    co_return co_await structured_answer(run, run.agent(kDomainRouter), std::move(wanted));
}

engine::RouteQuery local_query(const AskSetup& setup, std::string text)
{
    engine::RouteQuery query{.agent = std::string(kDomainRouter),
                             .text = std::move(text),
                             .kind = model::TargetKind::domain,
                             .threshold = setup.options.confidence_threshold};
    for (const Domain* domain : askable_in(setup))
        query.catalogue.push_back({.name = domain->name,
                                   .description = domain->display_name + ". " + domain->description,
                                   .examples = domain->capabilities});
    query.limit = static_cast<int>(query.catalogue.size());
    return query;
}

/// What the person said last before this; empty: nothing.
std::string said_before(Run& run)
{
    const auto& history = run.state().history();
    for (auto one = history.rbegin(); one != history.rend(); ++one)
        if ((*one)->role == model::Role::user) return (*one)->text;
    return "";
}

/// A question that is not clear by itself may be the rest of the one before it.
Async<Decision> compare(Run& run, const AskSetup& setup)
{
    Decision decision = co_await run.route(local_query(setup, run.prompt()));
    const std::string before = said_before(run);
    if (model::needs_clarification(decision, setup.options.confidence_threshold) && !before.empty())
        decision = co_await run.route(local_query(setup, before + "\n" + run.prompt()));
    decision.query = run.prompt();
    decision.target_kind = model::TargetKind::domain;
    co_return decision;
}

/// The same where nobody else decides: why it is not possible is what is said then.
Async<Decision> compare_at_last(Run& run, const AskSetup& setup, std::string why)
{
    try {
        co_return co_await compare(run, setup);
    } catch (const Error& error) {
        if (is_limit_of_run(error)) throw;
        co_return undecided(run.prompt(), why.empty() ? error.what() : why);
    }
}

}  // namespace

Async<Decision> choose_domains(Run& run, const AskSetup& setup, Millis limit)
{
    Decision local;
    if (setup.router != RouterKind::model) {
        local = co_await compare_at_last(run, setup, "");
        const bool is_sure = !model::needs_clarification(local, setup.options.confidence_threshold);
        if (setup.router == RouterKind::local || is_sure || !setup.has_model) co_return local;
    }
    const auto ask = [&](Run& inner) { return ask_router(inner, setup); };
    const auto answer = co_await run.within(limit, ask);
    if (answer && answer->value) co_return decision_from(*answer->value, run.prompt());
    const std::string why = answer ? answer->problem : fmt::format("no decision within {} ms", limit.count());
    if (setup.router != RouterKind::model) co_return local;
    co_return co_await compare_at_last(run, setup, "the router could not decide: " + why);
}

std::string clarifying_question(const Decision& decision, const AskSetup& setup)
{
    std::vector<std::string> names;
    const auto add = [&](const Domain& domain) {
        const bool is_there = std::ranges::find(names, domain.display_name) != names.end();
        if (names.size() < 2 && can_be_asked(domain) && !is_there) names.push_back(domain.display_name);
    };
    for (const std::string& target : decision.targets)
        for (const Domain& domain : setup.domains)
            if (domain.name == target) add(domain);
    for (const Domain& domain : setup.domains)
        if (decision.reasoning.find(domain.name) != std::string::npos) add(domain);
    for (const Domain& domain : setup.domains) add(domain);
    if (names.size() == 1) return fmt::format("What exactly would you like to know about {}?", names[0]);
    return fmt::format("I am not sure what you mean. Is it about {}, or about {}?", names[0], names[1]);
}

}  // namespace cadre::patterns
