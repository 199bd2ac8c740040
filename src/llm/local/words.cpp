#include "llm/local/words.hpp"

#include "base/ascii.hpp"
#include "base/trim.hpp"
#include "text/route/features.hpp"

#include <algorithm>

namespace cadre::llm::local {
namespace {

using text::route::plain_form;

constexpr std::string_view kGreetings[] = {
    "hello",        "hi",   "hey",    "good morning", "good afternoon", "good evening", "hallo",       "guten tag",
    "guten morgen", "moin", "servus", "bonjour",      "salut",          "hola",         "buenos dias", "ciao",
    "buongiorno",   "ola",  "privet", "привет",       "здравствуйте",   "你好",         "こんにちは"};
constexpr std::string_view kHelp[] = {
    "help",        "what can you do", "who are you",       "what are you", "how do you work",  "was kannst du",
    "wer bist du", "hilfe",           "que peux tu faire", "aide",         "que puedes hacer", "ayuda"};
constexpr std::string_view kAsking[] = {
    "what",   "what's",   "whats",   "who",     "where",  "when",   "why",    "how",    "which",  "is",      "are",
    "do",     "does",     "did",     "can",     "could",  "may",    "should", "will",   "would",  "am",      "was",
    "were",   "has",      "have",    "wer",     "wo",     "wann",   "warum",  "wie",    "welche", "welcher", "welches",
    "kann",   "darf",     "ist",     "sind",    "hat",    "gibt",   "que",    "quel",   "quelle", "qui",     "ou",
    "quand",  "pourquoi", "comment", "combien", "est-ce", "como",   "donde",  "cuando", "quien",  "cual",    "cuanto",
    "cuanta", "cuantos",  "puedo",   "chi",     "dove",   "quando", "come",   "perche", "quanto"};

std::string bare(std::string_view text)
{
    return plain_form(trimmed(text, " \t\r\n.,;:!?¿¡"));
}

}  // namespace

Stems stems_of(std::string_view text, text::search::Language language)
{
    Stems stems;
    for (std::string& term : text::search::terms_of(text, language)) stems.insert(std::move(term));
    return stems;
}

std::string spaced_name(std::string_view name)
{
    std::string spaced;
    for (std::size_t i = 0; i < name.size(); ++i) {
        const char c = name[i];
        const bool begins = i > 0 && c >= 'A' && c <= 'Z' && name[i - 1] >= 'a' && name[i - 1] <= 'z';
        if (begins) spaced += ' ';
        spaced += c == '_' || c == '-' || c == '.' || c == '/' ? ' ' : lower(c);
    }
    return spaced;
}

bool names(std::string_view text, std::string_view words)
{
    const std::string in = " " + plain_form(text) + " ", wanted = plain_form(words);
    if (wanted.empty()) return false;
    const auto is_edge = [](char c) { return !is_letter(c) && !is_digit(c) && static_cast<unsigned char>(c) < 0x80; };
    for (std::size_t at = in.find(wanted); at != in.npos; at = in.find(wanted, at + 1))
        if (at > 0 && is_edge(in[at - 1]) && is_edge(in[at + wanted.size()])) return true;
    return false;
}

bool is_greeting(std::string_view text)
{
    return std::ranges::find(kGreetings, bare(text)) != std::end(kGreetings);
}

bool asks_for_help(std::string_view text)
{
    return std::ranges::find(kHelp, bare(text)) != std::end(kHelp);
}

bool is_question(std::string_view text)
{
    const std::string_view whole = trimmed(text);
    if (whole.ends_with('?') || whole.ends_with("？")) return true;
    const std::string plain = plain_form(trimmed(text, " \t\r\n¿¡"));
    const std::string_view first = std::string_view(plain).substr(0, plain.find_first_of(" ,?"));
    return std::ranges::find(kAsking, first) != std::end(kAsking);
}

}  // namespace cadre::llm::local
