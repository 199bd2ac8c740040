#include "llm/local/arithmetic.hpp"

#include "base/ascii.hpp"
#include "base/utf8.hpp"
#include "llm/local/slots.hpp"
#include "text/route/features.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <vector>

namespace cadre::llm::local {
namespace {

enum class Kind : std::uint8_t { number, sign, open, close, root, percent, of, other };

struct Token {
    Kind kind = Kind::other;
    std::string text{};
    bool is_tight = false;  // a sign with no blank on either side
};

struct Phrase {
    std::string_view words;
    Kind kind;
    std::string_view text;
};

/// Longer ones first. Plain: no accents.
constexpr Phrase kPhrases[] = {{"to the power of", Kind::sign, "^"},
                               {"the square root of", Kind::root, "sqrt"},
                               {"square root of", Kind::root, "sqrt"},
                               {"wurzel aus", Kind::root, "sqrt"},
                               {"racine carree de", Kind::root, "sqrt"},
                               {"raiz cuadrada de", Kind::root, "sqrt"},
                               {"multiplied by", Kind::sign, "*"},
                               {"divided by", Kind::sign, "/"},
                               {"geteilt durch", Kind::sign, "/"},
                               {"divise par", Kind::sign, "/"},
                               {"dividido por", Kind::sign, "/"},
                               {"dividido entre", Kind::sign, "/"},
                               {"diviso per", Kind::sign, "/"},
                               {"plus", Kind::sign, "+"},
                               {"mas", Kind::sign, "+"},
                               {"minus", Kind::sign, "-"},
                               {"moins", Kind::sign, "-"},
                               {"menos", Kind::sign, "-"},
                               {"times", Kind::sign, "*"},
                               {"mal", Kind::sign, "*"},
                               {"fois", Kind::sign, "*"},
                               {"por", Kind::sign, "*"},
                               {"x", Kind::sign, "*"},
                               {"mod", Kind::sign, "%"},
                               {"hoch", Kind::sign, "^"},
                               {"sqrt", Kind::root, "sqrt"},
                               {"squared", Kind::close, "^2"},
                               {"percent", Kind::percent, ""},
                               {"prozent", Kind::percent, ""},
                               {"pour cent", Kind::percent, ""},
                               {"por ciento", Kind::percent, ""},
                               {"of", Kind::of, ""},
                               {"von", Kind::of, ""},
                               {"de", Kind::of, ""}};

/// Words beside a sum that nobody asks for in so many words.
constexpr std::ptrdiff_t kMostOthers = 8;

constexpr std::string_view kQuestions[] = {"what is",     "what's",     "how much is", "calculate",    "compute",
                                           "evaluate",    "work out",   "solve",       "was ist",      "wie viel ist",
                                           "wieviel ist", "berechne",   "rechne",      "combien font", "calcule",
                                           "cuanto es",   "cuanto son", "quanto fa"};

bool is_blank_at(std::string_view text, std::size_t at)
{
    return at >= text.size() || text[at] == ' ' || text[at] == '\t' || text[at] == '\n';
}

std::string with_plain_signs(std::string_view text)
{
    constexpr std::pair<std::string_view, std::string_view> signs[] = {
        {"×", "*"},  {"·", "*"},  {"÷", "/"},     {"−", "-"},  {"–", "-"},
        {"²", "^2"}, {"³", "^3"}, {"√", "sqrt "}, {"**", "^"}, {"π", "pi"}};
    std::string plain;
    for (std::size_t at = 0; at < text.size();) {
        const auto sign =
            std::ranges::find_if(signs, [&](const auto& one) { return text.substr(at).starts_with(one.first); });
        plain += sign == std::end(signs) ? text.substr(at, 1) : sign->second;
        at += sign == std::end(signs) ? 1 : sign->first.size();
    }
    return plain;
}

const Phrase* phrase_at(std::string_view text, std::size_t at)
{
    for (const Phrase& phrase : kPhrases) {
        const std::size_t end = at + phrase.words.size();
        if (text.compare(at, phrase.words.size(), phrase.words) == 0 &&
            (end >= text.size() || (!is_letter(text[end]) && static_cast<unsigned char>(text[end]) < 0x80)))
            return &phrase;
    }
    return nullptr;
}

std::string plain_number(double number)
{
    return number == static_cast<double>(static_cast<long long>(number))
               ? fmt::format("{}", static_cast<long long>(number))
               : fmt::format("{}", number);
}

std::vector<Token> tokens_of(const std::string& text)
{
    std::vector<Token> tokens;
    for (std::size_t at = 0; at < text.size();) {
        const char c = text[at];
        if (c == ' ' || c == '\t' || c == '\n' || c == '\r') {
            ++at;
            continue;
        }
        if (is_digit(c)) {
            std::size_t end = at;
            while (end < text.size() && (is_digit(text[end]) || ((text[end] == '.' || text[end] == ',') &&
                                                                 end + 1 < text.size() && is_digit(text[end + 1]))))
                ++end;
            const auto number = number_in(std::string_view(text).substr(at, end - at));
            const bool is_glued = end < text.size() && (is_letter(text[end]) && text.compare(end, 1, "x") != 0);
            tokens.push_back(number && !is_glued ? Token{Kind::number, plain_number(*number)} : Token{});
            at = end;
            continue;
        }
        if (is_letter(c)) {
            const Phrase* phrase = phrase_at(text, at);
            std::size_t end = at + (phrase ? phrase->words.size() : 1);
            if (!phrase)
                while (end < text.size() &&
                       (is_letter(text[end]) || is_digit(text[end]) || static_cast<unsigned char>(text[end]) >= 0x80))
                    ++end;
            if (phrase) {
                tokens.push_back({phrase->kind, std::string(phrase->text)});
            } else {
                const auto slots = find_slots(text.substr(at, end - at));
                const bool is_number = slots.size() == 1 && slots[0].kind == SlotKind::number;
                tokens.push_back(is_number ? Token{Kind::number, slots[0].text} : Token{});
            }
            at = end;
            continue;
        }
        const bool is_tight = at > 0 && !is_blank_at(text, at - 1) && !is_blank_at(text, at + 1);
        const bool is_percent = c == '%' && (is_blank_at(text, at + 1) || text[at + 1] == '?' || text[at + 1] == '.') &&
                                at > 0 && is_digit(text[at - 1]);
        if (is_percent) tokens.push_back({Kind::percent, ""});
        else if (std::string_view("+-*/^%").find(c) != std::string_view::npos)
            tokens.push_back({Kind::sign, std::string(1, c), is_tight});
        else if (c == '(') tokens.push_back({Kind::open, "("});
        else if (c == ')') tokens.push_back({Kind::close, ")"});
        else tokens.push_back({});
        ++at;
    }
    return tokens;
}

/// A run of tokens as an expression; nothing when it is none, or says nothing but a number.
std::optional<std::string> expression_of(std::span<const Token> tokens, bool may_be_tight)
{
    while (!tokens.empty() &&
           (tokens.front().kind == Kind::of || (tokens.front().kind == Kind::sign && tokens.front().text != "-")))
        tokens = tokens.subspan(1);
    while (!tokens.empty() &&
           (tokens.back().kind == Kind::of || tokens.back().kind == Kind::sign || tokens.back().kind == Kind::open))
        tokens = tokens.first(tokens.size() - 1);
    std::string text;
    bool wants_number = true, does_something = false;
    int open = 0;
    const auto add = [&](std::string_view more, bool spaced) {
        text += fmt::format("{0}{1}{0}", spaced ? " " : "", more);
    };
    for (std::size_t i = 0; i < tokens.size(); ++i) {
        const Token& token = tokens[i];
        switch (token.kind) {
        case Kind::number:
            if (!wants_number) return std::nullopt;
            if (i + 1 < tokens.size() && tokens[i + 1].kind == Kind::percent) {
                const bool is_of = i + 2 < tokens.size() && tokens[i + 2].kind == Kind::of;
                add(fmt::format("({} / 100)", token.text), false);
                if (is_of) add("*", true);
                if (is_of) does_something = true;
                wants_number = is_of;
                i += is_of ? 2 : 1;
                break;
            }
            add(token.text, false);
            wants_number = false;
            break;
        case Kind::sign:
            if (wants_number && token.text == "-") {
                add("-", false);
                break;
            }
            if (wants_number || (token.is_tight && !may_be_tight && (token.text == "-" || token.text == "/")))
                return std::nullopt;
            add(token.text, true);
            wants_number = does_something = true;
            break;
        case Kind::root:
            if (!wants_number) return std::nullopt;
            if (i + 1 < tokens.size() && tokens[i + 1].kind == Kind::number) {
                add(fmt::format("sqrt({})", tokens[++i].text), false);
                wants_number = false;
            } else {
                add("sqrt", false);
            }
            does_something = true;
            break;
        case Kind::open:
            if (!wants_number) return std::nullopt;
            add("(", false);
            ++open;
            break;
        case Kind::close:
            if (wants_number || (token.text == ")" && --open < 0)) return std::nullopt;
            if (token.text != ")") does_something = true;
            add(token.text, false);
            break;
        default: return std::nullopt;
        }
    }
    if (wants_number || open != 0 || !does_something) return std::nullopt;
    return text;
}

}  // namespace

std::optional<std::string> find_arithmetic(std::string_view given)
{
    std::string text = with_plain_signs(utf8_prefix(given, 2000));
    for (const Slot& slot : find_slots(text))  // what only looks like it
        if (slot.kind == SlotKind::date || slot.kind == SlotKind::code || slot.kind == SlotKind::path ||
            slot.kind == SlotKind::url || slot.kind == SlotKind::email)
            for (std::size_t i = slot.begin; i < slot.end; ++i) text[i] = ';';
    text = text::route::plain_form(text);
    const auto question =
        std::ranges::find_if(kQuestions, [&](std::string_view one) { return text.find(one) != std::string::npos; });
    const std::vector<Token> tokens = tokens_of(text);
    const auto others = std::ranges::count(tokens, Kind::other, &Token::kind);
    const bool is_asked = question != std::end(kQuestions);
    if (!is_asked && others > kMostOthers) return std::nullopt;  // it is about something else
    const bool may_be_tight = is_asked || others <= 1;
    std::optional<std::string> best;
    for (std::size_t begin = 0; begin < tokens.size();) {
        if (tokens[begin].kind == Kind::other) {
            ++begin;
            continue;
        }
        std::size_t end = begin;
        while (end < tokens.size() && tokens[end].kind != Kind::other) ++end;
        if (auto found = expression_of(std::span(tokens).subspan(begin, end - begin), may_be_tight);
            found && (!best || found->size() > best->size()))
            best = std::move(found);
        begin = end;
    }
    return best;
}

}  // namespace cadre::llm::local
