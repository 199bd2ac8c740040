#include "engine/body_field.hpp"

#include "engine/body_members.hpp"
#include "engine/tool_call.hpp"

#include <boost/json.hpp>

#include <algorithm>
#include <charconv>
#include <system_error>

namespace cadre::engine {

namespace {

/// Behind the string whose opening quote is at `at`; npos: it has no end.
std::size_t end_of_string(std::string_view text, std::size_t at)
{
    for (std::size_t quote = text.find('"', at + 1); quote != text.npos; quote = text.find('"', quote + 1)) {
        std::size_t backslashes = 0;
        while (text[quote - 1 - backslashes] == '\\') ++backslashes;
        if (backslashes % 2 == 0) return quote + 1;
    }
    return text.npos;
}

/// Behind the value that begins at `at`; npos: it has no end. Whether it is JSON all through is not looked at.
std::size_t end_of_value(std::string_view text, std::size_t at)
{
    if (at >= text.size()) return text.npos;
    if (text[at] == '"') return end_of_string(text, at);
    int depth = 0;
    while (at < text.size()) {
        switch (text[at]) {
        case '"':
            at = end_of_string(text, at);
            if (at == text.npos) return at;
            continue;
        case '{':
        case '[': ++depth; break;
        case ',':
            if (depth == 0) return at;
            break;
        case '}':
        case ']':
            if (depth == 0) return at;
            if (--depth == 0) return at + 1;
            break;
        default: break;
        }
        ++at;
    }
    return text.npos;
}

bool is_space(char c)
{
    return c == ' ' || c == '\n' || c == '\t' || c == '\r';
}

std::string string_in(std::string_view json)
{
    if (!json.starts_with('"')) return {};
    if (json.find('\\') == json.npos) return std::string(json.substr(1, json.size() - 2));
    const json::value value = parse_json(json, kBodyLimits);
    return value.is_string() ? std::string(value.get_string()) : std::string();
}

/// Like MemberTaker, for what has no lazy members.
template <class Take>
void for_each_member(std::string_view json, Take take)
{
    MemberCursor member(json);
    while (member.next()) take(member.name(), member.json());
    if (!member.is_whole()) throw Error(Code::malformed, "it is not an object");
}

}  // namespace

thread_local bool ReadStrictly::is_on_ = false;

void throw_unreadable(const storage::Record& record, std::string_view why)
{
    throw Error(Code::unavailable, "record " + std::to_string(record.seq) + " of task " + to_string(record.task) +
                                       " cannot be read: " + std::string(why));
}

// ---- members ----

MemberCursor::MemberCursor(std::string_view text) : text_(text)
{
    skip_space();
    if (at_ >= text_.size() || text_[at_] != '{') return;
    ++at_;
    skip_space();
    is_open_ = !take_end();
}

void MemberCursor::skip_space()
{
    while (at_ < text_.size() && is_space(text_[at_])) ++at_;
}

/// The object's end, behind which there must be nothing.
bool MemberCursor::take_end()
{
    if (at_ >= text_.size() || text_[at_] != '}') return false;
    ++at_;
    skip_space();
    is_whole_ = at_ == text_.size();
    return true;
}

bool MemberCursor::next()
{
    if (!std::exchange(is_open_, false) || at_ >= text_.size() || text_[at_] != '"') return false;
    const std::size_t name_end = end_of_string(text_, at_);
    if (name_end == text_.npos) return false;
    name_ = text_.substr(at_ + 1, name_end - at_ - 2);
    if (name_.find('\\') != name_.npos) {
        try {
            unescaped_ = string_in(text_.substr(at_, name_end - at_));
        } catch (const Error&) {
            return false;
        }
        name_ = unescaped_;
    }
    at_ = name_end;
    skip_space();
    if (at_ >= text_.size() || text_[at_] != ':') return false;
    ++at_;
    skip_space();
    const std::size_t end = end_of_value(text_, at_);
    if (end == text_.npos) return false;
    json_ = text_.substr(at_, end - at_);
    while (!json_.empty() && is_space(json_.back())) json_.remove_suffix(1);
    if (json_.empty()) return false;
    at_ = end;
    skip_space();
    if (at_ < text_.size() && text_[at_] == ',') {
        ++at_;
        skip_space();
        is_open_ = true;  // and if nothing follows, next() says so
        return true;
    }
    return take_end();
}

std::int64_t integer_in(std::string_view json)
{
    std::int64_t number = 0;
    const char* last = json.data() + json.size();
    const auto [end, problem] = std::from_chars(json.data(), last, number);
    return end == last && problem == std::errc() ? number : 0;
}

double decimal_in(std::string_view json)
{
    double number = 0;
    const char* last = json.data() + json.size();
    const auto [end, problem] = std::from_chars(json.data(), last, number);
    return end == last && problem == std::errc() ? number : 0;
}

std::string Text::str() const
{
    if (!record_) return std::string(view_);
    try {
        return string_in(view_);
    } catch (const Error& error) {
        throw_unreadable(*record_, error.what());
    }
}

json::value json_in(std::string_view text, const storage::Record& record)
{
    try {
        return text.empty() ? json::value() : parse_json(text, kBodyLimits);
    } catch (const Error& error) {
        throw_unreadable(record, error.what());
    }
}

// ---- values ----

void decode(std::string_view json, llm::Usage& usage)
{
    // what cannot be true is cut down, so that sums of it do not overflow
    static constexpr std::int64_t kMostTokens = 1'000'000'000'000;
    const auto tokens = [](std::string_view text) { return std::clamp(integer_in(text), -kMostTokens, kMostTokens); };
    for_each_member(json, [&](std::string_view name, std::string_view value) {
        if (name == "input") usage.input = tokens(value);
        else if (name == "output") usage.output = tokens(value);
        else if (name == "cached") usage.cached = tokens(value);
        else if (name == "reasoning") usage.reasoning = tokens(value);
        else if (name == "cost") usage.cost = decimal_in(value);
        else if (name == "estimated") usage.estimated = value == "true";
        else if (name == "unpriced") usage.unpriced = value == "true";
    });
}

void encode(std::string& out, const llm::Usage& usage)
{
    out += '{';
    MemberWriter member(out, true);
    member("input", usage.input);
    member("output", usage.output);
    if (usage.cached) member("cached", usage.cached);
    if (usage.reasoning) member("reasoning", usage.reasoning);
    if (usage.cost != 0) member("cost", std::optional(usage.cost));
    member("estimated", usage.estimated);
    member("unpriced", usage.unpriced);
    out += '}';
}

void decode(std::string_view json, RecordedError& error)
{
    for_each_member(json, [&](std::string_view name, std::string_view value) {
        if (name == "code") error.code = string_in(value);
        else if (name == "message") error.message = string_in(value);
    });
}

void encode(std::string& out, const RecordedError& error)
{
    JsonWriter(out).begin_object().field("code", error.code).field("message", error.message).end_object();
}

void decode(std::string_view json, ResourceUsage& usage)
{
    for_each_member(json, [&](std::string_view name, std::string_view value) {
        if (name == "output_bytes") usage.output_bytes = integer_in(value);
        else if (name == "cpu_ms") usage.cpu_ms = integer_in(value);
        else if (name == "peak_memory_bytes") usage.peak_memory_bytes = integer_in(value);
    });
}

void encode(std::string& out, const ResourceUsage& usage)
{
    out += '{';
    MemberWriter member(out, true);
    member("output_bytes", usage.output_bytes);
    member("cpu_ms", usage.cpu_ms);
    member("peak_memory_bytes", usage.peak_memory_bytes);
    out += '}';
}

void decode(std::string_view json, std::vector<tools::Media>& images)
{
    const json::value list = parse_json(json, kBodyLimits);
    for (const json::value& item : list.as_array()) {
        const auto text = [&](std::string_view name) {
            const auto* value = item.as_object().if_contains(name);
            return value && value->is_string() ? std::string(value->get_string()) : std::string();
        };
        images.push_back({.mime_type = text("mime_type"), .base64 = text("base64")});
    }
}

void encode(std::string& out, const std::vector<tools::Media>& images)
{
    JsonWriter json(out);
    json.begin_array();
    for (const tools::Media& image : images)
        json.begin_object().field("mime_type", image.mime_type).field("base64", image.base64).end_object();
    json.end_array();
}

void decode(std::string_view json, std::vector<std::uint32_t>& numbers)
{
    const json::value list = parse_json(json, kBodyLimits);
    for (const json::value& number : list.as_array()) numbers.push_back(number.to_number<std::uint32_t>());
}

void encode(std::string& out, const std::vector<std::uint32_t>& numbers)
{
    JsonWriter json(out);
    json.begin_array();
    for (const std::uint32_t number : numbers) json.value(number);
    json.end_array();
}

void encode(std::string& out, const model::ToolCall& call)
{
    append_call(out, call);
}

void encode(std::string& out, const std::vector<model::ToolCall>& calls)
{
    append_calls(out, calls);
}

}  // namespace cadre::engine
