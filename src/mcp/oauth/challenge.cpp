#include "mcp/oauth/challenge.hpp"

#include "base/ascii.hpp"

#include <algorithm>

namespace cadre::mcp::oauth {

namespace {

constexpr std::size_t kLongestHeader = 16 << 10;
constexpr std::size_t kMaxChallenges = 16, kMaxParameters = 32;
constexpr std::size_t kLongestScope = 4 << 10;

bool is_alphanumeric(char c)
{
    return (c >= '0' && c <= '9') || (lower(c) >= 'a' && lower(c) <= 'z');
}
bool is_token(char c)
{
    return is_alphanumeric(c) || std::string_view("!#$%&'*+-.^_`|~").find(c) != std::string_view::npos;
}
bool is_token68(char c)
{
    return is_alphanumeric(c) || std::string_view("-._~+/").find(c) != std::string_view::npos;
}

class Reader {
public:
    explicit Reader(std::string_view text) : text_(text) {}

    std::vector<AnyChallenge> read()
    {
        std::vector<AnyChallenge> all;
        while (true) {
            skip(", \t");
            const std::string name = lower(word(is_token));
            if (name.empty()) return all;
            const std::size_t after = at_;
            skip(" \t");
            if (!all.empty() && next() == '=') {
                ++at_;
                skip(" \t");
                auto value = read_value();
                if (!value) return all;
                auto& parameters = all.back().parameters;
                if (parameters.size() == kMaxParameters) return all;
                parameters.emplace_back(name, std::move(*value));
                continue;
            }
            if (next() == '=' || all.size() == kMaxChallenges) return all;
            all.push_back({.scheme = name});
            if (at_ > after) skip_token68();
        }
    }

private:
    char next() const { return at_ < text_.size() ? text_[at_] : '\0'; }
    void skip(std::string_view what) { at_ = std::min(text_.find_first_not_of(what, at_), text_.size()); }
    std::string_view word(bool (*fits)(char))
    {
        const std::size_t start = at_;
        while (at_ < text_.size() && fits(text_[at_])) ++at_;
        return text_.substr(start, at_ - start);
    }

    /// `Negotiate YII=`: a word that may end in `=` and stands alone. `realm="x"` is none.
    void skip_token68()
    {
        const std::size_t start = at_;
        const bool any = !word(is_token68).empty();
        while (next() == '=') ++at_;
        skip(" \t");
        if (!any || (at_ < text_.size() && next() != ',')) at_ = start;
    }

    std::optional<std::string> read_value()
    {
        if (next() != '"') {
            const std::string_view plain = word(is_token);
            return plain.empty() ? std::nullopt : std::optional<std::string>(plain);
        }
        std::string value;
        for (++at_; at_ < text_.size(); ++at_) {
            if (text_[at_] == '"') {
                ++at_;
                return value;
            }
            if (text_[at_] == '\\' && ++at_ == text_.size()) break;
            value += text_[at_];
        }
        return std::nullopt;
    }

    std::string_view text_;
    std::size_t at_ = 0;
};

std::vector<std::string_view> words_of(std::string_view scope)
{
    std::vector<std::string_view> words;
    while (!scope.empty()) {
        const std::string_view word = scope.substr(0, scope.find(' '));
        if (!word.empty() && std::ranges::find(words, word) == words.end()) words.push_back(word);
        scope.remove_prefix(std::min(word.size() + 1, scope.size()));
    }
    return words;
}

}  // namespace

std::vector<AnyChallenge> read_challenges(std::string_view header)
{
    return header.size() > kLongestHeader ? std::vector<AnyChallenge>{} : Reader(header).read();
}

Challenge challenge_in(const net::HttpHeaders& headers)
{
    Challenge found;
    for (const net::HttpHeader& header : headers) {
        if (lower(header.name) != "www-authenticate") continue;
        for (const AnyChallenge& one : read_challenges(header.value)) {
            if (one.scheme != "bearer") continue;
            const auto value = [&](std::string_view name) {
                const auto place = std::ranges::find(one.parameters, name, &std::pair<std::string, std::string>::first);
                return place == one.parameters.end() ? std::string() : place->second;
            };
            return {value("resource_metadata"), canonical_scope(value("scope")), value("error")};
        }
    }
    return found;
}

std::string canonical_scope(std::string_view text)
{
    const auto fits = [](char c) { return c >= 0x20 && c < 0x7F && c != '"' && c != '\\'; };
    if (text.size() > kLongestScope || !std::ranges::all_of(text, fits)) return {};
    std::string scope;
    for (const std::string_view word : words_of(text)) scope.append(scope.empty() ? "" : " ").append(word);
    return scope;
}

std::string united_scope(std::string_view a, std::string_view b)
{
    return canonical_scope(std::string(a) + " " + std::string(b));
}

bool covers(std::string_view scope, std::string_view wanted)
{
    const auto has = words_of(scope);
    return std::ranges::all_of(words_of(wanted),
                               [&](std::string_view word) { return std::ranges::find(has, word) != has.end(); });
}

}  // namespace cadre::mcp::oauth
