// Bodies as text: what finds the members of one, and what writes them. A struct says by `members` which ones it has, and in which
// order they stand.
#pragma once

#include "base/json_writer.hpp"
#include "engine/body_field.hpp"

#include <array>
#include <cassert>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace cadre::engine {

/// Goes through the members of a JSON object without reading their values. Whether those are JSON all through is not looked at.
class MemberCursor {
public:
    explicit MemberCursor(std::string_view text);

    /// False: there are no more, or the text is not an object.
    bool next();
    std::string_view name() const { return name_; }
    std::string_view json() const { return json_; }
    /// Whether next() came to the end of the text and of the object at once.
    bool is_whole() const { return is_whole_; }

private:
    void skip_space();
    bool take_end();

    std::string_view text_;
    std::size_t at_ = 0;
    std::string_view name_;
    std::string_view json_;
    std::string unescaped_;  // the name, where others have spelled it
    bool is_open_ = false;   // a member may follow
    bool is_whole_ = false;
};

std::int64_t integer_in(std::string_view json);  // 0: it is not one
double decimal_in(std::string_view json);

/// Puts one member of a text where a struct has it.
class MemberTaker {
public:
    MemberTaker(const MemberCursor& member, const storage::Record& record) : member_(member), record_(record) {}

    void operator()(std::string_view name, Text& member)
    {
        if (is(name)) member = Text(member_.json(), record_);
    }
    void operator()(std::string_view name, RawJson& member)
    {
        if (is(name)) member = {member_.json()};
    }
    void operator()(std::string_view name, bool& member)
    {
        if (is(name)) member = member_.json() == "true";
    }
    void operator()(std::string_view name, std::int64_t& member)
    {
        if (is(name)) member = integer_in(member_.json());
    }
    void operator()(std::string_view name, std::optional<std::int64_t>& member)
    {
        if (is(name)) member = integer_in(member_.json());
    }
    void operator()(std::string_view name, std::optional<double>& member)
    {
        if (is(name)) member = decimal_in(member_.json());
    }
    template <class Value>
    void operator()(std::string_view name, Lazy<Value>& member)
    {
        if (is(name)) member = Lazy<Value>(member_.json(), record_);
    }

private:
    bool is(std::string_view name) const { return member_.name() == name; }

    const MemberCursor& member_;
    const storage::Record& record_;
};

/// Appends members behind others: `"agent":"x","nth":1`. What is not set is left out, and so is what is false.
class MemberWriter {
public:
    /// `first`: nothing of the object stands in `out` yet.
    MemberWriter(std::string& out, bool first) : out_(out), first_(first) {}

    void operator()(std::string_view name, const Text& member)
    {
        if (member.is_set()) member.append_to(key(name));
    }
    void operator()(std::string_view name, const RawJson& member)
    {
        if (member.is_set()) key(name) += member.text;
    }
    void operator()(std::string_view name, bool member)
    {
        if (member) key(name) += "true";
    }
    void operator()(std::string_view name, std::int64_t member) { append_json_number(key(name), member); }
    void operator()(std::string_view name, const std::optional<std::int64_t>& member)
    {
        if (member) append_json_number(key(name), *member);
    }
    void operator()(std::string_view name, const std::optional<double>& member)
    {
        if (member) append_json_number(key(name), *member);
    }
    template <class Value>
    void operator()(std::string_view name, const Lazy<Value>& member)
    {
        if (member.is_set()) member.append_to(key(name));
    }

private:
    /// `,"name":` in one piece: a record has many, and names are short.
    std::string& key(std::string_view name)
    {
        assert(name.size() <= kLongestName);
        std::array<char, kLongestName + 4> text;
        std::size_t size = 0;
        if (!std::exchange(first_, false)) text[size++] = ',';
        text[size++] = '"';
        size += name.copy(text.data() + size, kLongestName);
        text[size++] = '"';
        text[size++] = ':';
        return out_.append(text.data(), size);
    }

    static constexpr std::size_t kLongestName = 28;

    std::string& out_;
    bool first_;
};

/// Asks all that can be asked of a body, so that whatever cannot be read complains.
class MemberReader {
public:
    template <class Value>
    void operator()(std::string_view, const Lazy<Value>& member) const
    {
        if (member.is_set()) member.get();
    }
    void operator()(std::string_view, const Text& member) const
    {
        if (member.is_set()) member.str();
    }
    template <class Other>
    void operator()(std::string_view, const Other&) const
    {}
};

/// Appends the members of `body` to a text that will stand inside an object, behind what is there.
template <class Body>
void append_members(std::string& out, const Body& body)
{
    Body::members(body, MemberWriter(out, out.empty()));
}

}  // namespace cadre::engine
