#include "model/catalogue.hpp"

#include "model/kernel.hpp"
#include "model/views/agentx.hpp"
#include "model/views/conversation.hpp"
#include "model/views/domains.hpp"
#include "model/views/framework.hpp"
#include "model/views/orchestration.hpp"

namespace cadre::model {

std::span<const Chapter> chapters()
{
    static const Chapter all[] = {
        {"The kernel: what runs inside", kernel_entities()},
        {"Teams, steps and events (document 004)", agentx::entities()},
        {"Tasks, traces and checkpoints as files (document 000)", framework::entities()},
        {"Messages over channels (document 001)", conversation::entities()},
        {"Routing and A2A tasks (document 002)", orchestration::entities()},
        {"Questions to data domains (document 003)", domains::entities()},
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

}  // namespace cadre::model
