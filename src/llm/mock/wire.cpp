#include "llm/mock/wire.hpp"

#include "base/error.hpp"
#include "base/utf8.hpp"

#include <fmt/core.h>

#include <algorithm>

namespace cadre::llm::mock {

namespace json = boost::json;

void refuse(const std::string& text)
{
    throw Error(Code::invalid, text);
}

const json::value* find(const json::object& object, std::string_view name)
{
    const json::value* value = object.if_contains(name);
    return value && !value->is_null() ? value : nullptr;
}

const json::object& object_of(const json::value& value, const std::string& where)
{
    if (!value.is_object()) refuse(where + ": must be an object");
    return value.get_object();
}

const json::array& array_of(const json::value* value, const std::string& where)
{
    if (!value) refuse(where + ": is required");
    if (!value->is_array()) refuse(where + ": must be a list");
    return value->get_array();
}

std::string text_of(const json::value* value, const std::string& where)
{
    if (!value) refuse(where + ": is required");
    if (!value->is_string()) refuse(where + ": must be a string");
    return std::string(value->get_string());
}

std::string find_text(const json::object& object, std::string_view name, const std::string& where)
{
    const json::value* value = find(object, name);
    return value ? text_of(value, where.empty() ? std::string(name) : where + "." + std::string(name)) : "";
}

bool find_flag(const json::object& object, std::string_view name)
{
    const json::value* value = find(object, name);
    return value && value->is_bool() && value->get_bool();
}

int Conversation::nth() const
{
    return 1 + static_cast<int>(std::ranges::count(messages_, model::Role::assistant,
                                                   [](const auto& message) { return message->role; }));
}

std::pair<std::string, std::string> halves(const std::string& text)
{
    const std::string first(utf8_prefix(text, text.size() / 2));
    return {first, text.substr(first.size())};
}

std::string id_of(const model::ToolCall& call, std::string_view prefix, std::string_view request_id, std::size_t index)
{
    return call.id.empty() ? fmt::format("{}_{}_{}", prefix, request_id, index + 1) : call.id;
}

}  // namespace cadre::llm::mock
