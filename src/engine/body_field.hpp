// Members of a record's body: found in its text when the body is taken apart, and read when they are asked for. Journals are read
// again and again, each time for other members.
//
// A member that is to be written is somebody else's value, which outlives it: nothing is copied before it is text.
#pragma once

#include "base/error.hpp"
#include "base/json.hpp"
#include "base/json_writer.hpp"
#include "llm/model.hpp"
#include "model/part.hpp"
#include "model/read.hpp"
#include "model/write.hpp"
#include "storage/record.hpp"
#include "tools/tool.hpp"

#include <boost/json/fwd.hpp>

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace cadre::engine {

/// A body was written by us and its chain was checked, so what cannot be read is damage or a newer release: Error(unavailable).
[[noreturn]] void throw_unreadable(const storage::Record& record, std::string_view why);

/// JSON that stands in the record, for who shows what is there whatever it is; null for an empty text.
json::value json_in(std::string_view text, const storage::Record& record);

/// Text. Empty when there is none, or a value of another type.
class Text {
public:
    Text() = default;
    template <std::convertible_to<std::string_view> Plain>
    Text(const Plain& plain) : view_(plain), is_set_(true)
    {}
    /// As it stands in the body of `record`.
    Text(std::string_view json, const storage::Record& record) : view_(json), record_(&record), is_set_(true) {}

    static Text unless_empty(std::string_view plain) { return plain.empty() ? Text() : Text(plain); }

    bool is_set() const { return is_set_; }
    std::string str() const;
    void append_to(std::string& out) const
    {
        if (record_) append_json_string(out, str());
        else append_json_string(out, view_);
    }

private:
    std::string_view view_;
    const storage::Record* record_ = nullptr;  // null: the text itself, not JSON
    bool is_set_ = false;
};

/// Any JSON, as it stands there.
struct RawJson {
    std::string_view text{};

    bool is_set() const { return !text.empty(); }
};

/// What failed, as records say it.
struct RecordedError {
    std::string code{};
    std::string message{};
};

/// What a tool call took. Others may have written more, so who shows it takes the JSON.
struct ResourceUsage {
    std::int64_t output_bytes = 0;
    std::optional<std::int64_t> cpu_ms{};
    std::optional<std::int64_t> peak_memory_bytes{};
};

// How values are read and written that are described nowhere else, or often.
void decode(std::string_view json, llm::Usage& usage);
void decode(std::string_view json, RecordedError& error);
void decode(std::string_view json, ResourceUsage& usage);
void decode(std::string_view json, std::vector<tools::Media>& images);
void decode(std::string_view json, std::vector<std::uint32_t>& numbers);
void encode(std::string& out, const llm::Usage& usage);
void encode(std::string& out, const RecordedError& error);
void encode(std::string& out, const ResourceUsage& usage);
void encode(std::string& out, const std::vector<tools::Media>& images);
void encode(std::string& out, const std::vector<std::uint32_t>& numbers);
void encode(std::string& out, const model::ToolCall& call);
void encode(std::string& out, const std::vector<model::ToolCall>& calls);

inline constexpr JsonLimits kBodyLimits{.bytes = std::size_t{64} << 20, .depth = 128, .nodes = 10'000'000};

/// While one lives, values must keep the rules of their descriptions, as whoever writes them must. Else what stands in a journal counts,
/// whatever a clock or another release made of it: a task must not be lost by a number that is too small.
class ReadStrictly {
public:
    ReadStrictly() : before_(std::exchange(is_on_, true)) {}
    ReadStrictly(const ReadStrictly&) = delete;
    ReadStrictly& operator=(const ReadStrictly&) = delete;
    ~ReadStrictly() { is_on_ = before_; }
    static bool is_on() { return is_on_; }

private:
    static thread_local bool is_on_;
    bool before_;
};

template <class Value>
void decode(std::string_view json, Value& value)
{
    // a newer release may have added fields
    model::parse_into(json, &value, model::type_of<Value>(),
                      {.ignore_unknown = true, .stored = !ReadStrictly::is_on(), .limits = kBodyLimits});
}
template <class Value>
void encode(std::string& out, const Value& value)
{
    model::append_json(out, value);
}

/// A value that is read each time it is asked for.
template <class Value>
class Lazy {
public:
    Lazy() = default;
    Lazy(const Value& value) : value_(&value) {}
    Lazy(const Value&&) = delete;  // it would be gone before it is written
    Lazy(std::string_view json, const storage::Record& record) : json_(json), record_(&record) {}

    bool is_set() const { return value_ || record_; }
    /// Value{} when there is none. Throws Error(unavailable) when it is something else.
    Value get() const
    {
        if (value_) return *value_;
        Value value{};
        if (!record_) return value;
        try {
            decode(json_, value);
        } catch (const std::exception& error) {
            throw_unreadable(*record_, error.what());
        }
        return value;
    }
    std::optional<Value> find() const { return is_set() ? std::optional(get()) : std::nullopt; }
    void append_to(std::string& out) const
    {
        if (value_) encode(out, *value_);
        else encode(out, get());
    }
    /// As it stands in the record, with what a newer release may have added; null when it does not.
    json::value as_json() const { return record_ ? json_in(json_, *record_) : json::value(); }

private:
    const Value* value_ = nullptr;
    std::string_view json_;
    const storage::Record* record_ = nullptr;
};

/// What a record of its kind does not leave out.
template <class Value>
Value required(const Lazy<Value>& member, const storage::Record& record)
{
    if (!member.is_set()) throw_unreadable(record, "a member is missing that it must have");
    return member.get();
}

}  // namespace cadre::engine
