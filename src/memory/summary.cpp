#include "memory/summary.hpp"

#include "base/utf8.hpp"
#include "text/search/terms.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace cadre::memory {
namespace {

constexpr double kTogetherCosine = 0.8;
/// The same by words, for texts that have no vectors and for encoders that know words only.
constexpr double kTogetherOverlap = 0.4;
constexpr std::size_t kTopicWords = 3;

double cosine(const Vector& a, const Vector& b)
{
    double sum = 0;
    for (std::size_t i = 0; i < a.size() && i < b.size(); ++i) sum += static_cast<double>(a[i]) * b[i];
    return sum;
}

std::vector<std::string> sentences_of(const std::string& text)
{
    std::vector<std::string> all(1);
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (c == '\n') {
            all.emplace_back();
            continue;
        }
        if (c != ' ' || !all.back().empty()) all.back() += c;
        const bool ends = (c == '.' || c == '!' || c == '?') && (i + 1 == text.size() || text[i + 1] == ' ');
        if (ends) all.emplace_back();
    }
    std::erase_if(all, [](const std::string& one) { return one.empty(); });
    return all;
}

struct Sentence {
    std::string text;
    std::set<std::string> terms;
    std::size_t place = 0;
};

}  // namespace

std::vector<std::vector<Member>> clusters(std::vector<Member> members)
{
    std::ranges::sort(members, [](const Member& a, const Member& b) {
        return a.item->created_at != b.item->created_at ? a.item->created_at < b.item->created_at
                                                        : a.item->id < b.item->id;
    });
    std::vector<std::vector<Member>> groups;
    std::vector<Said> leaders;  // of each group, its first
    for (Member& member : members) {
        Said said = said_in(member.item->text);
        std::size_t group = 0;
        while (group < groups.size() && cosine(groups[group].front().vector, member.vector) < kTogetherCosine &&
               overlap(leaders[group], said) < kTogetherOverlap)
            ++group;
        if (group == groups.size()) {
            groups.emplace_back();
            leaders.push_back(std::move(said));
        }
        groups[group].push_back(std::move(member));
    }
    std::erase_if(groups, [](const auto& group) { return group.size() < 2; });
    return groups;
}

std::string summary_of(const std::vector<Member>& members)
{
    std::vector<Sentence> sentences;
    std::map<std::string, double> weights;  // in how many sentences a term is
    for (const Member& member : members)
        for (std::string& text : sentences_of(member.item->text)) {
            const auto terms = text::search::terms_of(text, text::search::Language::english);
            Sentence one{.text = std::move(text), .terms = {terms.begin(), terms.end()}, .place = sentences.size()};
            for (const std::string& term : one.terms) ++weights[term];
            sentences.push_back(std::move(one));
        }
    // the sentence that adds most of what many speak of, then what it says counts no more
    std::vector<Sentence> chosen;
    std::size_t bytes = 0;
    while (!sentences.empty()) {
        const auto worth = [&](const Sentence& one) {
            double sum = 0;
            for (const std::string& term : one.terms) sum += weights[term];
            return sum;
        };
        const auto next = std::ranges::max_element(sentences, {}, worth);
        if (worth(*next) <= 0 || (bytes > 0 && bytes + next->text.size() > kMostSummary)) break;
        for (const std::string& term : next->terms) weights[term] = 0;
        bytes += next->text.size() + 1;
        chosen.push_back(std::move(*next));
        sentences.erase(next);
    }
    std::ranges::sort(chosen, {}, &Sentence::place);
    std::string summary;
    for (const Sentence& one : chosen) summary += (summary.empty() ? "" : " ") + one.text;
    return std::string(utf8_prefix(summary, kMostSummary));
}

std::string topic_of(const std::vector<Member>& members)
{
    struct Word {
        std::string text;
        std::size_t members = 0;
        std::size_t place = 0;  // where it first came
    };
    std::map<std::string, Word> counts;
    for (const Member& member : members) {
        const std::set<std::string> said = said_in(member.item->text).terms;
        std::set<std::string> seen;
        for (const std::string& word : text::search::terms_of(member.item->text, text::search::Language::none)) {
            const auto stem = text::search::terms_of(word, text::search::Language::english);
            if (stem.empty() || !said.contains(stem.front()) || !seen.insert(stem.front()).second) continue;
            Word& one = counts.try_emplace(stem.front(), Word{word, 0, counts.size()}).first->second;
            ++one.members;
        }
    }
    std::vector<Word> order;
    for (auto& [stem, word] : counts) order.push_back(std::move(word));
    std::ranges::sort(order, [](const Word& a, const Word& b) {
        return a.members != b.members ? a.members > b.members : a.place < b.place;
    });
    if (order.size() > kTopicWords) order.resize(kTopicWords);
    std::string topic;
    for (const Word& word : order) topic += (topic.empty() ? "" : " ") + word.text;
    return topic;
}

}  // namespace cadre::memory
