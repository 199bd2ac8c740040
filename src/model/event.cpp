#include "model/event.hpp"

#include "model/describe.hpp"

namespace cadre::model {

std::string_view type_of(const Event& event)
{
    return std::visit([](const auto& body) { return describe(&body).tag; }, event);
}

Time time_of(const Event& event)
{
    return std::visit([](const auto& body) { return body.timestamp; }, event);
}

}  // namespace cadre::model
