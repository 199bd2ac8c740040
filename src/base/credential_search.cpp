// Whether a text holds a credential at all. Nearly none does, so this is what masking costs.
#include "base/credential.hpp"
#include "base/credential_text.hpp"

#include <array>
#include <cstdint>

namespace cadre {

namespace {

enum Class : std::uint8_t {
    in_run = 1,      // of these the runs are made that are looked at as a whole: words, numbers, keys, JWTs
    may_follow = 2,  // a name, when it is one half of a pair
    blank = 4,
};

constexpr auto kClasses = [] {
    std::array<std::uint8_t, 256> classes{};
    for (unsigned c = 0; c < 128; ++c)
        if (is_word_character(static_cast<char>(c)) || c == '.') classes[c] = in_run;
    for (const char c : {'"', '\'', '`', '\\', ']', ':', '='}) classes[static_cast<unsigned char>(c)] = may_follow;
    for (const char c : {' ', '\t'}) classes[static_cast<unsigned char>(c)] = blank;
    return classes;
}();

bool is(Class one, char c)
{
    return (kClasses[static_cast<unsigned char>(c)] & one) != 0;
}

/// A run of a text: `rest` is what follows it.
struct Run {
    std::string_view before;
    std::string_view text;
    std::string_view rest;
};

/// Whether what stands behind a name may make it one half of a pair.
bool may_pair(std::string_view rest)
{
    while (!rest.empty() && is(blank, rest[0])) {
        rest.remove_prefix(1);
        if (!rest.empty() && is(may_follow, rest[0])) return rest[0] == ':' || rest[0] == '=';
    }
    return !rest.empty() && is(may_follow, rest[0]);
}

/// Whether a name may begin at `at`, the last in its run: only that one stands before its value.
bool may_be_name(const Run& run, std::size_t at)
{
    const bool is_flag = at > 0 && run.text[at - 1] == '-';
    const bool leads = at == 0 || (is_flag && run.text.find_first_not_of('-') == at);
    const char before = leads && !run.before.empty() ? run.before.back() : ' ';
    if (!is_flag && before != '<' && before != ':' && !may_pair(run.rest)) return false;
    const bool in_query = before == '?' || before == '&' || before == ';' || before == '\\';
    return in_query || ends_like_secret_name(run.text.substr(at));
}

/// Calls `ask` with every place of the run at which a credential can begin, until it says yes. `name` is behind its last dot.
template <class Ask>
bool any_place(const Run& run, std::size_t name, const Ask& ask)
{
    const std::string_view text = run.text;
    if (text.size() >= kShortestKey) {
        if (name > 0 && ask(std::size_t{0})) return true;  // a JWT anywhere in it
        for (std::size_t i = 0; i + kShortestKey <= text.size(); ++i)
            if (may_begin_vendor_key(text[i], text[i + 1]) &&
                (i == 0 || (!is_digit(text[i - 1]) && !is_letter(text[i - 1]))) && ask(i))
                return true;
    }
    if (!run.rest.empty() && is(blank, run.rest[0])) {
        for (const std::string_view begin : {"bearer", "basic", "-----begin"})
            if (text.size() >= begin.size() && (text.back() | 0x20) == begin.back() &&
                ends_with_ignoring_case(text, begin) && ask(text.size() - begin.size()))
                return true;
    }
    while (name < text.size() && text[name] == '-') ++name;
    return name < text.size() && may_be_name(run, name) && ask(name);
}

}  // namespace

bool holds_credential(std::string_view text)
{
    std::size_t at = 0;
    const auto ask = [&](std::size_t i) {
        return find_credential(text.substr(0, at + i), text.substr(at + i)).mask > 0;
    };
    while (at < text.size()) {
        if (is(in_run, text[at])) {
            std::size_t end = at, name = at;
            for (; end < text.size() && is(in_run, text[end]); ++end)
                if (text[end] == '.') name = end + 1;
            if (any_place({text.substr(0, at), text.substr(at, end - at), text.substr(end)}, name - at, ask))
                return true;
            at = end;
        } else if (text[at] == ':' && at + 1 < text.size() && (text[at + 1] == '/' || text[at + 1] == '\\')) {
            if (ask(0)) return true;
            ++at;
        } else {
            ++at;
        }
    }
    return false;
}

}  // namespace cadre
