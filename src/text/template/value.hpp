// A value of the template language: what Python's None, bool, int, float, str, list and dict are, and what Jinja makes of them.
#pragma once

#include <boost/json/fwd.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace cadre::text {

/// Immutable and cheap to copy: what is large is shared. From any thread.
class Value {
public:
    enum class Kind : std::uint8_t {
        null,
        boolean,
        integer,
        number,
        string,
        list,
        dict,
        // only inside a template; evaluate() and to_json() make lists of those that hold something
        tuple,
        range,
        view,      // keys(), values(), items() of a dict
        iterator,  // what map, select and their like give: read once
        loop,
        undefined,
    };
    struct Entry;

    /// What is shared between copies; each kind has its own (bodies.hpp).
    struct Body {
        Body() = default;
        Body(const Body&) = delete;
        Body& operator=(const Body&) = delete;
        virtual ~Body() = default;

        mutable std::atomic<std::uint32_t> owners{1};
        std::uint16_t depth = 0;  // how many lists and dicts stand in each other, at most
    };

    Value() = default;  // null
    Value(std::nullptr_t) {}
    Value(bool flag) : kind_(Kind::boolean) { content_.flag = flag; }
    Value(int number) : Value(std::int64_t{number}) {}
    Value(std::int64_t number) : kind_(Kind::integer) { content_.integer = number; }
    Value(double number) : kind_(Kind::number) { content_.number = number; }
    Value(const char* text) : Value(std::string(text)) {}
    Value(std::string_view text) : Value(std::string(text)) {}
    Value(std::string text);
    Value(Kind kind, Body* body, bool special = false) : kind_(kind), special_(special) { content_.body = body; }

    static Value list(std::vector<Value> items);
    /// Of two equal keys the later one's value counts. Fails for a key that Python could not hash.
    static Value dict(std::vector<Entry> entries);

    Value(const Value& other) : kind_(other.kind_), special_(other.special_), content_(other.content_) { acquire(); }
    Value(Value&& other) noexcept : kind_(other.kind_), special_(other.special_), content_(other.content_)
    {
        other.kind_ = Kind::null;
    }
    Value& operator=(const Value& other)
    {
        if (this != &other) *this = Value(other);
        return *this;
    }
    Value& operator=(Value&& other) noexcept;
    ~Value()
    {
        if (is_shared()) release();
    }

    Kind kind() const { return kind_; }
    bool is(Kind kind) const { return kind_ == kind; }
    bool boolean() const { return content_.flag; }
    std::int64_t integer() const { return content_.integer; }
    double number() const { return content_.number; }
    /// Of a string.
    const std::string& text() const;
    /// Of a list or tuple.
    const std::vector<Value>& items() const;
    /// Of a dict, in the order they were put in.
    const std::vector<Entry>& entries() const;
    /// The entry of a dict, or null.
    const Value* find(std::string_view key) const;

    Body& body() const { return *content_.body; }
    /// Of a string: it is Markup, which escapes what is added to it. Of an undefined: Python's lenient one.
    bool special() const { return special_; }
    bool is_shared() const { return kind_ >= Kind::string; }
    std::uint16_t depth() const { return is_shared() ? content_.body->depth : std::uint16_t{0}; }

private:
    union Content {
        bool flag;
        std::int64_t integer;
        double number;
        Body* body;
    };

    void acquire() const
    {
        if (is_shared()) content_.body->owners.fetch_add(1, std::memory_order_relaxed);
    }
    void release();

    Kind kind_ = Kind::null;
    bool special_ = false;
    Content content_{.integer = 0};
};

struct Value::Entry {
    Value key{};
    Value value{};
};

/// Python's name of its type, for messages: "list", "NoneType".
std::string_view type_name(const Value& value);

/// As Python prints it: `True`, `1.0`, `['a']`. Fails for what has no text that means something: an undefined, an iterator.
std::string to_python_text(const Value& value);

/// Numbers beyond 64 bits, and texts that are not UTF-8, are refused.
Value from_json(const boost::json::value& json);
/// Tuples, ranges and views become lists, keys of dicts texts. Fails for an undefined, and for NaN and infinities.
boost::json::value to_json(const Value& value);

}  // namespace cadre::text
