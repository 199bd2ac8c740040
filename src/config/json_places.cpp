#include "config/json_places.hpp"

#include "base/error.hpp"
#include "base/json.hpp"
#include "base/json_error.hpp"
#include "config/json_fault.hpp"

#include <boost/json.hpp>
#include <fmt/core.h>

#include <map>

namespace cadre::config {

namespace {

/// Walks JSON that is well formed, or that was up to a duplicate key; stops quietly where it is not.
class Scan {
public:
    Scan(std::string_view text, std::size_t depth) : text_(text), positions_(text), depth_left_(depth) {}

    Place place()
    {
        skip_space();
        Place place{.at = here(), .key = here()};
        if (depth_left_ == 0 || offset_ >= text_.size()) return place;
        --depth_left_;
        if (text_[offset_] == '{') members(place);
        else if (text_[offset_] == '[') elements(place);
        else if (text_[offset_] == '"') string();
        else word();
        ++depth_left_;
        return place;
    }

    struct Twin {
        std::string key;
        Position first, second;
    };
    const std::vector<Twin>& twins() const { return twins_; }

private:
    Position here() const { return positions_.at(offset_); }

    void skip_space() { offset_ = std::min(text_.find_first_not_of(" \t\r\n", offset_), text_.size()); }
    void word() { offset_ = std::min(text_.find_first_of(" \t\r\n,]}", offset_), text_.size()); }

    std::string_view string()
    {
        const std::size_t start = offset_++;
        while (offset_ < text_.size() && text_[offset_] != '"') offset_ += text_[offset_] == '\\' ? 2 : 1;
        offset_ = std::min(offset_ + 1, text_.size());
        return text_.substr(start, offset_ - start);
    }

    /// Past `close`: false. Past a comma, or at the first element: true.
    bool more(char close)
    {
        skip_space();
        if (offset_ >= text_.size()) return false;
        if (text_[offset_] == close) return ++offset_, false;
        if (text_[offset_] == ',') ++offset_, skip_space();
        return offset_ < text_.size();
    }

    void elements(Place& place)
    {
        ++offset_;
        while (more(']')) {
            const std::size_t before = offset_;
            place.items.push_back(this->place());
            if (offset_ == before) return;  // not JSON any more
        }
    }

    void members(Place& place)
    {
        ++offset_;
        std::map<std::string, Position> seen;
        while (more('}') && text_[offset_] == '"') {
            const Position key_at = here();
            const std::string key = decoded(string());
            skip_space();
            if (offset_ < text_.size()) ++offset_;  // the colon
            Place value = this->place();
            value.key = key_at;
            if (const auto [there, is_new] = seen.emplace(key, key_at); !is_new)
                twins_.push_back({key, there->second, key_at});
            place.items.push_back(std::move(value));
        }
    }

    static std::string decoded(std::string_view literal)
    {
        try {
            return std::string(parse_json(literal).as_string());
        } catch (const Error&) {
            return std::string(literal);
        }
    }

    std::string_view text_;
    Positions positions_;
    std::size_t offset_ = 0;
    std::size_t depth_left_;
    std::vector<Twin> twins_;
};

/// What parse_json() refused, as well as we can say it.
void report(const JsonError& error, const std::string& file, std::string_view text, const Limits& limits,
            Findings& findings)
{
    Scan scan(text, limits.depth);
    if (error.flaw() == JsonFlaw::duplicate_key) scan.place();
    for (const auto& twin : scan.twins())
        findings.error(file, twin.second,
                       fmt::format("{} is already there at {}:{}; remove one of them", in_quotes(twin.key),
                                   twin.first.line, twin.first.column));
    if (!scan.twins().empty()) return;
    JsonFault fault{{error.at().line, error.at().column}, error.reason()};
    if (error.flaw() != JsonFlaw::limit) fault = find_json_fault(text, fault.at).value_or(fault);
    findings.error(file, fault.at, fault.text);
}

}  // namespace

std::optional<Document> load_json(std::string file, std::string_view text, Findings& findings, const Limits& limits)
{
    json::value value;
    try {
        value = parse_json(text, {.bytes = limits.bytes, .depth = limits.depth, .nodes = limits.nodes});
    } catch (const JsonError& error) {
        report(error, file, text, limits, findings);
        return std::nullopt;
    } catch (const Error& error) {  // too many bytes, before any was read
        findings.error(file, {}, error.what());
        return std::nullopt;
    }
    return Document{.file = std::move(file), .value = std::move(value), .root = Scan(text, limits.depth + 1).place()};
}

}  // namespace cadre::config
