#include "text/route/choice.hpp"

#include "base/ascii.hpp"
#include "base/trim.hpp"
#include "text/route/features.hpp"

#include <algorithm>
#include <optional>

namespace cadre::text::route {
namespace {

/// Longer requests are told as they are, not asked for.
constexpr std::size_t kMostCutBytes = 1000;
constexpr std::size_t kMostCuts = 6;
/// Halves say less than the whole does; by so much may they be less sure of it.
constexpr double kLessSure = 0.1;

constexpr std::string_view kJoints[] = {"and", "then", "also",  "plus", "und",   "dann", "sowie", "außerdem",
                                        "et",  "puis", "aussi", "y",    "luego", "e",    "poi",   "и"};

bool is_joint(std::string_view word)
{
    return std::ranges::any_of(kJoints, [&](std::string_view joint) { return same_in_any_case(joint, word); });
}

bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/// Whether what stands there can be asked for by itself.
bool is_request(std::string_view text)
{
    const std::string plain = plain_form(text);
    return words_of(plain).size() >= 2;
}

class Chooser {
public:
    Chooser(const Classifier& classifier, const Terms& terms) : classifier_(classifier), terms_(terms) {}

    struct Judged {
        std::string_view text;
        Verdict verdict;
    };

    Judged judged(std::string_view text) const { return {text, classifier_.classify(text)}; }

    /// The request in parts that are each sure, for different entries; one part where it is one request.
    std::vector<Judged> parts(Judged whole, std::size_t most) const
    {
        if (most > 1)
            if (auto halves = best_cut(whole)) {
                auto all = parts(std::move(halves->first), most - 1);
                for (Judged& part : parts(std::move(halves->second), most - all.size())) all.push_back(std::move(part));
                return all;
            }
        std::vector<Judged> one;
        one.push_back(std::move(whole));
        return one;
    }

private:
    using Halves = std::pair<Judged, Judged>;

    bool is_sure(const Verdict& verdict) const
    {
        return !verdict.is_out_of_scope() && verdict.confidence >= terms_.threshold;
    }

    std::optional<Halves> best_cut(const Judged& whole) const
    {
        std::optional<Halves> best;
        double surest = 0;
        for (const Cut& cut : cuts_of(whole.text)) {
            Judged left = judged(whole.text.substr(0, cut.end));
            if (!is_sure(left.verdict)) continue;
            Judged right = judged(whole.text.substr(cut.start));
            if (!is_sure(right.verdict) || left.verdict.best.front().entry == right.verdict.best.front().entry)
                continue;
            const double sure = std::min(left.verdict.confidence, right.verdict.confidence);
            if (sure < whole.verdict.confidence - kLessSure || sure <= surest) continue;
            surest = sure;
            best.emplace(std::move(left), std::move(right));
        }
        return best;
    }

    const Classifier& classifier_;
    const Terms& terms_;
};

}  // namespace

std::vector<Cut> cuts_of(std::string_view text)
{
    std::vector<Cut> cuts;
    const auto add = [&](std::size_t end, std::size_t start) {
        while (end > 0 && (is_blank(text[end - 1]) || text[end - 1] == ',')) --end;
        while (start < text.size() && is_blank(text[start])) ++start;
        if (cuts.size() < kMostCuts && is_request(text.substr(0, end)) && is_request(text.substr(start)))
            cuts.push_back({end, start});
    };
    if (text.size() > kMostCutBytes) return cuts;
    for (std::size_t at = 0; at < text.size();) {
        if (is_blank(text[at])) {
            ++at;
            continue;
        }
        std::size_t end = at;
        while (end < text.size() && !is_blank(text[end])) ++end;
        const std::string_view word = text.substr(at, end - at);
        const char last = word.back();
        if (last == '.' || last == '?' || last == '!' || last == ';') add(last == ';' ? end - 1 : end, end);
        else if (is_joint(word)) add(at, end);
        at = end;
    }
    return cuts;
}

Choice choose(const Classifier& classifier, std::string_view text, const Terms& terms)
{
    Choice choice;
    const Chooser chooser(classifier, terms);
    auto whole = chooser.judged(trimmed(text));
    if (whole.verdict.best.empty()) {
        choice.out_of_scope = true;
        return choice;
    }
    auto parts = chooser.parts(std::move(whole), std::max<std::size_t>(terms.most, 1));
    choice.confidence = 1;
    for (const auto& [part, verdict] : parts) {
        const Standing& first = verdict.best.front();
        choice.parts.push_back({std::string(part), first.entry, verdict.confidence});
        choice.confidence = std::min(choice.confidence, verdict.confidence);
    }
    const Verdict& first = parts.front().verdict;
    choice.nearest = first.nearest;
    if (choice.is_compound()) return choice;
    choice.next.assign(first.best.begin() + 1, first.best.end());
    choice.out_of_scope = first.is_out_of_scope();
    if (choice.out_of_scope) choice.confidence *= first.in_scope;
    choice.ambiguous = !choice.out_of_scope && !choice.next.empty() &&
                       first.best.front().probability - choice.next.front().probability < kAmbiguousWithin;
    return choice;
}

}  // namespace cadre::text::route
