// A tool that is a function of the program around us.
#pragma once

#include "cadre/tool.hpp"
#include "model/tool.hpp"
#include "tools/tool.hpp"

#include <functional>
#include <string>

namespace cadre::library {

class FunctionTool final : public tools::Tool {
public:
    /// Throws Error when the schema is not a JSON object, or something is missing.
    explicit FunctionTool(cadre::Tool tool);

    const model::Tool& definition() const override { return definition_; }
    Async<tools::Result> call(tools::Call call, tools::ToolContext& context) override;

private:
    model::Tool definition_;
    std::function<std::string(const Arguments&)> function_;
};

}  // namespace cadre::library
