#include "testing/stand_in.hpp"

#include "base/async.hpp"
#include "base/json.hpp"
#include "base/plural.hpp"
#include "testing/judge.hpp"

#include <boost/json.hpp>
#include <fmt/core.h>

#include <utility>

namespace cadre::testing {
namespace {

class PlannedTool final : public tools::Tool {
public:
    PlannedTool(std::shared_ptr<tools::Tool> tool, std::shared_ptr<ToolPlan> plan)
        : tool_(std::move(tool)), plan_(std::move(plan))
    {}

    const model::Tool& definition() const override { return tool_->definition(); }
    bool keeps_time() const override { return tool_->keeps_time(); }
    Async<tools::Result> call(tools::Call call, tools::ToolContext& context) override
    {
        if (auto answer = plan_->answer(definition().name, call.arguments)) co_return std::move(*answer);
        co_return co_await tool_->call(std::move(call), context);
    }

private:
    std::shared_ptr<tools::Tool> tool_;
    std::shared_ptr<ToolPlan> plan_;
};

}  // namespace

std::optional<tools::Result> ToolPlan::answer(std::string_view tool, const json::object& arguments)
{
    for (model::TestFault& fault : faults_) {
        if (!fault.tool || !is_tool(*fault.tool, tool) || fault.times == 0) continue;
        --fault.times;
        return tools::Result{.text = fault.error.value_or(fmt::format("{} does not work", tool)), .is_error = true};
    }
    for (const model::TestTool& one : tools_) {
        if (!is_tool(one.name, tool) || !is_part(one.args, arguments)) continue;
        if (one.error) return tools::Result{.text = *one.error, .is_error = true};
        const json::string* text = one.result.if_string();
        tools::Result result{.text = text ? std::string(*text) : to_text(one.result)};
        if (!text) result.structured = one.result;
        return result;
    }
    return std::nullopt;
}

std::vector<std::string> ToolPlan::left_over() const
{
    std::vector<std::string> lines;
    for (const model::TestFault& fault : faults_)
        if (fault.tool && fault.times > 0)
            lines.push_back(fmt::format("{} should have failed {} more", *fault.tool,
                                        plural(static_cast<std::size_t>(fault.times), "time")));
    return lines;
}

std::shared_ptr<tools::Tool> with_plan(std::shared_ptr<tools::Tool> tool, std::shared_ptr<ToolPlan> plan)
{
    return std::make_shared<PlannedTool>(std::move(tool), std::move(plan));
}

}  // namespace cadre::testing
