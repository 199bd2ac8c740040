#include "model/catalogue.hpp"

#include "model/channel_accounts.hpp"
#include "model/kernel.hpp"
#include "model/test_file.hpp"
#include "model/views/agentx.hpp"
#include "model/views/conversation.hpp"
#include "model/views/domains.hpp"
#include "model/views/framework.hpp"
#include "model/views/orchestration.hpp"

#include <algorithm>
#include <set>

namespace cadre::model {

namespace {

bool holds(const Type& type, const Entity& entity)
{
    if (type.item) return holds(type.item(), entity);
    if (type.entity) return &type.entity() == &entity;
    for (std::size_t i = 0; i < type.alternatives; ++i)
        if (&type.alternative(i) == &entity) return true;
    return false;
}

/// In a field, or in a schema that was written by hand.
bool holds(const Entity& holder, const Entity& entity)
{
    const std::string reference = "\"#/$defs/" + std::string(entity.name) + '"';
    const auto is_named_in = [&](std::string_view schema) { return schema.find(reference) != schema.npos; };
    return std::ranges::any_of(holder.fields, [&](const Field& field) { return holds(*field.type, entity); }) ||
           std::ranges::any_of(holder.checks, [&](const Check& check) { return is_named_in(check.schema); }) ||
           is_named_in(holder.other_form);
}

Home::Kind written_in(const Entity& entity, std::set<const Entity*>& seen)
{
    if (entity.home.kind == Home::Kind::yaml_file || entity.home.kind == Home::Kind::json_file) return entity.home.kind;
    for (const Entity* user : users_of(entity))
        if (seen.insert(user).second)
            if (const auto kind = written_in(*user, seen); kind != Home::Kind::part) return kind;
    return Home::Kind::part;
}

}  // namespace

std::span<const Chapter> chapters()
{
    static const Chapter all[] = {
        {"Tasks and workflows", kernel_entities()},
        {"Teams, steps and events", agentx::entities()},
        {"Agents, MCP servers and tasks as files", framework::entities()},
        {"Messages over channels", conversation::entities()},
        {"Accounts that carry messages", channel_entities()},
        {"Routing to agents, A2A", orchestration::entities()},
        {"Questions to data domains", domains::entities()},
        {"Tests", test_entities()},
    };
    return all;
}

std::span<const Entity* const> catalogue()
{
    static const std::vector<const Entity*> all = [] {
        std::vector<const Entity*> list;
        for (const Chapter& chapter : chapters())
            list.insert(list.end(), chapter.entities.begin(), chapter.entities.end());
        return list;
    }();
    return all;
}

const Entity* find_entity(std::string_view name)
{
    for (const Entity* entity : catalogue())
        if (entity->name == name) return entity;
    return nullptr;
}

std::vector<const Entity*> users_of(const Entity& entity)
{
    std::vector<const Entity*> users;
    for (const Entity* other : catalogue())
        if (other != &entity && holds(*other, entity)) users.push_back(other);
    return users;
}

Home::Kind written_in(const Entity& entity)
{
    std::set<const Entity*> seen{&entity};
    return written_in(entity, seen);
}

}  // namespace cadre::model
