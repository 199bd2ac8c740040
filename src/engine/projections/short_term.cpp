#include "engine/projections/short_term.hpp"

#include "model/step_text.hpp"
#include "text/tokens.hpp"

namespace cadre::engine {
namespace {

std::int64_t tokens_of(const model::Step& step)
{
    std::size_t tokens = text::estimate_tokens(text_of(step));
    for (const model::Part& part : step.parts)
        if (const auto* result = std::get_if<model::ToolResultPart>(&part))
            tokens += text::estimate_tokens(result->tool_result.result);
    return static_cast<std::int64_t>(tokens);
}

}  // namespace

ShortTerm short_term(std::span<const model::Step> history, std::int64_t limit)
{
    ShortTerm memory;
    std::size_t from = history.size();
    while (from > 0) {
        const std::int64_t tokens = tokens_of(history[from - 1]);
        if (from < history.size() && memory.tokens + tokens > limit) break;
        memory.tokens += tokens;
        --from;
    }
    memory.steps = history.subspan(from);
    return memory;
}

}  // namespace cadre::engine
