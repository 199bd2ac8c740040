#include "llm/local/extract.hpp"

#include "base/error.hpp"
#include "base/json.hpp"
#include "base/utf8.hpp"
#include "llm/local/words.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

namespace cadre::llm::local {
namespace {

namespace json = boost::json;

constexpr std::size_t kMostSentences = 2000;  // of all that is looked at
constexpr std::size_t kLongestQuote = 600;
constexpr std::size_t kMostLeaves = 400, kLeavesTold = 12;

/// A sentence, where it stands, and what it says.
struct Line {
    std::string text;
    std::size_t passage = 0, line = 0;
    Stems stems{};
    double share = 0;  // of the question
    double own = 0;    // the same without its heading
};

std::vector<Line> lines_of(const std::vector<text::Passage>& passages, text::search::Language language)
{
    std::vector<Line> lines;
    for (std::size_t i = 0; i < passages.size(); ++i)
        for (text::Sentence& sentence : text::sentences_of(passages[i].text)) {
            if (lines.size() == kMostSentences) return lines;
            Stems stems = stems_of(sentence.text, language);
            lines.push_back({std::move(sentence.text), i, sentence.line, std::move(stems)});
        }
    return lines;
}

/// Words of questions that say nothing of what is asked about.
constexpr std::string_view kAskingWords[] = {"long", "many", "much", "may",  "might", "should", "please", "tell",
                                             "know", "want", "like", "need", "say",   "says",   "mean",   "get"};

Stems wanted_of(std::string_view question, text::search::Language language)
{
    Stems stems = stems_of(question, language);
    const Stems whole = stems;
    for (const std::string_view word : kAskingWords)
        if (const auto found = stems.find(word); found != stems.end()) stems.erase(found);
    return stems.empty() ? whole : stems;
}

/// How much each word of the question says: those that stand everywhere say little.
std::map<std::string, double> weights(const Stems& question, const std::vector<Line>& lines)
{
    std::map<std::string, double> all;
    for (const std::string& stem : question) {
        const auto in = std::ranges::count_if(lines, [&](const Line& line) { return line.stems.contains(stem); });
        all[stem] = std::log(1 + (static_cast<double>(lines.size()) + 1) / (static_cast<double>(in) + 0.5));
    }
    return all;
}

bool begins_like_more(std::string_view text)
{
    return text.ends_with(':');
}

std::string joined(const std::vector<Line>& lines, std::size_t first, std::size_t last)
{
    std::string text;
    for (std::size_t i = first; i <= last; ++i) {
        const bool is_own_line = i > first && (lines[i].text.starts_with("- ") || lines[i].text.starts_with("* ") ||
                                               lines[i].text.starts_with('|') || lines[i].line != lines[i - 1].line);
        text += (i == first ? "" : is_own_line ? "\n" : " ") + lines[i].text;
    }
    return text;
}

// ---- JSON ----

void add_leaves(const json::value& value, const std::string& path,
                std::vector<std::pair<std::string, std::string>>& leaves)
{
    if (leaves.size() >= kMostLeaves) return;
    const auto below = [&](std::string_view name) {
        return path.empty() ? std::string(name) : fmt::format("{}.{}", path, name);
    };
    if (const auto* object = value.if_object()) {
        for (const auto& [name, one] : *object) add_leaves(one, below(name), leaves);
        return;
    }
    if (const auto* list = value.if_array()) {
        for (std::size_t i = 0; i < list->size(); ++i) add_leaves((*list)[i], below(std::to_string(i + 1)), leaves);
        return;
    }
    if (value.is_null()) return;
    leaves.emplace_back(path, value.is_string() ? std::string(value.get_string()) : to_text(value));
}

}  // namespace

std::vector<Quote> quotes(const std::vector<text::Passage>& passages, std::string_view question, std::size_t most)
{
    const text::search::Language language = text::search::guess_language(question);
    const Stems wanted = wanted_of(question, language);
    std::vector<Line> lines = lines_of(passages, language);
    const auto weight = weights(wanted, lines);
    double whole = 0, there = 0;  // of all words, and of those that stand anywhere
    for (const auto& [stem, one] : weight) {
        whole += one;
        if (std::ranges::any_of(lines, [&](const Line& line) { return line.stems.contains(stem); })) there += one;
    }
    if (whole == 0) return {};
    // what nobody tells of counts against an answer, and less against being near to one
    const double related = kRelated * (there + (whole - there) / 2) / whole;
    std::vector<Stems> headings;
    for (const text::Passage& passage : passages) headings.push_back(stems_of(passage.heading, language));
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < lines.size(); ++i) {
        Line& line = lines[i];
        double other = 0;
        for (const auto& [stem, one] : weight) {
            if (line.stems.contains(stem)) line.own += one;
            else if (headings[line.passage].contains(stem)) other += one;
        }
        line.own /= whole;
        // a heading says what its lines are about, as far as they say anything themselves
        line.share = std::min(1.0, line.own + 0.7 * other / whole);
        order.push_back(i);
    }
    const auto worth = [&](std::size_t i) { return lines[i].share + 0.05 * lines[i].own; };
    std::ranges::sort(order,
                      [&](std::size_t a, std::size_t b) { return worth(a) != worth(b) ? worth(a) > worth(b) : a < b; });

