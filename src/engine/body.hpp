// Reading the JSON bodies of records: one place that knows how to complain about a damaged one.
#pragma once

#include "base/error.hpp"
#include "base/json.hpp"
#include "model/read.hpp"
#include "storage/record.hpp"

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cadre::engine {

/// A record's body. A body was written by us and its chain was checked, so what cannot be read is damage or a newer release:
/// Error(unavailable) names task and record. Its members are found in the text when the first one is asked for, and read one by
/// one: journals are read again and again, and each time for other members.
class Body {
public:
    /// The record outlives it.
    explicit Body(const storage::Record& record) : record_(&record) {}
    explicit Body(boost::json::object object) : is_taken_apart_(true), object_(std::move(object)) {}
    Body(const Body&) = delete;
    Body& operator=(const Body&) = delete;

    bool has(std::string_view name) const { return member(name) || (object_ && object_->contains(name)); }
    /// Empty, 0 or null when there is none of that type.
    std::string text(std::string_view name) const;
    std::int64_t number(std::string_view name) const;
    double decimal(std::string_view name) const;
    bool flag(std::string_view name) const;
    Time time(std::string_view name) const;
    const boost::json::value* find(std::string_view name) const;
    const boost::json::object& object() const;

    /// Reads a described struct from the field `name`.
    template <class T>
    T read(std::string_view name) const
    {
        // a newer release may have added fields
        const auto* value = find(name);
        return value ? model::from_json<T>(*value, {.ignore_unknown = true}) : T{};
    }

private:
    struct Member {
        std::string_view name;
        std::string_view text;                      // JSON
        std::optional<boost::json::value> value{};  // once it was asked for
    };

    void take_apart() const;
    Member* member(std::string_view name) const;
    boost::json::value parsed(std::string_view text) const;

    const storage::Record* record_ = nullptr;
    mutable bool is_taken_apart_ = false;
    mutable std::vector<Member> members_;
    mutable std::optional<boost::json::object> object_;  // the whole, where it was given or asked for
};

/// `{"code":…,"message":…}` of a recorded failure, thrown as the same Error; nothing when there is no `error`.
void throw_recorded_error(const Body& body);
/// Appends `"error":{"code":…,"message":…}`.
void append_error(std::string& out, Code code, std::string_view message);

}  // namespace cadre::engine
