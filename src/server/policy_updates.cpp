#include "server/policy_updates.hpp"

#include "model/event.hpp"
#include "model/write.hpp"

#include <algorithm>

namespace cadre::server {

std::vector<FeedEventPtr> policy_updates(const std::vector<model::GuardrailPolicy>& before,
                                         const std::vector<model::GuardrailPolicy>& now, const std::string& by, Time at)
{
    using model::PolicyUpdate;
    std::vector<FeedEventPtr> events;
    const auto add = [&](const std::string& name, PolicyUpdate how) {
        const model::Event event = model::GuardrailPolicyUpdateEvent{
            .policy_name = name, .update_type = how, .updated_by = by, .timestamp = at};
        events.push_back(
            std::make_shared<FeedEvent>(FeedEvent{.type = model::type_of(event), .json = model::to_json_text(event)}));
    };
    for (const model::GuardrailPolicy& policy : now) {
        const auto old = std::ranges::find(before, policy.name, &model::GuardrailPolicy::name);
        if (old == before.end()) add(policy.name, PolicyUpdate::created);
        else if (*old != policy) add(policy.name, PolicyUpdate::modified);
    }
    for (const model::GuardrailPolicy& policy : before)
        if (std::ranges::find(now, policy.name, &model::GuardrailPolicy::name) == now.end())
            add(policy.name, PolicyUpdate::deleted);
    return events;
}

}  // namespace cadre::server
