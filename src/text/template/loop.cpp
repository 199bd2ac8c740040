#include "text/template/loop.hpp"

#include "base/error.hpp"
#include "text/template/arguments.hpp"
#include "text/template/compare.hpp"
#include "text/template/meter.hpp"

#include <fmt/core.h>

namespace cadre::text::tpl {

bool LoopBody::next(Value& item, Meter& meter)
{
    if (after) item = std::move(*std::exchange(after, std::nullopt));
    else if (!walk.next(item, meter)) return false;
    ++index0;
    before = std::exchange(current, item);
    return true;
}

const Value* LoopBody::peek(Meter& meter)
{
    Value item;
    if (!after && walk.next(item, meter)) after = std::move(item);
    return after ? &*after : nullptr;
}

std::int64_t LoopBody::length(Meter& meter)
{
    if (known_length) return *known_length;
    known_length = find_length(source);
    if (!known_length) {  // read it to its end, and go on from what was read
        std::vector<Value> rest;
        for (Value item; walk.next(item, meter);) rest.push_back(std::move(item));
        known_length = static_cast<std::int64_t>(rest.size()) + index0 + 1 + (after ? 1 : 0);
        walk = Walk(Value::list(std::move(rest)));
    }
    return *known_length;
}

bool LoopBody::has_changed(const std::vector<Value>& values, Meter& meter)
{
    bool same = last_changed && last_changed->size() == values.size();
    for (std::size_t i = 0; same && i < values.size(); ++i) same = equal((*last_changed)[i], values[i], meter);
    if (!same) last_changed = values;
    return !same;
}

Value loop_attribute(const Value& value, std::string_view name, Meter& meter)
{
    auto& loop = static_cast<LoopBody&>(value.body());
    if (name == "index") return loop.index0 + 1;
    if (name == "index0") return loop.index0;
    if (name == "first") return loop.index0 == 0;
    if (name == "last") return loop.peek(meter) == nullptr;
    if (name == "length") return loop.length(meter);
    if (name == "revindex") return loop.length(meter) - loop.index0;
    if (name == "revindex0") return loop.length(meter) - loop.index0 - 1;
    if (name == "depth") return 1;
    if (name == "depth0") return 0;
    if (name == "previtem") return loop.index0 == 0 ? undefined_of("there is no previous item") : loop.before;
    if (name == "nextitem") {
        const Value* next = loop.peek(meter);
        return next ? *next : undefined_of("there is no next item");
    }
    if (name == "cycle" || name == "changed")
        throw Error(Code::invalid, fmt::format("loop.{} is a function: write loop.{}(…)", name, name));
    return undefined_of(fmt::format("loop has no {}", in_quotes(name)));
}

Value call_loop(const Value& value, std::string_view name, const Arguments& arguments, Meter& meter)
{
    auto& loop = static_cast<LoopBody&>(value.body());
    if (name != "cycle" && name != "changed")
        throw Error(Code::invalid, fmt::format("loop has no function {}", in_quotes(name)));
    if (!arguments.named.empty()) throw Error(Code::invalid, fmt::format("loop.{} takes no names", name));
    const std::vector<Value>& values = arguments.positional;
    if (name == "changed") return loop.has_changed(values, meter);
    if (values.empty()) throw Error(Code::invalid, "loop.cycle needs a value");
    return values[static_cast<std::size_t>(loop.index0) % values.size()];
}

}  // namespace cadre::text::tpl
