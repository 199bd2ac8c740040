#include "tools/builtin/memory.hpp"

#include "base/async.hpp"
#include "tools/builtin/builtin_tool.hpp"

#include <boost/json.hpp>

namespace cadre::tools {
namespace {

/// Its work is its caller's: the memory belongs to a user, a session, a task, which a tool knows nothing of.
class MemoryTool final : public Tool {
public:
    using Ask = Async<Result> (ToolContext::*)(boost::json::object);

    MemoryTool(model::Tool definition, Ask ask) : definition_(std::move(definition)), arguments_(definition_), ask_(ask)
    {}

    const model::Tool& definition() const override { return definition_; }
    Async<Result> call(Call call, ToolContext& context) override
    {
        if (auto problem = arguments_.problem(call.arguments))
            co_return Result{.text = std::move(*problem), .is_error = true};
        try {
            co_return co_await (context.*ask_)(std::move(call.arguments));
        } catch (const Error& error) {
            const bool is_answer =
                error.code() == Code::invalid || error.code() == Code::too_large || error.code() == Code::malformed;
            if (!is_answer) throw;
            co_return Result{.text = error.what(), .is_error = true};
        }
    }

private:
    model::Tool definition_;
    ArgumentCheck arguments_;
    Ask ask_;
};

boost::json::object scope_schema(std::string_view doc)
{
    return {{"type", "string"}, {"enum", {"task", "session", "user", "agent", "team"}}, {"description", doc}};
}

}  // namespace

std::shared_ptr<Tool> remember_tool()
{
    model::Tool definition{
        .name = "remember",
        .description =
            "Keeps a fact, a preference or something that happened, so that later conversations know it. One "
            "self-contained sentence is best. What is known already is merged with it. Never remember "
            "passwords or keys.",
        .input_schema = object_schema(
            {{"text", {{"type", "string"}, {"minLength", 1}, {"description", "What is to be known later."}}},
             {"type?",
              {{"type", "string"},
               {"enum", {"semantic", "episodic", "long_term", "short_term"}},
               {"description", "semantic: a fact (the default); episodic: something that happened."}}},
             {"scope?",
              scope_schema("Whose memory: the user's, unless said otherwise. Others who run this team read what is "
                           "the team's.")},
             {"tags?",
              {{"type", "array"},
               {"items", {{"type", "string"}, {"minLength", 1}}},
               {"maxItems", 16},
               {"description", "Words to find it by."}}},
             {"importance?",
              {{"type", "number"},
               {"minimum", 0},
               {"maximum", 1},
               {"description", "What matters least is forgotten first; else 0.5."}}},
             {"expires_at?",
              {{"type", "string"},
               {"format", "date-time"},
               {"description", "When it is to be forgotten, like 2025-01-15T10:00:00Z."}}}}),
        .effect = model::Effect::idempotent};
    return std::make_shared<MemoryTool>(std::move(definition), &ToolContext::remember);
}

std::shared_ptr<Tool> recall_tool()
{
    model::Tool definition{
        .name = "recall",
        .description =
            "Looks up what is known from earlier conversations, by words and meaning. It may be out of date.",
        .input_schema = object_schema(
            {{"query",
              {{"type", "string"}, {"minLength", 1}, {"maxLength", 2000}, {"description", "What you want to know."}}},
             {"limit?",
              {{"type", "integer"}, {"minimum", 1}, {"maximum", 20}, {"description", "Notes at most; else 8."}}},
             {"threshold?",
              {{"type", "number"},
               {"minimum", 0},
               {"maximum", 1},
               {"description", "Notes that fit less are left out; else 0.25."}}},
             {"scope?", scope_schema("Only this memory; else all that you may read.")}}),
        .effect = model::Effect::pure};
    return std::make_shared<MemoryTool>(std::move(definition), &ToolContext::recall);
}

}  // namespace cadre::tools
