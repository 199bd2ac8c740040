// BuiltinTool: a tool that is a function of its call.
#pragma once

#include "tools/arguments.hpp"
#include "tools/tool.hpp"

#include <boost/json/object.hpp>

#include <functional>
#include <initializer_list>
#include <string_view>

namespace cadre::tools {

class BuiltinTool final : public Tool {
public:
    /// Throws Error for bad input: its text is the tool's answer, an error that the model can act on.
    using Perform = std::function<Result(const Call&)>;
    enum class Where { loop, pool };  // pool: it blocks

    BuiltinTool(model::Tool definition, Where where, Perform perform);

    const model::Tool& definition() const override { return definition_; }
    Async<Result> call(Call call, ToolContext& context) override;

private:
    model::Tool definition_;
    ArgumentCheck arguments_;
    Where where_;
    Perform perform_;
};

/// Optional arguments that were not given.
std::optional<std::string> find_text(const boost::json::object& arguments, std::string_view name);
std::optional<std::int64_t> find_number(const boost::json::object& arguments, std::string_view name);

/// A schema that allows these properties and no others; those whose names end in `?` may be left out.
///     object_schema({{"path", {{"type", "string"}}}, {"limit?", {{"type", "integer"}}}})
struct Property {
    std::string_view name;
    boost::json::object schema;
};
boost::json::object object_schema(std::initializer_list<Property> properties);

}  // namespace cadre::tools
