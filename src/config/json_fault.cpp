#include "config/json_fault.hpp"

#include "base/error.hpp"
#include "base/json.hpp"

#include <boost/json.hpp>
#include <fmt/core.h>

#include <algorithm>
#include <vector>

namespace cadre::config {

namespace {

/// Words of other languages, and what JSON says for them.
constexpr struct {
    std::string_view word, json;
} kForeignWords[] = {{"True", "true"},   {"False", "false"}, {"None", "null"},      {"nil", "null"}, {"TRUE", "true"},
                     {"FALSE", "false"}, {"NULL", "null"},   {"undefined", "null"}, {"NaN", "null"}, {"Null", "null"},
                     {"yes", "true"},    {"no", "false"},    {"Infinity", "null"}};

bool is_json(std::string_view word)
{
    boost::system::error_code error;
    json::parse(word, error);
    return !error;
}

/// Reads like a parser, and knows at every step what people do wrong there.
class Reading {
public:
    Reading(std::string_view text, Position end) : text_(text), positions_(text), end_(end) {}

    std::optional<JsonFault> fault()
    {
        while (!fault_) {
            offset_ = std::min(text_.find_first_not_of(" \t\r\n", offset_), text_.size());
            if (positions_.at(offset_) > end_) return std::nullopt;
            if (offset_ == text_.size()) return at_end();
            if (text_[offset_] == '/' || text_[offset_] == '#') {
                say(offset_, "JSON has no comments; remove this one, or make the file a .yaml");
                break;
            }
            step(text_[offset_]);
        }
        return fault_;
    }

private:
    enum class Wants { value, first_value, name, first_name, colon, comma, nothing };

    struct Open {
        char bracket;
        std::size_t at;
    };

    void say(std::size_t at, std::string text) { fault_ = {positions_.at(at), std::move(text)}; }

    std::optional<JsonFault> at_end()
    {
        if (open_.empty()) return std::nullopt;
        say(open_.back().at, fmt::format("the '{}' that begins here is not closed; write '{}' where it ends",
                                         open_.back().bracket, closing()));
        return fault_;
    }

    char closing() const { return open_.back().bracket == '{' ? '}' : ']'; }
    bool in_object() const { return !open_.empty() && open_.back().bracket == '{'; }

    void step(char c)
    {
        switch (wants_) {
        case Wants::name:
        case Wants::first_name: return name(c);
        case Wants::value:
        case Wants::first_value: return value(c);
        case Wants::colon:
            if (c != ':') return say(offset_, fmt::format("a ':' is missing between the name {} and its value", name_));
            ++offset_;
            wants_ = Wants::value;
            return;
        case Wants::comma: return comma(c);
        case Wants::nothing: return say(offset_, "text after the end of the JSON; remove it");
        }
    }

    void name(char c)
    {
        if (c == '"') {
            name_ = string();
            wants_ = Wants::colon;
        } else if (c == '}' || c == ']') {
            close(c, wants_ == Wants::first_name);
        } else if (c == ',') {
            say(offset_, "a ',' too many; remove it");
        } else {
            say(offset_, fmt::format("a name must stand in double quotes: {}", in_quotes(bare_word())));
        }
    }

    void value(char c)
    {
        const bool first = wants_ == Wants::first_value;
        if (c == '{' || c == '[') {
            open_.push_back({c, offset_++});
            wants_ = c == '{' ? Wants::first_name : Wants::first_value;
        } else if (c == '"') {
            string();
            finish_value();
        } else if (in_object() && (c == ',' || c == '}' || c == ']')) {
            say(offset_, fmt::format("the value of {} is missing; write one after its ':'", name_));
        } else if (c == ']' || c == '}') {
            close(c, first);
        } else if (c == ',') {
            say(offset_, "a ',' too many; remove it");
        } else {
            word(c);
        }
    }

    void comma(char c)
    {
        if (c == ',') {
            comma_ = offset_++;
            wants_ = in_object() ? Wants::name : Wants::value;
        } else if (c == '}' || c == ']') {
            close(c, true);
        } else if (c == ':') {
            say(offset_, fmt::format("a ':' in a list; names and their values stand in {{ }}: the '[' is at {}",
                                     place(open_.back().at)));
        } else {
            say(offset_, "a ',' is missing before this");
        }
    }

    /// `complete`: nothing is missing before it, apart from a closing bracket perhaps.
    void close(char c, bool complete)
    {
        if (open_.empty()) return say(offset_, fmt::format("a '{}' that closes nothing; remove it", c));
        if (!complete) return say(comma_, "a ',' with nothing after it; remove it");
        if (c != closing())
            return say(offset_, fmt::format("a '{}' where the '{}' of {} is still open; write '{}' before it", c,
                                            open_.back().bracket, place(open_.back().at), closing()));
        open_.pop_back();
        ++offset_;
        finish_value();
    }

    void finish_value()
    {
        if (!fault_) wants_ = open_.empty() ? Wants::nothing : Wants::comma;
    }

    /// A number, `true` and its like, or something that is no JSON.
    void word(char c)
    {
        if (c == '\'') return say(offset_, "text must stand in double quotes, not in single ones");
        const std::string_view word = bare_word();
        if (is_json(word)) {
            offset_ += word.size();
            return finish_value();
        }
        const auto* foreign = std::ranges::find(kForeignWords, word, [](const auto& w) { return w.word; });
        if (foreign != std::end(kForeignWords))
            return say(offset_, fmt::format("{} is not a word of JSON; write {}, or quote it if it is text", word,
                                            foreign->json));
        const bool number = c == '-' || c == '+' || c == '.' || (c >= '0' && c <= '9');
        say(offset_, in_quotes(word) + (number ? " is not a number as JSON writes them: like 0.5 or 12"
                                               : " is no JSON; text must stand in double quotes"));
    }

    std::string_view bare_word() const
    {
        const std::size_t end = text_.find_first_of(" \t\r\n,:[]{}\"", offset_ + 1);
        std::string_view word = text_.substr(offset_, end == text_.npos ? end : end - offset_);
        if (word.size() > 1 && (word[0] == '\'') && word.ends_with('\'')) word = word.substr(1, word.size() - 2);
        return word;
    }

    /// Past the text; as it is written.
    std::string string()
    {
        const std::size_t start = offset_++;
        while (offset_ < text_.size() && text_[offset_] != '"' && text_[offset_] != '\n') {
            if (text_[offset_] == '\t') say(offset_, "a tab inside of a text; write it as \\t");
            offset_ += text_[offset_] == '\\' ? 2 : 1;
        }
        if (offset_ >= text_.size() || text_[offset_] == '\n')
            say(start, "the quote that begins here is not closed on its line; close it, or write \\n for a line break");
        if (fault_) return {};
        ++offset_;
        return in_quotes(text_.substr(start + 1, offset_ - start - 2));
    }

    std::string place(std::size_t offset) const
    {
        const Position at = positions_.at(offset);
        return fmt::format("{}:{}", at.line, at.column);
    }

    std::string_view text_;
    Positions positions_;
    Position end_;
    std::size_t offset_ = 0;
    std::size_t comma_ = 0;  // the last one
    Wants wants_ = Wants::value;
    std::vector<Open> open_;
    std::string name_;  // the last one, in quotes
    std::optional<JsonFault> fault_;
};

}  // namespace

std::optional<JsonFault> find_json_fault(std::string_view text, Position end)
{
    return Reading(text, end).fault();
}

}  // namespace cadre::config
