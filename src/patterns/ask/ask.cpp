#include "patterns/ask/ask.hpp"

#include "base/json.hpp"
#include "engine/run.hpp"
#include "engine/step_id.hpp"
#include "model/ask_setup.hpp"
#include "patterns/ask/choose.hpp"
#include "patterns/ask/compose.hpp"
#include "patterns/ask/query.hpp"
#include "patterns/tool_names.hpp"

#include <boost/json.hpp>

#include <algorithm>

namespace cadre::patterns {

using engine::Run;
using model::AskSetup;
using model::Call;
using model::CallStatus;
using model::domains::Domain;

namespace {

/// When what must have ended, counted from the question.
struct Schedule {
    Time begin{};
    Millis total{};
    Millis reserve{};  // for the answer, when all calls have ended

    explicit Schedule(Time at, const model::domains::AskOptions& options)
        : begin(at), total(options.total_ms), reserve(std::clamp(total / 10, Millis(50), Millis(2'000)))
    {}

    Millis for_decision() const { return (total - reserve) / 3; }
    Time calls_end() const { return begin + total - reserve; }
    Millis left(Time now) const { return total - (now - begin); }
    /// Of a model that answers: a little is kept, so that the answer is not late either.
    Millis for_answer(Time now) const { return left(now) - reserve / 4; }
    /// With less than that left, a model is not asked for suggestions.
    Millis to_suggest() const { return std::min(Millis(5'000), total / 12); }
};

std::string conversation_at(const Run& run, const std::string& domain)
{
    const auto* context = run.input().if_contains("context");
    const auto* all = context && context->is_object() ? context->get_object().if_contains("conversations") : nullptr;
    const auto* id = all && all->is_object() ? all->get_object().if_contains(domain) : nullptr;
    return id && id->is_string() ? std::string(id->get_string()) : "";
}

/// The tools of a domain that can be asked with nothing but a question; where there is none, the first one says what it lacks.
std::vector<DomainTool> askable_tools(const Run& run, const Domain& domain)
{
    const engine::Agent& hands = run.agent(kHands);
    const std::vector<DomainTool> all = tools_of(domain);
    std::vector<DomainTool> askable;
    for (const DomainTool& tool : all)
        if (const model::Tool* known = hands.find_tool(pinned_name(run, tool.name)); known && takes_question(*known))
            askable.push_back(tool);
    if (askable.empty() && !all.empty()) askable.push_back(all.front());
    return askable;
}

std::vector<DomainQuery> queries_of(const Run& run, const model::Decision& decision, const AskSetup& setup,
                                    const Schedule& schedule)
{
    std::vector<DomainQuery> queries;
    for (const std::string& target : decision.targets) {
        const auto domain = std::ranges::find(setup.domains, target, &Domain::name);
        if (domain == setup.domains.end() || !can_be_asked(*domain)) continue;
        for (DomainTool& tool : askable_tools(run, *domain))
            queries.push_back({.domain = target,
                               .tool = std::move(tool),
                               .question = run.prompt(),
                               .conversation = conversation_at(run, target),
                               .until = schedule.calls_end(),
                               .limit = Millis(setup.options.tool_ms)});
    }
    return queries;
}

/// One that failed for a reason of ours is a failed call too.
Call call_from(engine::Settled<Call> settled, const DomainQuery& query, const Run& run)
{
    if (settled.value) return std::move(*settled.value);
    return {.id = to_string(engine::derived_id(to_string(run.task()) + query.domain + query.tool.name)),
            .tool = query.tool.name,
            .domain = query.domain,
            .status = CallStatus::failed,
            .error = settled.error ? settled.error->what() : "it was cancelled",
            .started_at = query.until,
            .completed_at = query.until};
}

std::vector<std::string> sources_in(std::span<const Call> calls, const AskSetup& setup)
{
    std::vector<std::string> sources;
    for (const Call& call : calls) {
        if (call.status != CallStatus::completed) continue;
        const auto domain = std::ranges::find(setup.domains, call.domain.value_or(""), &Domain::name);
        if (domain == setup.domains.end()) continue;
        const std::string source = source_of(*domain);
        if (std::ranges::find(sources, source) == sources.end()) sources.push_back(source);
    }
    return sources;
}

bool has_data(std::span<const Call> calls)
{
    return std::ranges::any_of(calls, [](const Call& call) { return call.status == CallStatus::completed; });
}

Async<> announce_decision(Run& run, const model::Decision& decision)
{
    engine::Fact fact{.what = "decision", .agent = std::string(kDomainRouter)};
    fact.fact = parse_json(model::to_json_text(model::domains::view(decision))).as_object();
    co_await run.announce(std::move(fact));
}

Async<std::vector<Call>> ask_all(Run& run, const model::Decision& decision, const AskSetup& setup,
                                 const Schedule& schedule)
{
    const std::vector<DomainQuery> queries = queries_of(run, decision, setup, schedule);
    engine::MapOptions<DomainQuery> options{.width = setup.options.max_parallel};
    auto settled = co_await run.collect(queries, std::move(options), ask_domain);
    std::vector<Call> calls;
    for (std::size_t i = 0; i < settled.size(); ++i) calls.push_back(call_from(std::move(settled[i]), queries[i], run));
    co_return calls;
}

/// A person is asked back: no data stands behind that.
model::Reply asking_back(const Run& run, const model::Decision& decision, const AskSetup& setup)
{
    model::Reply reply = run.reply(clarifying_question(decision, setup));
    reply.confidence = model::Confidence::low;
    return reply;
}

Async<Draft> draft_in_time(Run& run, const std::vector<Call>& calls, const model::Decision& decision,
                           const AskSetup& setup, const Schedule& schedule)
{
    Draft draft = assembled(calls, decision, setup);
    const Time now = co_await run.now();
    if (!setup.has_model || !has_data(calls) || schedule.left(now) <= schedule.reserve) co_return draft;
    const bool suggests = schedule.left(now) > schedule.to_suggest();
    const auto synthesise = [&](Run& inner) { return synthesised(inner, calls, decision, setup, suggests); };
    auto better = co_await run.within(schedule.for_answer(now), synthesise);
    co_return better ? std::move(*better) : std::move(draft);
}

}  // namespace

Async<model::Reply> ask(Run& run)
{
    const AskSetup setup = run.setup<AskSetup>();
    if (std::ranges::none_of(setup.domains, can_be_asked))
        throw Error(Code::invalid, "no domain can be asked: none in config/domains.yaml is enabled and has a tool");
    const Schedule schedule(co_await run.now(), setup.options);
    const model::Decision decision = co_await choose_domains(run, setup, schedule.for_decision());
    co_await announce_decision(run, decision);
    model::Reply reply;
    if (model::needs_clarification(decision, setup.options.confidence_threshold)) {
        reply = asking_back(run, decision, setup);
    } else {
        std::vector<Call> calls = co_await ask_all(run, decision, setup, schedule);
        Draft draft = co_await draft_in_time(run, calls, decision, setup, schedule);
        const std::string missing = missing_text(calls, setup);
        reply = run.reply(draft.answer + (missing.empty() ? "" : "\n\n" + missing));
        reply.suggestions = std::move(draft.suggestions);
        reply.sources = sources_in(calls, setup);
        reply.confidence = model::confidence_of(calls);
        reply.partial = model::is_partial(calls);
        reply.ok = has_data(calls);
        if (!reply.ok) reply.error = "none of the domains answered";
        reply.calls = std::move(calls);
    }
    reply.elapsed_ms = ((co_await run.now()) - schedule.begin).count();
    co_return reply;
}

boost::json::object next_input(const boost::json::object& input, const model::Reply* reply)
{
    boost::json::object next = input;
    boost::json::value& context = next["context"];
    if (!context.is_object()) context = boost::json::object();
    boost::json::value& conversations = context.get_object()["conversations"];
    if (!conversations.is_object()) conversations = boost::json::object();
    for (const Call& call : reply ? std::span<const Call>(reply->calls) : std::span<const Call>()) {
        const auto* result = call.result ? call.result->if_object() : nullptr;
        const auto* id = result ? result->if_contains("conversation_id") : nullptr;
        if (call.domain && id && id->is_string()) conversations.get_object()[*call.domain] = *id;
    }
    boost::json::value& accessed = context.get_object()["domains_accessed"];
    if (!accessed.is_array()) accessed = boost::json::array();
    for (const Call& call : reply ? std::span<const Call>(reply->calls) : std::span<const Call>()) {
        const boost::json::value name(call.domain.value_or(""));
        auto& all = accessed.get_array();
        if (call.status == CallStatus::completed && std::ranges::find(all, name) == all.end()) all.push_back(name);
    }
    return next;
}

}  // namespace cadre::patterns
