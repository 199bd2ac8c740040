#include "llm/wire/tool_names.hpp"

#include "base/sha256.hpp"

#include <algorithm>
#include <set>

namespace cadre::llm {

namespace {

constexpr std::size_t kMaxName = 64;
constexpr std::size_t kMarkLength = 8;

bool is_allowed(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
}

std::string plain(std::string_view name)
{
    std::string result(name.substr(0, kMaxName));
    std::ranges::replace_if(result, [](char c) { return !is_allowed(c); }, '_');
    return result.empty() ? "_" : result;
}

/// Unlike any other, and the same in every request.
std::string marked(std::string_view name)
{
    return plain(name).substr(0, kMaxName - kMarkLength - 1) + '_' +
           to_hex(cadre::digest_of(name)).substr(0, kMarkLength);
}

}  // namespace

ToolNames::ToolNames(const std::vector<ToolSpec>* tools)
{
    if (!tools) return;
    std::set<std::string, std::less<>> taken;
    for (const ToolSpec& tool : *tools)
        if (plain(tool.name) == tool.name) taken.insert(tool.name);
    for (const ToolSpec& tool : *tools) {
        std::string wire = plain(tool.name);
        if (wire == tool.name) continue;
        if (!taken.insert(wire).second) taken.insert(wire = marked(tool.name));
        own_.emplace(wire, tool.name);
        wire_.emplace(tool.name, std::move(wire));
    }
}

std::string ToolNames::to_wire(std::string_view name) const
{
    const auto found = wire_.find(name);
    return found == wire_.end() ? plain(name) : found->second;
}

std::string ToolNames::from_wire(std::string_view name) const
{
    const auto found = own_.find(name);
    return std::string(found == own_.end() ? name : found->second);
}

}  // namespace cadre::llm
