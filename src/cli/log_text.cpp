#include "cli/log_text.hpp"

#include "base/error.hpp"
#include "base/json.hpp"
#include "cli/output.hpp"
#include "cli/task_text.hpp"

#include <boost/json.hpp>
#include <fmt/core.h>

#include <optional>

namespace cadre::cli {
namespace {

std::optional<json::object> log_object(std::string_view line)
{
    try {
        json::value value = parse_json(line);
        if (value.is_object()) return std::move(value.as_object());
    } catch (const Error&) {
        // a line of somebody else, or cut off by a full disk
    }
    return std::nullopt;
}

std::string string_in(const json::object& object, std::string_view name)
{
    const json::value* found = object.if_contains(name);
    return found && found->is_string() ? std::string(found->as_string()) : "";
}

/// Of a field: a word as it is, anything else as JSON.
std::string field_text(const json::value& value)
{
    if (!value.is_string()) return json::serialize(value);
    const std::string text(value.as_string());
    const bool is_word = !text.empty() && text.find_first_of(" \t\n\"=") == text.npos;
    return is_word ? text : json::serialize(value);
}

std::string painted_level(const Paint& paint, std::string_view level)
{
    const std::string text = fmt::format("{:<7}", level);
    if (level == name_of(Level::error)) return paint(Tone::red, text);
    if (level == name_of(Level::warning)) return paint(Tone::yellow, text);
    return text;
}

}  // namespace

std::string log_text(std::string_view line, Time now, const Paint& paint)
{
    const auto object = log_object(line);
    if (!object || !object->contains("message")) return printable(line);
    std::string time = string_in(*object, "time");
    try {
        time = local_time(time_from_iso(time), now);
    } catch (const Error&) {
        // as it is written
    }
    std::string text = printable(time) + "  " + painted_level(paint, printable(string_in(*object, "level"))) + "  " +
                       printable(string_in(*object, "message"));
    for (const auto& [name, value] : *object)
        if (name != "time" && name != "level" && name != "message")
            text += "  " + printable(std::string(name)) + "=" + printable(field_text(value));
    return text;
}

Level level_of(std::string_view line)
{
    const auto object = log_object(line);
    return object ? find_level(string_in(*object, "level")).value_or(Level::error) : Level::error;
}

}  // namespace cadre::cli
