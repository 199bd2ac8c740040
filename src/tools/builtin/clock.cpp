#include "tools/builtin/clock.hpp"

#include "base/ascii.hpp"
#include "base/time.hpp"
#include "tools/builtin/builtin_tool.hpp"

#include <boost/json.hpp>
#include <fmt/core.h>

namespace cadre::tools {

namespace {

constexpr std::chrono::minutes kMaxOffset{14 * 60};  // of any place on Earth

/// `+02:00` and its like; nothing for anything else.
std::optional<std::chrono::minutes> find_offset(std::string_view text)
{
    if (text == "UTC" || text == "Z") return std::chrono::minutes(0);
    if (text.size() != 6 || (text[0] != '+' && text[0] != '-') || text[3] != ':') return std::nullopt;
    for (const std::size_t i : {1, 2, 4, 5})
        if (!is_digit(text[i])) return std::nullopt;
    const int hours = (text[1] - '0') * 10 + (text[2] - '0'), minutes = (text[4] - '0') * 10 + (text[5] - '0');
    const std::chrono::minutes offset(hours * 60 + minutes);
    if (minutes > 59 || offset > kMaxOffset) return std::nullopt;
    return text[0] == '-' ? -offset : offset;
}

std::string time_at(Time now, const std::string& timezone)
{
    const auto offset = find_offset(timezone);
    if (!offset)
        throw Error(Code::invalid, fmt::format("The time zone {} is not known; give UTC or an offset like +02:00.",
                                               in_quotes(timezone)));
    std::string text = to_iso(now + *offset);
    if (offset->count() == 0) return text;
    text.pop_back();  // the Z
    return text + timezone;
}

}  // namespace

std::shared_ptr<Tool> clock_tool(const Clock& clock)
{
    model::Tool definition{
        .name = "clock",
        .description = "Tells the current date and time, like 2025-01-15T10:30:05Z.",
        .input_schema = object_schema(
            {{"timezone?",
              {{"type", "string"}, {"description", "UTC (the default), or an offset from it like +02:00."}}}}),
        .effect = model::Effect::pure};
    return std::make_shared<BuiltinTool>(std::move(definition), BuiltinTool::Where::loop, [&clock](const Call& call) {
        return Result{.text = time_at(clock.now(), find_text(call.arguments, "timezone").value_or("UTC"))};
    });
}

}  // namespace cadre::tools
