#include "tools/arguments.hpp"

#include "base/error.hpp"
#include "base/json.hpp"

#include <boost/json.hpp>
#include <fmt/core.h>

#include <functional>
#include <map>
#include <memory>
#include <mutex>

namespace cadre::tools {

namespace {

/// What a hostile schema or value may cost before we give up: a tenth of what the schema room allows.
schema::Options bounds()
{
    return {.max_steps = 1'000'000};
}

/// Compiled checks by tool name. A definition that changed, or that another tool of the name has, is compiled anew.
class Seen {
public:
    std::shared_ptr<const ArgumentCheck> get(const model::Tool& tool)
    {
        const std::lock_guard lock(mutex_);
        auto place = checks_.find(tool.name);
        if (place != checks_.end() && place->second.schema == tool.input_schema) return place->second.check;
        Entry entry{tool.input_schema, std::make_shared<const ArgumentCheck>(tool)};
        if (checks_.size() >= kMost) checks_.clear();
        return (checks_[tool.name] = std::move(entry)).check;
    }

private:
    static constexpr std::size_t kMost = 1024;
    struct Entry {
        std::optional<json::object> schema;
        std::shared_ptr<const ArgumentCheck> check;
    };

    std::mutex mutex_;
    std::map<std::string, Entry, std::less<>> checks_;
};

}  // namespace

ArgumentCheck::ArgumentCheck(const model::Tool& tool) : tool_(tool.name)
{
    if (!tool.input_schema) return;
    try {
        schema_ = schema::Schema::compile(*tool.input_schema, bounds());
    } catch (const Error& error) {
        throw Error(error.code(),
                    fmt::format("the input_schema of tool {} cannot be used: {}", in_quotes(tool.name), error.what()));
    }
}

std::optional<std::string> ArgumentCheck::problem(const json::object& arguments) const
{
    const json::value value = arguments;
    if (const std::size_t size = to_text(value).size(); size > kMaxArguments)
        return fmt::format(
            "The arguments of {} have {} bytes; at most {} are allowed. Call it with less, several times if need be.",
            tool_, size, kMaxArguments);
    if (!schema_) return std::nullopt;
    schema::Findings findings;
    try {
        findings = schema_->validate(value);
    } catch (const Error& error) {
        return fmt::format("The arguments of {} cannot be checked: {}. Call it with simpler ones.", tool_,
                           error.what());
    }
    if (findings.empty()) return std::nullopt;
    return fmt::format("The arguments of {} do not fit its schema; call it again with arguments that do.\n{}", tool_,
                       schema::to_text(findings));
}

std::optional<std::string> check_arguments(const model::Tool& tool, const json::object& arguments)
{
    if (!tool.input_schema) return ArgumentCheck(tool).problem(arguments);
    static Seen seen;
    return seen.get(tool)->problem(arguments);
}

std::optional<std::string> check_result(const model::Tool& tool, const Result& result)
{
    if (!tool.output_schema) return std::nullopt;
    try {
        const auto schema = schema::Schema::compile(*tool.output_schema, bounds());
        const schema::Findings findings =
            schema.validate(result.structured ? *result.structured : parse_json(result.text));
        if (findings.empty()) return std::nullopt;
        return fmt::format("The answer of {} does not fit its output_schema:\n{}", tool.name,
                           schema::to_text(findings));
    } catch (const Error& error) {
        return fmt::format("The answer of {} cannot be held against its output_schema: {}", tool.name, error.what());
    }
}

}  // namespace cadre::tools
