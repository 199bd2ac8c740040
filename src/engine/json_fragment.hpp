// Appends `"name":value` pairs to a text that will stand inside an object: bodies of records are put together from such.
#pragma once

#include "base/json_writer.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace cadre::engine {

class JsonFragment {
public:
    explicit JsonFragment(std::string& out) : out_(out) {}

    JsonFragment& field(std::string_view name, std::string_view text)
    {
        append_json_string(key(name), text);
        return *this;
    }
    JsonFragment& field(std::string_view name, std::int64_t number)
    {
        append_json_number(key(name), number);
        return *this;
    }
    JsonFragment& field(std::string_view name, const std::vector<std::uint32_t>& numbers)
    {
        std::string& out = key(name) += '[';
        for (const std::uint32_t number : numbers) {
            if (out.back() != '[') out += ',';
            append_json_number(out, std::int64_t{number});
        }
        out += ']';
        return *this;
    }
    /// Text that is JSON already.
    JsonFragment& raw(std::string_view name, std::string_view json)
    {
        key(name) += json;
        return *this;
    }

    /// The text behind which the caller appends the value. `name` needs no escapes.
    std::string& key(std::string_view name)
    {
        if (!out_.empty()) out_ += ',';
        return (((out_ += '"') += name) += R"(":)");
    }

private:
    std::string& out_;
};

}  // namespace cadre::engine
