// `loop` inside a for.
#pragma once

#include "text/template/bodies.hpp"
#include "text/template/iterate.hpp"

#include <optional>
#include <string_view>
#include <vector>

namespace cadre::text::tpl {

struct Arguments;

/// A walk that can look one item ahead and says where it is.
struct LoopBody : Value::Body {
    explicit LoopBody(Value whole) : source(std::move(whole)), walk(source) {}

    bool next(Value& item, Meter& meter);
    /// Null at the end.
    const Value* peek(Meter& meter);
    std::int64_t length(Meter& meter);
    bool has_changed(const std::vector<Value>& values, Meter& meter);

    Value source;
    Walk walk;
    std::int64_t index0 = -1;
    std::optional<std::int64_t> known_length{};
    std::optional<Value> after{};
    Value current{};
    Value before{};
    std::optional<std::vector<Value>> last_changed{};
};

Value loop_attribute(const Value& loop, std::string_view name, Meter& meter);
Value call_loop(const Value& loop, std::string_view name, const Arguments& arguments, Meter& meter);

}  // namespace cadre::text::tpl
