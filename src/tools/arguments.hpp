// Whether the arguments of a call fit the tool, said so that the model can mend them; and whether the answer is what the tool promised.
#pragma once

#include "model/tool.hpp"
#include "schema/schema.hpp"
#include "tools/tool.hpp"

#include <boost/json/fwd.hpp>

#include <cstddef>
#include <optional>
#include <string>

namespace cadre::tools {

/// Bytes that the arguments of one call may have as JSON text.
inline constexpr std::size_t kMaxArguments = 256 << 10;

/// A tool's input_schema, compiled once. Any number of threads may ask.
class ArgumentCheck {
public:
    /// Throws Error(invalid) that names the tool when its schema is none.
    explicit ArgumentCheck(const model::Tool& tool);

    /// What is wrong with the arguments, for the model; nothing when they fit. Without a schema all do that are not too large.
    std::optional<std::string> problem(const boost::json::object& arguments) const;

private:
    std::string tool_;
    std::optional<schema::Schema> schema_;
};

/// The same for those who have only the definition: schemas that were seen before are not compiled again.
std::optional<std::string> check_arguments(const model::Tool& tool, const boost::json::object& arguments);

/// What is wrong with a tool's answer, where it has an output_schema; nothing when it fits.
std::optional<std::string> check_result(const model::Tool& tool, const Result& result);

}  // namespace cadre::tools
