#include "base/error.hpp"
#include "text/template/bodies.hpp"
#include "text/template/compare.hpp"
#include "text/template/evaluator.hpp"
#include "text/template/iterate.hpp"
#include "text/template/loop.hpp"
#include "text/template/print.hpp"

#include <fmt/core.h>

namespace cadre::text::tpl {

void Evaluator::append(std::string& out, std::string_view text)
{
    Meter::check_text(out.size() + text.size());
    out += text;
}

void Evaluator::run(const std::vector<Node>& body, std::string& out)
{
    for (const Node& node : body) run(node, out);
}

void Evaluator::run(const Node& node, std::string& out)
{
    meter_.charge();
    switch (node.kind) {
    case Node::Kind::text:
        at_ = node.at;
        append(out, node.text);
        return;
    case Node::Kind::output: {
        const Value value = eval(node.exprs[0]);
        at_ = node.at;
        append_text(out, value, meter_);
        return;
    }
    case Node::Kind::condition: run_condition(node, out); return;
    case Node::Kind::loop: run_loop(node, out); return;
    case Node::Kind::set: assign(node.targets[0], eval(node.exprs[0])); return;
    case Node::Kind::set_block: assign(node.targets[0], captured(node)); return;
    case Node::Kind::with: run_with(node, out); return;
    case Node::Kind::filter_block: {
        const Value value = captured(node);
        at_ = node.at;
        if (!is_text(value))
            throw Error(Code::invalid, fmt::format("the filters of a block give a text, not a {}; |string makes one",
                                                   type_name(value)));
        append(out, value.text());
        return;
    }
    case Node::Kind::include: run_include(node, out); return;
    }
}

void Evaluator::run_condition(const Node& node, std::string& out)
{
    for (std::size_t i = 0; i < node.exprs.size(); ++i)
        if (test(node.exprs[i])) return run(node.bodies[i], out);
    if (node.bodies.size() > node.exprs.size()) run(node.bodies.back(), out);
}

void Evaluator::run_loop(const Node& node, std::string& out)
{
    Value items = eval(node.exprs[0]);
    at_ = node.exprs[0].at;
    if (node.exprs.size() > 1) items = selected_items(node, items);
    const Value loop(Kind::loop, new LoopBody(std::move(items)));
    auto& state = static_cast<LoopBody&>(loop.body());
    {
        Frame frame(*this);
        for (Value item; at_ = node.at, state.next(item, meter_);) {
            meter_.turn();
            frame.clear();
            assign(node.targets[0], item);
            if (node.uses_loop) set_local(program_.loop, loop);
            run(node.bodies[0], out);
        }
    }
    if (state.index0 < 0 && node.bodies.size() > 1) {
        const Frame frame(*this);
        run(node.bodies[1], out);
    }
}

/// Those for which the loop's condition holds. What is spread over several names comes back as a tuple of them, as in Jinja.
Value Evaluator::selected_items(const Node& node, const Value& items)
{
    std::vector<Value> selected;
    Frame frame(*this);
    Iteration all(items, meter_);
    for (Value item; all.next(item);) {
        meter_.turn();
        frame.clear();
        assign(node.targets[0], item);
        if (test(node.exprs[1])) selected.push_back(node.targets[0].spread ? spread_again(node.targets[0]) : item);
    }
    // something without a length, as the generator is that Jinja goes over
    return Value::list(std::move(selected));
}

Value Evaluator::spread_again(const Target& target)
{
    if (!target.spread) return *find_name(target.id);
    std::vector<Value> parts;
    for (const Target& part : target.parts) parts.push_back(spread_again(part));
    return tuple_of(std::move(parts));
}

/// A body's text through the filters of its tag, which see what the body has set.
Value Evaluator::captured(const Node& node)
{
    std::string text;
    const Frame frame(*this);
    run(node.bodies[0], text);
    meter_.charge_bytes(text.size());
    Value value(std::move(text));
    return node.exprs.empty() ? value : eval_chain(node.exprs[0], std::move(value), 1);
}

void Evaluator::run_with(const Node& node, std::string& out)
{
    const std::vector<Value> values = eval_all(node.exprs);
    const Frame frame(*this);
    for (std::size_t i = 0; i < values.size(); ++i) assign(node.targets[i], values[i]);
    run(node.bodies[0], out);
}

void Evaluator::run_include(const Node& node, std::string& out)
{
    at_ = node.at;
    if (includes_ >= kMaxIncludeDepth)
        throw Error(Code::limit, fmt::format("includes are more than {} deep; {} may include itself", kMaxIncludeDepth,
                                             in_quotes(node.text)));
    const Unit* includer = unit_;
    const std::size_t visible = visible_;
    const bool isolated = isolated_;
    ++includes_;
    const Frame frame(*this);
    if (!node.with_context) {
        visible_ = locals_.size();
        isolated_ = true;
    }
    unit_ = program_.units[node.unit].get();
    run(unit_->body, out);
    unit_ = includer;
    visible_ = visible;
    isolated_ = isolated;
    --includes_;
}

void Evaluator::assign(const Target& target, const Value& value)
{
    if (!target.spread) return set_local(target.id, value);
    at_ = target.at;
    std::vector<Value> parts;
    Iteration all(value, meter_);
    for (Value item; all.next(item);) {
        parts.push_back(std::move(item));
        if (parts.size() > target.parts.size()) break;
    }
    if (parts.size() != target.parts.size())
        throw Error(Code::invalid,
                    fmt::format("{} values are needed for {} names",
                                parts.size() > target.parts.size() ? "fewer" : "more", target.parts.size()));
    for (std::size_t i = 0; i < parts.size(); ++i) assign(target.parts[i], parts[i]);
}

void Evaluator::set_local(NameId id, Value value)
{
    for (std::size_t i = frame_; i < locals_.size(); ++i) {
        if (locals_[i].id != id) continue;
        locals_[i].value = std::move(value);
        return;
    }
    locals_.push_back({id, std::move(value)});
}

}  // namespace cadre::text::tpl
