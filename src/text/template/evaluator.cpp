#include "text/template/evaluator.hpp"

#include "base/error.hpp"
#include "base/suggest.hpp"
#include "text/template/access.hpp"
#include "text/template/bodies.hpp"
#include "text/template/compare.hpp"
#include "text/template/filters.hpp"
#include "text/template/iterate.hpp"
#include "text/template/print.hpp"

#include <fmt/core.h>

#include <cmath>

namespace cadre::text::tpl {

Evaluator::Evaluator(const Program& program, const Scope& scope)
    : program_(program),
      scope_(scope),
      unit_(program.units[0].get()),
      found_(program.names.size()),
      looked_up_(program.names.size())
{}

/// Failures of values and filters know no place; it is where we are.
template <class Work>
auto Evaluator::guarded(Work work)
{
    try {
        return work();
    } catch (const TemplateError&) {
        throw;
    } catch (const UndefinedUsed& error) {
        const auto& body = body_of<UndefinedBody>(error.value());
        const auto near = body.what == UndefinedBody::What::name ? nearest(body.name, scope_.names()) : std::nullopt;
        throw unit_->error(error.code(), body.unit == unit_ ? body.at : at_,
                           error.what() + (near ? ", did you mean " + in_quotes(*near) + "?" : ""));
    } catch (const Error& error) {
        throw unit_->error(error.code(), at_, error.what());
    }
}

std::string Evaluator::render()
{
    return guarded([this] {
        std::string out;
        run(unit_->body, out);
        return out;
    });
}

Value Evaluator::result()
{
    Value value = eval(unit_->expression[0]);
    if (is_undefined(value)) fail_undefined(value);
    return value;
}

Value Evaluator::evaluate()
{
    return guarded([this] { return plain(result()); });
}

bool Evaluator::truth()
{
    return guarded([this] { return test(unit_->expression[0]); });
}

std::string Evaluator::repr()
{
    return guarded([this] {
        std::string out;
        append_repr(out, result(), meter_);
        return out;
    });
}

/// Without what exists only inside a template.
Value Evaluator::plain(const Value& value)
{
    meter_.charge();
    switch (value.kind()) {
    case Kind::string: return value.special() ? Value(value.text()) : value;
    case Kind::dict: {
        std::vector<Value::Entry> entries;
        for (const Value::Entry& entry : value.entries()) entries.push_back({plain(entry.key), plain(entry.value)});
        return dict_of(std::move(entries), meter_);
    }
    case Kind::list:
    case Kind::tuple:
    case Kind::range:
    case Kind::view:
    case Kind::iterator: {
        std::vector<Value> items;
        Iteration all(value, meter_);
        for (Value item; all.next(item);) items.push_back(plain(item));
        return Value::list(std::move(items));
    }
    case Kind::undefined: fail_undefined(value);
    case Kind::loop: throw Error(Code::invalid, "loop is not a result");
    default: return value;
    }
}

Value Evaluator::eval(const Expr& expr)
{
    meter_.charge();
    switch (expr.kind) {
    case Expr::Kind::constant: return expr.constant;
    case Expr::Kind::name: return eval_name(expr);
    case Expr::Kind::list: return Value::list(eval_all(expr.items));
    case Expr::Kind::tuple: return tuple_of(eval_all(expr.items));
    case Expr::Kind::dict: return eval_dict(expr);
    case Expr::Kind::chain:
        return is_range_call(expr) ? eval_chain(expr, call_range(eval_arguments(expr.items[1])), 2)
                                   : eval_chain(expr, eval(expr.items[0]), 1);
    case Expr::Kind::arithmetic: return eval_arithmetic(expr);
    case Expr::Kind::concat: return eval_concat(expr);
    case Expr::Kind::comparison: return eval_comparison(expr);
    case Expr::Kind::conditional: return eval_conditional(expr);
    case Expr::Kind::negation: return !test(expr.items[0]);
    case Expr::Kind::negate:
    case Expr::Kind::plus: {
        const Value value = eval(expr.items[0]);
        at_ = expr.at;
        return expr.kind == Expr::Kind::negate ? negated(value) : plus(value);
    }
    case Expr::Kind::conjunction:
    case Expr::Kind::disjunction:
        for (std::size_t i = 0; i + 1 < expr.items.size(); ++i) {
            Value value = eval(expr.items[i]);
            at_ = expr.items[i].at;
            if (tpl::truth(value) == (expr.kind == Expr::Kind::disjunction)) return value;
        }
        return eval(expr.items.back());
    default: return nullptr;  // steps stand in chains only
    }
}

bool Evaluator::test(const Expr& expr)
{
    const Value value = eval(expr);
    at_ = expr.at;
    return tpl::truth(value);
}

std::vector<Value> Evaluator::eval_all(const std::vector<Expr>& exprs)
{
    std::vector<Value> values;
    values.reserve(exprs.size());
    for (const Expr& expr : exprs) values.push_back(eval(expr));
    return values;
}

const Value* Evaluator::find_name(NameId id)
{
    if (program_.names[id].assigned)
        for (std::size_t i = locals_.size(); i-- > visible_;)
            if (locals_[i].id == id) return &locals_[i].value;
    if (isolated_) return nullptr;
    if (!looked_up_[id]) {
        found_[id] = scope_.find(program_.names[id].text);
        looked_up_[id] = true;
    }
    return found_[id];
}

Value Evaluator::eval_name(const Expr& expr)
{
    at_ = expr.at;
    if (const Value* value = find_name(expr.id)) return *value;
    if (expr.name == "range") throw Error(Code::invalid, "range is a function: write range(…)");
    return located(undefined_name(expr.name), expr);
}

/// An undefined is a failure later, if at all; then this is the place to look at.
Value Evaluator::located(Value value, const Expr& expr) const
{
    if (!is_undefined(value)) return value;
    auto& body = static_cast<UndefinedBody&>(value.body());
    if (!body.unit) {
        body.unit = unit_;
        body.at = expr.at;
    }
    return value;
}

Value Evaluator::eval_dict(const Expr& expr)
{
    std::vector<Value::Entry> entries;
    for (std::size_t i = 0; i < expr.items.size(); i += 2) {
        Value key = eval(expr.items[i]);
        entries.push_back({std::move(key), eval(expr.items[i + 1])});
    }
    at_ = expr.at;
    return dict_of(std::move(entries), meter_);
}

Value Evaluator::eval_arithmetic(const Expr& expr)
{
    Value left = eval(expr.items[0]);
    for (std::size_t i = 0; i < expr.operators.size(); ++i) {
        const Value right = eval(expr.items[i + 1]);
        at_ = expr.at;
        meter_.charge();
        const bool power_first =
            expr.id == i + 1 && is_number(left) && std::signbit(as_double(left));  // see parse_power()
        left = power_first ? negated(apply(expr.operators[i], negated(left), right, meter_))
                           : apply(expr.operators[i], left, right, meter_);
    }
    return left;
}

Value Evaluator::eval_concat(const Expr& expr)
{
    std::string out;
    const std::vector<Value> values = eval_all(expr.items);
    at_ = expr.at;
    for (const Value& value : values) append_text(out, value, meter_);
    return out;
}

bool Evaluator::eval_comparison(const Expr& expr)
{
    Value left = eval(expr.items[0]);
    for (std::size_t i = 0; i < expr.comparisons.size(); ++i) {
        Value right = eval(expr.items[i + 1]);
        at_ = expr.at;
        bool holds = false;
        switch (expr.comparisons[i]) {
        case Comparison::equal: holds = equal(left, right, meter_); break;
        case Comparison::not_equal: holds = !equal(left, right, meter_); break;
        case Comparison::less: holds = ordered(Order::less, left, right, meter_); break;
        case Comparison::less_equal: holds = ordered(Order::less_equal, left, right, meter_); break;
        case Comparison::greater: holds = ordered(Order::greater, left, right, meter_); break;
        case Comparison::greater_equal: holds = ordered(Order::greater_equal, left, right, meter_); break;
        case Comparison::in: holds = contains(right, left, meter_); break;
        case Comparison::not_in: holds = !contains(right, left, meter_); break;
        }
        if (!holds) return false;
        left = std::move(right);
    }
    return true;
}

Value Evaluator::eval_conditional(const Expr& expr)
{
    if (test(expr.items[1])) return eval(expr.items[0]);
    if (expr.items.size() == 3) return eval(expr.items[2]);
    return lenient_undefined("an `if` that was false has no else");
}

/// `range(…)`, unless range is a name of somebody else's.
bool Evaluator::is_range_call(const Expr& chain)
{
    return chain.items[0].kind == Expr::Kind::name && chain.items[0].name == "range" &&
           chain.items[1].kind == Expr::Kind::call && !find_name(chain.items[0].id);
}

Value Evaluator::eval_chain(const Expr& chain, Value value, std::size_t first_step)
{
    for (std::size_t i = first_step; i < chain.items.size(); ++i) {
        const Expr& step = chain.items[i];
        const bool is_method = step.kind == Expr::Kind::attribute && i + 1 < chain.items.size() &&
                               chain.items[i + 1].kind == Expr::Kind::call;
        if (is_method) {
            const Arguments arguments = eval_arguments(chain.items[++i]);
            at_ = step.at;
            value = call_method(value, step.name, arguments, meter_);
        } else {
            value = located(eval_step(value, step), step);
        }
    }
    return value;
}

Value Evaluator::eval_step(const Value& value, const Expr& step)
{
    at_ = step.at;
    switch (step.kind) {
    case Expr::Kind::attribute: return attribute_of(value, step.name, meter_);
    case Expr::Kind::filter: return run_filter(value, step);
    case Expr::Kind::item: {
        const Value key = eval(step.items[0]);
        at_ = step.at;
        return item_of(value, key, meter_);
    }
    case Expr::Kind::slice: {
        const std::vector<Value> bounds = eval_all(step.items);
        at_ = step.at;
        return slice_of(value, bounds[0], bounds[1], bounds[2], meter_);
    }
    case Expr::Kind::test: {
        const Arguments arguments = eval_arguments(step);
        at_ = step.at;
        meter_.charge();
        return step.test->run(value, arguments, meter_) != step.negative;
    }
    default: break;
    }
    if (is_undefined(value)) fail_undefined(value);
    throw Error(Code::invalid, fmt::format("a {} is not a function", type_name(value)));
}

Arguments Evaluator::eval_arguments(const Expr& step)
{
    Arguments arguments;
    if (!step.arguments) return arguments;
    const CallArguments& given = *step.arguments;
    arguments.positional = eval_all(given.positional);
    for (std::size_t i = 0; i < given.names.size(); ++i)
        arguments.named.emplace_back(given.names[i], eval(given.named[i]));
    for (const Expr& list : given.list) {
        const Value values = eval(list);
        at_ = list.at;
        for (Value& value : items_of(values, meter_)) arguments.positional.push_back(std::move(value));
    }
    for (const Expr& dictionary : given.dictionary) {
        const Value values = eval(dictionary);
        at_ = dictionary.at;
        if (is_undefined(values)) fail_undefined(values);
        if (!values.is(Kind::dict))
            throw Error(Code::invalid, fmt::format("** needs a dict, not a {}", type_name(values)));
        for (const Value::Entry& entry : values.entries()) {
            if (!is_text(entry.key)) throw Error(Code::invalid, "** needs a dict whose keys are texts");
            for (const std::string& name : given.names)
                if (name == entry.key.text()) throw Error(Code::invalid, in_quotes(name) + " is given twice");
            arguments.named.emplace_back(entry.key.text(), entry.value);
        }
    }
    return arguments;
}

Value Evaluator::run_filter(const Value& value, const Expr& step)
{
    const Arguments arguments = eval_arguments(step);
    at_ = step.at;
    meter_.charge();
    return step.filter->run(value, arguments, meter_);
}

}  // namespace cadre::text::tpl