    std::vector<Quote> found;
    std::vector<bool> used(lines.size());
    for (const std::size_t best : order) {
        if (found.size() == most || lines[best].share < related) break;
        if (used[best]) continue;
        std::size_t first = best, last = best;
        const auto is_beside = [&](std::size_t i) { return lines[i].passage == lines[best].passage && !used[i]; };
        if (first > 0 && is_beside(first - 1) && begins_like_more(lines[first - 1].text)) --first;
        // what goes on where it stops belongs to it: a list behind a colon, the sentences of the same paragraph that say as much
        const bool opens_list = begins_like_more(lines[best].text);
        std::size_t length = joined(lines, first, last).size();
        while (last + 1 < lines.size() && is_beside(last + 1) && length + lines[last + 1].text.size() < kLongestQuote &&
               (opens_list ? lines[last + 1].line <= lines[last].line + 3
                           : lines[last + 1].own >= 0.8 * lines[best].own && lines[last + 1].own > 0)) {
            ++last;
            length += lines[last].text.size();
        }
        for (std::size_t i = first; i <= last; ++i) used[i] = true;
        text::Passage place = passages[lines[best].passage];
        if (place.line > 0) place.line += lines[first].line;
        std::string words = joined(lines, first, last);
        if (words.size() > 2 * kLongestQuote) words = std::string(utf8_prefix(words, 2 * kLongestQuote)) + "…";
        found.push_back({std::move(words), text::place_text(place), lines[best].share});
    }
    return found;
}

std::string summary(std::string_view text, std::size_t sentences)
{
    const std::vector<Line> lines = lines_of({{.text = std::string(text)}}, text::search::guess_language(text));
    if (lines.size() <= sentences) return lines.empty() ? "" : joined(lines, 0, lines.size() - 1);
    std::map<std::string, double> count;
    for (const Line& line : lines)
        for (const std::string& stem : line.stems) ++count[stem];
    std::vector<std::pair<double, std::size_t>> order;
    for (std::size_t i = 0; i < lines.size(); ++i) {
        double said = 0;
        for (const std::string& stem : lines[i].stems)
            if (count[stem] > 1) said += count[stem];
        said /= std::sqrt(static_cast<double>(lines[i].stems.size()) + 4);
        if (i == 0) said *= 1.3;  // most texts begin with what they are about
        order.emplace_back(-said, i);
    }
    std::ranges::sort(order);
    order.resize(sentences);
    std::ranges::sort(order, {}, &std::pair<double, std::size_t>::second);
    std::string all;
    for (const auto& [said, i] : order) all += (all.empty() ? "" : " ") + lines[i].text;
    return all;
}

std::string told_json(std::string_view text, std::string_view question)
{
    if (text.empty() || (text.front() != '{' && text.front() != '[')) return "";
    std::vector<std::pair<std::string, std::string>> leaves;
    try {
        add_leaves(parse_json(text), "", leaves);
    } catch (const Error&) {
        return "";
    }
    const Stems wanted = stems_of(question);
    std::vector<std::size_t> named;
    for (std::size_t i = 0; i < leaves.size(); ++i) {
        const Stems name = stems_of(spaced_name(leaves[i].first));
        if (std::ranges::any_of(name, [&](const std::string& stem) { return wanted.contains(stem); }))
            named.push_back(i);
    }
    // of few all are told: what they are called need not be what they are asked for by
    if (named.empty() || leaves.size() <= 6) {
        named.clear();
        for (std::size_t i = 0; i < leaves.size(); ++i) named.push_back(i);
    }
    std::string all;
    for (std::size_t k = 0; k < std::min(named.size(), kLeavesTold); ++k) {
        const auto& [name, value] = leaves[named[k]];
        const bool is_long = value.size() > kLongestQuote;
        all += fmt::format("{}{}{}{}{}", k == 0 ? "" : "\n", name, name.empty() ? "" : ": ",
                           utf8_prefix(value, kLongestQuote), is_long ? "…" : "");
    }
    if (named.size() > kLeavesTold) all += fmt::format("\n… and {} more", named.size() - kLeavesTold);
    return all;
}

}  // namespace cadre::llm::local
