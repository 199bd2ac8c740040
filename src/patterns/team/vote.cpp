#include "patterns/team/vote.hpp"

#include "base/error.hpp"
#include "base/json.hpp"

#include <boost/json.hpp>

#include <algorithm>
#include <cctype>
#include <set>
#include <vector>

namespace cadre::patterns {

namespace {

using Words = std::vector<std::string>;

/// Small, without what decorates them; `don't` and `+1` are words.
Words words_of_line(std::string_view line)
{
    Words words{""};
    for (const char c : line) {
        const auto byte = static_cast<unsigned char>(c);
        if (std::isalnum(byte) || c == '\'' || c == '+' || c == '-' || byte >= 0x80)
            words.back() += static_cast<char>(std::tolower(byte));
        else if (!words.back().empty()) words.emplace_back();
    }
    if (words.back().empty()) words.pop_back();
    for (std::string& word : words)  // typographic apostrophes
        if (const std::size_t at = word.find("\xe2\x80\x99"); at != word.npos) word.replace(at, 3, "'");
    return words;
}

bool is_one_of(std::string_view word, std::initializer_list<std::string_view> all)
{
    return std::ranges::find(all, word) != all.end();
}

/// What a word says wherever it stands.
std::optional<Choice> meaning_of(std::string_view word)
{
    if (is_one_of(word, {"approve", "approves", "approved", "approval", "accept", "accepts", "accepted", "agree",
                         "agrees", "agreed", "lgtm", "aye", "+1", "\xf0\x9f\x91\x8d"}))
        return Choice::approve;
    if (is_one_of(word, {"reject", "rejects", "rejected", "rejection", "disapprove", "disagree", "disagrees", "decline",
                         "declined", "oppose", "opposed", "veto", "nay", "-1", "\xf0\x9f\x91\x8e"}))
        return Choice::reject;
    if (is_one_of(word, {"abstain", "abstains", "abstained", "abstention"})) return Choice::abstain;
    return std::nullopt;
}

/// What a word says as the first of an answer, or behind `vote:`.
std::optional<Choice> meaning_in_front(std::string_view word)
{
    if (is_one_of(word, {"yes", "yep", "yeah"})) return Choice::approve;
    if (is_one_of(word, {"no", "nope"})) return Choice::reject;
    return meaning_of(word);
}

bool negates(std::string_view word)
{
    return is_one_of(word,
                     {"not", "never", "cannot", "neither", "without", "unable", "refuse", "refuses", "refused"}) ||
           word.ends_with("n't");
}

/// With one of these a clause may mean anything: "I would approve it if it had tests", "I approve nothing of this".
bool hedges(std::string_view word)
{
    return is_one_of(word,
                     {"if",  "once",   "unless", "until",   "only", "when", "would", "could",  "should", "might",
                      "may", "hardly", "barely", "nothing", "none", "nor",  "no",    "reason", "more",   "provided"});
}

/// Whether one of the few words before that one turns it round: "I do not fully approve".
bool is_negated(const Words& words, std::size_t at)
{
    for (std::size_t back = 1; back <= 3 && back <= at; ++back)
        if (negates(words[at - back])) return true;
    return false;
}

/// Of one clause: all that it says, with both sides where it cannot be told.
std::set<Choice> choices_in(const Words& words)
{
    std::set<Choice> found;
    const auto negations = std::ranges::count_if(words, negates);
    const bool begins_with_no = !words.empty() && words[0] == "no";  // which is an answer
    const bool is_hedged = std::ranges::any_of(words.begin() + (begins_with_no ? 1 : 0), words.end(), hedges);
    for (std::size_t i = 0; i < words.size(); ++i) {
        const auto meaning = meaning_of(words[i]);
        if (!meaning) continue;
        const bool is_turned = is_negated(words, i);
        const bool is_clear = !is_hedged && negations == (is_turned ? 1 : 0);
        if (*meaning == Choice::abstain || (is_clear && !is_turned)) found.insert(*meaning);
        else if (is_clear && *meaning == Choice::approve) found.insert(Choice::reject);
        else found.insert({Choice::approve, Choice::reject});  // "I do not reject it" is not an approval
    }
    return found;
}

/// The clauses of a line that say something, each as its words: what is asked is not said.
std::vector<Words> clauses_of(std::string_view line)
{
    std::vector<Words> clauses;
    while (!line.empty()) {
        const std::size_t end = std::min(line.find_first_of(".;:?!("), line.size());
        Words words = words_of_line(line.substr(0, end));
        const bool is_question = end < line.size() && line[end] == '?';
        line.remove_prefix(std::min(end + 1, line.size()));
        if (words.empty() || is_question) continue;
        const auto turn = std::ranges::find_if(
            words, [](const std::string& word) { return is_one_of(word, {"but", "yet", "still", "however"}); });
        if (turn != words.begin() && turn != words.end()) {
            clauses.emplace_back(words.begin(), turn);
            words.erase(words.begin(), turn);
        }
        clauses.push_back(std::move(words));
    }
    return clauses;
}

/// `Vote: approve`, `I vote no`. A form that is repeated, `vote (approve or reject)`, says nothing.
std::optional<Choice> labelled(const Words& words)
{
    for (std::size_t i = 0; i + 1 < words.size(); ++i) {
        if (!is_one_of(words[i], {"vote", "verdict"}) || is_negated(words, i)) continue;
        const auto meaning = meaning_in_front(words[i + 1]);
        if (!meaning) continue;
        const bool is_form = i + 2 < words.size() && (words[i + 2] == "or" || meaning_of(words[i + 2]));
        return is_form ? std::nullopt : meaning;
    }
    return std::nullopt;
}

/// Of one clause; `is_first`: of the answer.
std::set<Choice> choices_of_clause(const Words& words, bool is_first)
{
    const bool is_fine = words.size() > 1 && words[0] == "no" && words[1].starts_with("objection");
    std::set<Choice> found = choices_in(words);
    if (is_fine) found.insert(Choice::approve);
    else if (const auto choice = is_first ? meaning_in_front(words[0]) : std::nullopt) found.insert(*choice);
    return found;
}

/// What all clauses say that say anything; nothing when they do not agree.
std::optional<Choice> choice_in(std::string_view text)
{
    std::set<Choice> all;
    bool is_first = true;
    std::string only;  // of an answer of one word
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        const std::string_view line = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        if (const auto choice = labelled(words_of_line(line))) {
            all.insert(*choice);
            is_first = false;
            continue;
        }
        for (const Words& words : clauses_of(line)) {
            if (is_first && words.size() == 1) only = words[0];
            else only.clear();
            all.merge(choices_of_clause(words, is_first));
            is_first = false;
        }
    }
    if (all.empty() && is_one_of(only, {"ok", "okay", "sure"}))
        return Choice::approve;  // before a sentence they are filler
    return all.size() == 1 ? std::optional(*all.begin()) : std::nullopt;
}

/// A member by its name in any case; null: there is none.
const json::value* member_of(const json::object& object, std::initializer_list<std::string_view> names)
{
    for (const auto& [key, value] : object) {
        std::string name(key);
        std::ranges::transform(name, name.begin(), [](unsigned char c) { return std::tolower(c); });
        if (is_one_of(name, names)) return &value;
    }
    return nullptr;
}

/// The object from the first brace to the last, whatever stands around it.
std::optional<json::object> object_in(std::string_view text)
{
    const std::size_t begin = text.find('{'), end = text.rfind('}');
    if (begin == text.npos || end == text.npos || end < begin) return std::nullopt;
    try {
        const json::value value = parse_json(text.substr(begin, end + 1 - begin));
        if (const auto* object = value.if_object()) return *object;
    } catch (const Error&) {  // braces in plain words
    }
    return std::nullopt;
}

const json::value* verdict_in(const std::optional<json::object>& object)
{
    return object ? member_of(*object, {"vote", "verdict"}) : nullptr;
}

std::optional<Choice> choice_of(const json::value& verdict)
{
    if (const bool* agrees = verdict.if_bool()) return *agrees ? Choice::approve : Choice::reject;
    const auto* word = verdict.if_string();
    return word ? choice_in(*word) : std::nullopt;
}

}  // namespace

std::optional<Choice> choice_in_json(std::string_view text)
{
    const auto object = object_in(text);
    const json::value* said = verdict_in(object);
    return said ? choice_of(*said) : std::nullopt;
}

std::optional<Vote> read_vote(std::string_view agent, std::string_view text)
{
    Vote vote{.agent = std::string(agent), .reasoning = std::string(text)};
    const auto object = object_in(text);
    const json::value* said = verdict_in(object);
    const std::optional<Choice> choice = said ? choice_of(*said) : choice_in(text);
    if (!choice) return std::nullopt;
    vote.choice = *choice;
    if (const json::value* why = object ? member_of(*object, {"reasoning", "reason", "why"}) : nullptr; said && object)
        vote.reasoning = why && why->is_string() ? std::string(why->get_string()) : "";
    return vote;
}

std::string_view word_of(Choice choice)
{
    constexpr std::string_view words[] = {"approve", "reject", "abstain"};
    return words[static_cast<std::size_t>(choice)];
}

}  // namespace cadre::patterns
