// JSON Schema 2020-12: compiled once, then asked many times whether a value is as the schema says, and if not, why not.
#pragma once

#include <boost/json/fwd.hpp>

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace cadre::schema {

namespace json = boost::json;

/// What foreign schemas and values may cost, and what a schema may refer to.
struct Options {
    /// The document of that URI, or null. It must live until compile() returns. Nothing is ever fetched or opened.
    std::function<const json::value*(std::string_view uri)> document{};
    bool format_assertion = false;          // `format` is a rule, not only a remark
    std::size_t max_depth = 512;            // schemas applied inside each other, on one value or on values within it
    std::size_t max_steps = 10'000'000;     // for one value; a step takes some 10 ns
    std::size_t max_findings = 16;          // the first ones are kept
    std::size_t pattern_memory = 64 << 20;  // for all patterns together, in bytes
};

/// One rule that a value breaks.
struct Finding {
    std::string value_path{};   // JSON pointer to the part of the value that breaks it: "/items/0/price"
    std::string schema_path{};  // JSON pointer to the rule: "/$defs/item/properties/price/minimum", or URI#pointer
    std::string message{};      // for people and models: "must be at least 0, not -3"

    bool operator==(const Finding&) const = default;
};
using Findings = std::vector<Finding>;

/// A line for each finding: "/items/0/price: must be at least 0, not -3".
std::string to_text(const Findings& findings);

struct Program;

/// Immutable and cheap to copy; any number of threads may validate at once.
class Schema {
public:
    /// Throws Error(invalid) that names the place: a keyword with a value that it cannot have, a reference to a document
    /// that is not known, a dialect or pattern that is not supported. The text of `schema` is not needed afterwards.
    static Schema compile(const json::value& schema, const Options& options = {});

    /// Nothing when the value is as the schema says. Throws Error(too_large) when the options' bounds do not suffice to
    /// tell.
    Findings validate(const json::value& value) const;

    /// Whether validate() finds nothing, without the cost of saying what.
    bool accepts(const json::value& value) const;

private:
    explicit Schema(std::shared_ptr<const Program> program) : program_(std::move(program)) {}

    std::shared_ptr<const Program> program_;
};

}  // namespace cadre::schema
