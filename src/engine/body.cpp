#include "engine/body.hpp"

#include "base/json_writer.hpp"

#include <boost/json.hpp>

#include <charconv>
#include <system_error>

namespace cadre::engine {

namespace {

constexpr JsonLimits kBodyLimits{.bytes = std::size_t{64} << 20, .depth = 128, .nodes = 10'000'000};
constexpr std::size_t kUsualMembers = 16;

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

}  // namespace

/// Our own compact form is taken apart here; whatever does not look like it is left to the parser.
void Body::take_apart() const
{
    const std::string_view text = record_->body;
    members_.reserve(kUsualMembers);
    std::size_t at = 1;
    bool whole = text == "{}";
    while (!whole && text.starts_with('{') && at < text.size() && text[at] == '"') {
        const std::size_t name_end = end_of_string(text, at);
        if (name_end >= text.size() || text[name_end] != ':') break;
        const std::size_t end = end_of_value(text, name_end + 1);
        if (end >= text.size() || end == name_end + 1) break;
        const std::string_view name = text.substr(at + 1, name_end - at - 2);
        if (name.find('\\') != name.npos) break;
        members_.push_back({name, text.substr(name_end + 1, end - name_end - 1)});
        at = end + 1;
        whole = text[end] == '}' && at == text.size();
        if (text[end] != ',') break;
    }
    if (!whole) {
        members_.clear();
        object();
    }
    is_taken_apart_ = true;  // last: a damaged one complains whenever it is asked
}

Body::Member* Body::member(std::string_view name) const
{
    if (!is_taken_apart_) take_apart();
    for (Member& member : members_)
        if (member.name == name) return &member;
    return nullptr;
}

boost::json::value Body::parsed(std::string_view text) const
{
    try {
        return parse_json(text, kBodyLimits);
    } catch (const std::exception& error) {
        throw Error(Code::unavailable, "record " + std::to_string(record_->seq) + " of task " +
                                           to_string(record_->task) + " cannot be read: " + error.what());
    }
}

const boost::json::value* Body::find(std::string_view name) const
{
    Member* found = member(name);
    if (!found) return object_ ? object_->if_contains(name) : nullptr;
    if (!found->value) found->value = parsed(found->text);
    return &*found->value;
}

const boost::json::object& Body::object() const
{
    if (object_) return *object_;
    boost::json::value value = parsed(record_->body);
    if (!value.is_object())
        throw Error(Code::unavailable, "record " + std::to_string(record_->seq) + " of task " +
                                           to_string(record_->task) + " cannot be read: it is no object");
    return object_.emplace(std::move(value.get_object()));
}

std::string Body::text(std::string_view name) const
{
    const Member* found = member(name);
    if (found && !found->text.starts_with('"')) return {};
    if (found && found->text.find('\\') == std::string_view::npos)
        return std::string(found->text.substr(1, found->text.size() - 2));
    const auto* value = find(name);
    return value && value->is_string() ? std::string(value->get_string()) : std::string();
}

std::int64_t Body::number(std::string_view name) const
{
    if (const Member* found = member(name)) {
        std::int64_t number = 0;
        const char* last = found->text.data() + found->text.size();
        const auto [end, problem] = std::from_chars(found->text.data(), last, number);
        return end == last && problem == std::errc() ? number : 0;
    }
    const auto* value = find(name);
    return value && value->is_int64() ? value->get_int64() : 0;
}

double Body::decimal(std::string_view name) const
{
    const auto* value = find(name);
    return value && value->is_number() ? value->to_number<double>() : 0;
}

bool Body::flag(std::string_view name) const
{
    if (const Member* found = member(name)) return found->text == "true";
    const auto* value = find(name);
    return value && value->is_bool() && value->get_bool();
}

Time Body::time(std::string_view name) const
{
    return time_from_iso(text(name));
}

void throw_recorded_error(const Body& body)
{
    const auto* error = body.find("error");
    if (!error || !error->is_object()) return;
    const auto text = [&](std::string_view name) {
        const auto* value = error->get_object().if_contains(name);
        return value && value->is_string() ? std::string(value->get_string()) : std::string();
    };
    throw Error(code_of(text("code")), text("message"));
}

void append_error(std::string& out, Code code, std::string_view message)
{
    out += R"("error":{"code":)";
    append_json_string(out, name_of(code));
    out += R"(,"message":)";
    append_json_string(out, message);
    out += '}';
}

}  // namespace cadre::engine
