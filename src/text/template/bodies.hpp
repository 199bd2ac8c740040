// What the kinds of Value hold.
#pragma once

#include "text/template/value.hpp"

#include <memory>
#include <string>
#include <vector>

namespace cadre::text::tpl {

class Meter;
using Kind = Value::Kind;

struct TextBody : Value::Body {
    explicit TextBody(std::string bytes) : text(std::move(bytes)) {}
    std::string text;
};

struct ListBody : Value::Body {
    explicit ListBody(std::vector<Value> values);
    std::vector<Value> items;
    bool group = false;  // a tuple of groupby, whose parts are `grouper` and `list`
};

struct DictBody : Value::Body {
    DictBody(std::vector<Value::Entry> all, Meter& meter);
    /// Fails for a key that cannot be hashed.
    const Value* find(const Value& key, Meter& meter) const;
    const Value* find(std::string_view key) const;

    std::vector<Value::Entry> entries;

private:
    template <class Same>
    const Value::Entry* look_up(std::size_t hash, Same same) const;

    std::vector<std::uint32_t> slots_{};  // places of entries + 1 by hash, once there are many
};

struct RangeBody : Value::Body {
    std::int64_t start = 0;
    std::int64_t stop = 0;
    std::int64_t step = 1;
    std::int64_t length() const;
};

struct ViewBody : Value::Body {
    enum class Part { keys, values, items };
    ViewBody(Value whole, Part which) : dict(std::move(whole)), part(which) { depth = dict.depth(); }
    Value item(const Value::Entry& entry) const;

    Value dict;
    Part part;
};

/// A generator: gives its items one by one, once.
struct IteratorBody : Value::Body {
    virtual bool next(Value& item, Meter& meter) = 0;
};

/// What is missing: a name (no owner), an entry of a dict, or what `name` says in words. The sentence is made when somebody uses it.
struct UndefinedBody : Value::Body {
    enum class What { name, entry, sentence };
    UndefinedBody(What kind, std::string called, Value of = {})
        : what(kind), name(std::move(called)), owner(std::move(of))
    {}
    What what;
    std::string name;
    Value owner;
    const void* unit = nullptr;  // where it came up, once an Evaluator has seen it
    std::uint32_t at = 0;
};

inline constexpr std::uint16_t kMaxDepth = 100;

template <class T>
const T& body_of(const Value& value)
{
    return static_cast<const T&>(value.body());
}

Value markup_of(std::string text);
Value tuple_of(std::vector<Value> items);
Value dict_of(std::vector<Value::Entry> entries, Meter& meter);
Value undefined_of(std::string why);
Value undefined_name(std::string name);
Value undefined_entry(const Value& owner, std::string name);
/// What an `if` without `else` gives: empty text, false, nothing to loop over.
Value lenient_undefined(std::string why);
Value view_of(const Value& dict, ViewBody::Part part);
Value range_of(std::int64_t start, std::int64_t stop, std::int64_t step);

inline bool is_undefined(const Value& value)
{
    return value.is(Value::Kind::undefined);
}
inline bool is_text(const Value& value)
{
    return value.is(Value::Kind::string);
}
inline bool is_sequence(const Value& value)
{
    return value.is(Value::Kind::list) || value.is(Value::Kind::tuple);
}
/// bool, int: what Python's int() and indexes take as they are.
inline bool is_integral(const Value& value)
{
    return value.is(Value::Kind::integer) || value.is(Value::Kind::boolean);
}
inline std::int64_t integral(const Value& value)
{
    return value.is(Value::Kind::boolean) ? value.boolean() : value.integer();
}
inline bool is_number(const Value& value)
{
    return is_integral(value) || value.is(Value::Kind::number);
}
inline double as_double(const Value& value)
{
    return value.is(Value::Kind::number) ? value.number() : static_cast<double>(integral(value));
}

}  // namespace cadre::text::tpl
