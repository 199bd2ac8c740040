#include "engine/projections/context_copy.hpp"

#include "base/json.hpp"
#include "base/redact.hpp"
#include "engine/body.hpp"
#include "engine/effect_path.hpp"
#include "engine/principal.hpp"
#include "model/read.hpp"
#include "model/views/orchestration_convert.hpp"
#include "model/views/orchestration_route.hpp"
#include "model/write.hpp"

#include <boost/json.hpp>

#include <algorithm>
#include <array>
#include <iterator>

namespace cadre::engine {

using model::TaskStatus;
using model::orchestration::Message;
using model::orchestration::TaskContext;
using storage::Record;
using storage::RecordKind;

namespace {

constexpr std::string_view kRoutePattern = "route@";
constexpr std::string_view kSelections = "agentSelections";
constexpr std::string_view kConfidence = "routingConfidence";
/// Effects whose outcome people see.
constexpr std::array<std::string_view, 6> kSaid = {"think", "use", "ask", "delegate", "announce", "save"};

boost::json::object routing_of(const model::orchestration::AgentChoiceResult& choice)
{
    boost::json::array agents{boost::json::string(choice.agent_id)};
    for (const std::string& more : choice.additional_agents.value_or(std::vector<std::string>()))
        agents.emplace_back(more);
    return {{kSelections, std::move(agents)}, {kConfidence, choice.confidence}};
}

/// In the order of the document's example, with what the client gave between them.
boost::json::object metadata_of(const model::Task& task, const boost::json::object& decided)
{
    const boost::json::object* routing = &decided;
    if (task.reply && task.reply->formatted && task.reply->formatted->contains(kSelections))
        routing = &*task.reply->formatted;
    boost::json::object all;
    if (const auto* agents = routing->if_contains(kSelections)) all[kSelections] = *agents;
    for (const auto& member : task.metadata) all.insert(member);
    if (const auto* confidence = routing->if_contains(kConfidence)) all[kConfidence] = *confidence;
    return all;
}

std::optional<std::string> open_question(const TaskState& state)
{
    if (state.questions.empty()) return std::nullopt;
    const auto* text = state.questions.front().request.context.if_contains("question");
    return text && text->is_string() ? std::optional(std::string(text->get_string())) : std::nullopt;
}

model::orchestration::MessageRole role_of(const TurnMessage& message)
{
    return message.role == model::Role::user ? model::orchestration::MessageRole::user
                                             : model::orchestration::MessageRole::assistant;
}

}  // namespace

bool changes_context(const Record& record)
{
    switch (record.kind) {
    case RecordKind::intent: return effect_in(record.path) == "ask";  // it waits from here on
    case RecordKind::outcome: return std::ranges::find(kSaid, effect_in(record.path)) != kSaid.end();
    case RecordKind::node_done:
    case RecordKind::setting:
    case RecordKind::late_result:
    case RecordKind::note:
    case RecordKind::attempt_failed:
    case RecordKind::upkeep: return false;
    case RecordKind::created:
    case RecordKind::started:
    case RecordKind::unknown:
    case RecordKind::answer:
    case RecordKind::instruction:
    case RecordKind::cancel:
    case RecordKind::pause:
    case RecordKind::resume:
    case RecordKind::completed:
    case RecordKind::failed:
    case RecordKind::cancelled: return true;
    }
    return true;  // a newer release's
}

void ContextCopy::apply(const Record& record)
{
    chronicle_.apply(record);
    if (!state().spec.pattern.starts_with(kRoutePattern)) return;
    const Body body(record);
    const auto* outcome = body.find<OutcomeBody>();
    const auto* announced = outcome ? std::get_if<AnnounceOutcome>(&outcome->of) : nullptr;
    if (announced && announced->what.str() == "decision")
        routing_ = routing_of(model::from_text<model::orchestration::AgentChoiceResult>(announced->fact.text));
}

TaskContext ContextCopy::context(std::span<const TurnMessage> before, std::string_view router) const
{
    model::Task task = to_task(state());
    task.metadata = metadata_of(task, routing_);
    if (task.status == TaskStatus::waiting && !task.status_text) task.status_text = open_question(state());
    std::vector<model::Step> said = chronicle_.history();
    if (!router.empty()) std::erase_if(said, [&](const model::Step& step) { return step.agent == router; });
    TaskContext context = model::orchestration::view(task, nullptr, said);
    std::vector<Message> all;
    for (const TurnMessage& message : before)
        all.push_back({.role = role_of(message), .content = redact(message.text)});
    std::ranges::move(*context.history, std::back_inserter(all));
    context.history = model::orchestration::pruned(std::move(all));
    return context;
}

std::string stored_text(TaskContext context, std::size_t most)
{
    std::string text = model::to_json_text(context);
    if (text.size() <= most) return text;
    if (context.history) {
        std::size_t size = text.size();
        auto kept = context.history->begin();
        for (; kept != context.history->end() && size > most; ++kept) size -= model::to_json_text(*kept).size() + 1;
        context.history->erase(context.history->begin(), kept);
        text = model::to_json_text(context);
    }
    const auto without = [&](auto& member) {
        if (text.size() <= most) return;
        member.reset();
        text = model::to_json_text(context);
    };
    without(context.status.message);
    without(context.metadata);
    without(context.artifacts);
    return text;
}

Millis time_left(TaskStatus status, Time last, Millis lifetime, Time now)
{
    if (status == TaskStatus::waiting || status == TaskStatus::paused) return kStays;
    return std::clamp(lifetime - std::chrono::floor<Millis>(now - last), Millis{0}, lifetime);  // clocks are set back
}

std::string stored_key(std::string_view tenant, std::string_view task)
{
    const std::string key = model::orchestration::context_key(task);
    return tenant == kLocalTenant ? key : std::string(tenant) + ":" + key;
}

std::string stored_number_key(std::string_view tenant, std::string_view task)
{
    return (tenant == kLocalTenant ? "" : std::string(tenant) + ":") + "cadre:seq:" + std::string(task);
}

}  // namespace cadre::engine
