#include "llm/wire/opaque.hpp"

#include "base/error.hpp"
#include "base/json.hpp"

#include <boost/json.hpp>

namespace cadre::llm {

namespace {

constexpr std::string_view kFrom = "from";
constexpr JsonLimits kLimits{.bytes = 32 << 20, .nodes = 1'000'000};

}  // namespace

std::string opaque_text(std::string_view from, json::object fields)
{
    fields[kFrom] = from;
    return to_text(fields);
}

std::optional<json::object> opaque_fields(std::string_view opaque, std::string_view from)
{
    if (opaque.empty()) return std::nullopt;
    try {
        json::value value = parse_json(opaque, kLimits);
        const auto* object = value.if_object();
        const auto* who = object ? object->if_contains(kFrom) : nullptr;
        if (!who || !who->is_string() || who->get_string() != from) return std::nullopt;
        return std::move(value.get_object());
    } catch (const Error&) {
        return std::nullopt;
    }
}

}  // namespace cadre::llm
