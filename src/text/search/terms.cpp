#include "text/search/terms.hpp"

#include "base/ascii.hpp"
#include "base/utf8.hpp"
#include "text/route/features.hpp"

#include <libstemmer.h>
#include <unicode/ubrk.h>
#include <unicode/utext.h>

#include <algorithm>
#include <array>
#include <memory>

namespace cadre::text::search {
namespace {

struct LanguageFacts {
    Language language;
    std::string_view name;  // Snowball's, too
    std::string_view letters;
    std::string_view stop_words;  // without accents, a blank around each
};

constexpr LanguageFacts kLanguages[] = {
    {Language::english, "english", "en",
     " a an and are as at be been but by can could did do does for from had has have how i if in into is it its me my "
     "no not of on "
     "or our she he so that the their them then there these they this to was we were what when where which who will "
     "with would "
     "you your "},
    {Language::german, "german", "de",
     " aber als am an auch auf aus bei bin bist da das dass dem den der des die dies diese du ein eine einem einen "
     "einer er es fur "
     "hat habe ich ihr im in ist ja kann mein mit nach nicht noch oder sich sie sind so uber um und uns von vor war "
     "was wenn wer "
     "wie wir wird wo zu zum zur "},
    {Language::french, "french", "fr",
     " a ai au aux avec ce ces c d dans de des du elle en es est et eu il ils j je l la le les leur lui m ma mais me "
     "mes mon n ne "
     "nos notre nous on ou par pas pour qu que qui s sa se ses si son sont sur ta te tes toi ton tu un une vos votre "
     "vous y "},
    {Language::spanish, "spanish", "es",
     " a al como con cual de del desde donde el ella en entre era es esta este fue ha hay la las le les lo los mas me "
     "mi muy no "
     "nos o para pero por que se si sin sobre su sus te tu un una unos y ya yo "},
    {Language::italian, "italian", "it",
     " a ad al alla che chi ci con come da dal de dei del della di dove e ed gli ha ho i il in io la le lo ma mi mio "
     "ne nel non o "
     "per piu quando se si sono su sua suo ti tra tu un una uno vi "},
    {Language::portuguese, "portuguese", "pt",
     " a ao aos as com como da das de do dos e ela ele em entre era essa esse esta este eu foi ha isso ja la mais mas "
     "me meu na nao "
     "nas no nos o os ou para pela pelo por qual que quem se sem ser seu sua sao um uma voce "},
    {Language::dutch, "dutch", "nl",
     " aan al als bij dan dat de den der deze die dit door een en er ge had heb heeft het hij hoe ik in is je kan maar "
     "me met mijn "
     "na naar niet nog of om onder ons ook op over te tot u uit van veel voor was wat we wel wie wij zal ze zich zij "
     "zijn zo "},
    {Language::russian, "russian", "ru",
     " а без бы был была были в вам вас вот вы да для до его ее если есть еще же за и из или им их к как когда кто ли "
     "мне мы на не "
     "нет но о об он она они от по при с так то только ты у уже что это я "},
};

const LanguageFacts* facts_of(Language language)
{
    const auto* found = std::ranges::find(kLanguages, language, &LanguageFacts::language);
    return found == std::end(kLanguages) ? nullptr : found;
}

bool is_stop_word(const LanguageFacts* facts, const std::string& word)
{
    return facts && facts->stop_words.find(" " + word + " ") != std::string_view::npos;
}

struct CloseText {
    void operator()(UText* text) const { utext_close(text); }
};
struct CloseBreaks {
    void operator()(UBreakIterator* breaks) const { ubrk_close(breaks); }
};
struct DeleteStemmer {
    void operator()(sb_stemmer* stemmer) const { sb_stemmer_delete(stemmer); }
};

/// One of each language for each thread, because it has a buffer of its own; null for a language without.
sb_stemmer* stemmer_of(const LanguageFacts* facts)
{
    thread_local std::array<std::unique_ptr<sb_stemmer, DeleteStemmer>, std::size(kLanguages)> stemmers;
    if (!facts) return nullptr;
    auto& own = stemmers[static_cast<std::size_t>(facts - kLanguages)];
    if (!own) own.reset(sb_stemmer_new(std::string(facts->name).c_str(), "UTF_8"));
    return own.get();
}

/// The words between ICU's breaks; those of our own where ICU cannot say.
std::vector<std::string> words_by_icu(const std::string& plain)
{
    UErrorCode error = U_ZERO_ERROR;
    const std::unique_ptr<UText, CloseText> text(
        utext_openUTF8(nullptr, plain.data(), static_cast<int64_t>(plain.size()), &error));
    const std::unique_ptr<UBreakIterator, CloseBreaks> breaks(ubrk_open(UBRK_WORD, "", nullptr, 0, &error));
    if (U_SUCCESS(error)) ubrk_setUText(breaks.get(), text.get(), &error);
    std::vector<std::string> words;
    if (U_FAILURE(error)) {
        for (const std::string_view word : route::words_of(plain)) words.emplace_back(word);
        return words;
    }
    std::int32_t from = ubrk_first(breaks.get());
    for (std::int32_t to = ubrk_next(breaks.get()); to != UBRK_DONE; from = to, to = ubrk_next(breaks.get()))
        if (ubrk_getRuleStatus(breaks.get()) >= UBRK_WORD_NUMBER)
            words.push_back(plain.substr(static_cast<std::size_t>(from), static_cast<std::size_t>(to - from)));
    return words;
}

std::string stem_of(sb_stemmer* stemmer, std::string word)
{
    if (!stemmer) return word;
    const auto* stem =
        sb_stemmer_stem(stemmer, reinterpret_cast<const sb_symbol*>(word.data()), static_cast<int>(word.size()));
    if (!stem) return word;
    return {reinterpret_cast<const char*>(stem), static_cast<std::size_t>(sb_stemmer_length(stemmer))};
}

}  // namespace

std::optional<Language> find_language(std::string_view name)
{
    if (same_in_any_case(name, "none")) return Language::none;
    for (const LanguageFacts& facts : kLanguages)
        if (same_in_any_case(name, facts.name) || same_in_any_case(name, facts.letters)) return facts.language;
    return std::nullopt;
}

Language guess_language(std::string_view text)
{
    const std::string plain = route::plain_form(utf8_prefix(text, kMostIndexedBytes));
    Language best = Language::english;
    std::size_t most = 0;
    for (const LanguageFacts& facts : kLanguages) {
        std::size_t count = 0;
        for (const std::string_view word : route::words_of(plain))
            count += is_stop_word(&facts, std::string(word)) ? 1 : 0;
        if (count <= most) continue;
        most = count;
        best = facts.language;
    }
    return best;
}

std::vector<std::string> terms_of(std::string_view text, Language language)
{
    const LanguageFacts* facts = facts_of(language);
    sb_stemmer* stemmer = stemmer_of(facts);
    std::vector<std::string> words = words_by_icu(route::plain_form(utf8_prefix(text, kMostIndexedBytes)));
    const auto is_stop = [&](const std::string& word) { return is_stop_word(facts, word); };
    if (!std::ranges::all_of(words, is_stop)) std::erase_if(words, is_stop);
    for (std::string& word : words) word = stem_of(stemmer, std::move(word));
    return words;
}

}  // namespace cadre::text::search
