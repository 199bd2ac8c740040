#include "llm/local/choose_tool.hpp"

#include "base/error.hpp"
#include "base/json.hpp"
#include "llm/local/words.hpp"
#include "text/encoder.hpp"
#include "text/route/classifier.hpp"
#include "text/route/features.hpp"

#include <boost/json.hpp>

#include <algorithm>
#include <cmath>
#include <map>

namespace cadre::llm::local {
namespace {

namespace json = boost::json;

/// Of a name, these say how, not what.
constexpr std::string_view kPlainVerbs[] = {"get",   "list", "find",   "search", "query",    "fetch",
                                            "read",  "show", "lookup", "look",   "tool",     "run",
                                            "check", "api",  "data",   "info",   "describe", "retrieve"};
constexpr double kPlainWeight = 0.35;

/// Names of tools that change something, and how else people say it.
struct Act {
    std::string_view name;
    std::string_view said;
};
constexpr Act kActs[] = {{"write", "write save store put schreib schreibe speichere ecris escribe"},
                         {"save", "save store keep speichere"},
                         {"send", "send mail text message schick sende envoie envia"},
                         {"delete", "delete remove erase drop losche supprime borra"},
                         {"remove", "remove delete drop entferne"},
                         {"create", "create make add new open erstelle anlegen cree crea"},
                         {"add", "add create put new hinzufugen"},
                         {"update", "update change set edit andere aktualisiere"},
                         {"edit", "edit change"},
                         {"set", "set change turn switch stelle setze"},
                         {"turn", "turn switch"},
                         {"book", "book reserve buche reserviere"},
                         {"order", "order buy bestelle"},
                         {"buy", "buy order kaufe"},
                         {"pay", "pay bezahle zahle"},
                         {"refund", "refund reimburse erstatte"},
                         {"cancel", "cancel storniere"},
                         {"post", "post publish"},
                         {"publish", "publish post"},
                         {"notify", "notify tell inform"},
                         {"ask", "ask frag frage"},
                         {"move", "move"},
                         {"rename", "rename"},
                         {"upload", "upload"},
                         {"deploy", "deploy"},
                         {"restart", "restart"},
                         {"kill", "kill stop"},
                         {"stop", "stop"},
                         {"start", "start"},
                         {"close", "close"},
                         {"open", "open"},
                         {"approve", "approve"},
                         {"reject", "reject"},
                         {"remember", "remember note merke"},
                         {"forget", "forget vergiss"},
                         {"schedule", "schedule"},
                         {"submit", "submit"},
                         {"insert", "insert add"},
                         {"execute", "execute run"},
                         {"transfer", "transfer"},
                         {"charge", "charge"}};

const Act* act_of(const std::string& name)
{
    for (const std::string_view what : {"status", "state", "history", "hours", "info", "details", "list"})
        if (names(name, what)) return nullptr;  // `order_status` orders nothing
    const std::string first = name.substr(0, name.find(' '));
    const auto found = std::ranges::find(kActs, first, &Act::name);
    return found == std::end(kActs) ? nullptr : found;
}

/// Whether the request tells somebody to do it, and does not ask whether, how or why it is done.
bool orders(std::string_view request, const Act& act)
{
    const std::string plain = text::route::plain_form(request);
    for (const std::string_view asking :
         {"how do", "how can", "how to", "how does", "why", "what happens", "what if", "when do", "may i", "can i",
          "am i", "is it", "do i", "should i", "wie kann", "kann ich", "darf ich", "warum"})
        if (plain.starts_with(asking)) return false;
    for (const std::string_view no : {"do not ", "dont ", "never ", "without "})
        if (plain.find(no) != plain.npos && plain.find(no) < 12) return false;
    std::string_view said = act.said;
    while (!said.empty()) {
        const std::size_t end = std::min(said.find(' '), said.size());
        if (names(plain, said.substr(0, end))) return true;
        said.remove_prefix(std::min(end + 1, said.size()));
    }
    return false;
}

std::string words_of(const Candidate& tool)
{
    std::string all = tool.spec->description;
    if (const auto* properties = tool.schema.if_contains("properties"); properties && properties->is_object())
        for (const auto& [name, property] : properties->get_object()) {
            all += ' ' + spaced_name(std::string_view(name));
            const auto* says = property.is_object() ? property.get_object().if_contains("description") : nullptr;
            if (says && says->is_string()) all += ' ' + std::string(says->get_string());
        }
    return all;
}

/// How much of a tool's name the request says.
double name_share(const std::string& name, const Stems& request)
{
    double said = 0, whole = 0;
    for (const std::string& stem : stems_of(name)) {
        const bool is_plain = std::ranges::any_of(
            kPlainVerbs, [&](std::string_view verb) { return stem == verb || stem.starts_with(verb); });
        const double weight = is_plain ? kPlainWeight : 1;
        whole += weight;
        if (request.contains(stem)) said += weight;
    }
    return whole == 0 ? 0 : said / whole;
}

bool asks_for_time(std::string_view request)
{
    return std::ranges::any_of(
        std::initializer_list<std::string_view>{
            "what time is it",  "what's the time", "whats the time",        "what is the time",
            "current time",     "time now",        "what day is it",        "what date is it",
            "what is the date", "today's date",    "todays date",           "what is today",
            "current date",     "date today",      "the date and time",     "wie spat",
            "wieviel uhr",      "wie viel uhr",    "welcher tag ist heute", "quelle heure",
            "que hora es",      "que horas sao",   "che ore sono"},
        [&](std::string_view one) { return names(request, one); });
}

bool tells_time(const std::string& name)
{
    return names(name, "clock") || names(name, "time") || names(name, "now") || names(name, "current time");
}

/// How rare a word is among the tools: what one of them says counts, what all say does not.
class Rarity {
public:
    explicit Rarity(const std::vector<Stems>& texts) : count_(static_cast<double>(texts.size()))
    {
        for (const Stems& stems : texts)
            for (const std::string& stem : stems) ++in_[stem];
    }
    double operator()(const std::string& stem) const
    {
        const auto found = in_.find(stem);
        // what no tool says is about the matter, not about the tool
        return found == in_.end() ? 0.6 : std::log(1 + (count_ + 1) / found->second);
    }

private:
    double count_;
    std::map<std::string, double> in_{};
};

}  // namespace

bool is_control(std::string_view name)
{
    return name == "handoff" || name == "delegate" || name == "collaborate" || name == "search_tools" ||
           name == "tool_search";
}

std::vector<Candidate> candidates(const std::vector<ToolSpec>& tools)
{
    std::vector<Candidate> all;
    for (const ToolSpec& spec : tools) {
        if (is_control(spec.name)) continue;
        try {
            json::value schema = parse_json(spec.input_schema.empty() ? "{}" : spec.input_schema);
            if (!schema.is_object()) continue;
            Candidate one{.spec = &spec, .schema = std::move(schema.get_object())};
            const std::string name = spaced_name(spec.name);
            const bool looks = names(name, "search") || names(name, "lookup") || names(name, "knowledge") ||
                               names(name, "recall") || names(name, "find") || names(name, "query") ||
                               names(name, "ask docs");
            one.searches = looks && !act_of(name) && !question_argument(one.schema).empty();
            all.push_back(std::move(one));
        } catch (const Error&) {  // its arguments cannot be known
        }
    }
    return all;
}

std::vector<Ranked> rank(std::span<const Candidate> tools, std::string_view request,
                         const std::shared_ptr<const text::Encoder>& encoder)
{
    const Stems said = stems_of(request);
    std::vector<Stems> about;
    for (const Candidate& tool : tools) about.push_back(stems_of(spaced_name(tool.spec->name) + " " + words_of(tool)));
    const Rarity rarity(about);
    double whole = 0;
    for (const std::string& stem : said) whole += rarity(stem);

    std::vector<double> meaning(tools.size());
    if (encoder && tools.size() > 1) {
        std::vector<text::route::Entry> entries;
        for (const Candidate& tool : tools)
            entries.push_back({spaced_name(tool.spec->name), tool.spec->description, {}});
        const auto verdict = text::route::Classifier(entries, encoder).classify(request);
        if (!verdict.is_out_of_scope())
            for (const auto& standing : verdict.best) meaning[standing.entry] = standing.probability;
    }

    std::vector<Ranked> ranked;
    for (std::size_t i = 0; i < tools.size(); ++i) {
        const Candidate& tool = tools[i];
        const std::string name = spaced_name(tool.spec->name);
        const Act* act = act_of(name);
        if (act && !orders(request, *act)) continue;
        double overlap = 0;
        for (const std::string& stem : said)
            if (about[i].contains(stem)) overlap += rarity(stem);
        const double own = name_share(name, said);
        Ranked one{.tool = &tool, .named = own, .filled = fill(tool.schema, request, tool.spec->name)};
        one.score = 0.5 * own + (whole > 0 ? 0.4 * overlap / whole : 0) + 0.25 * meaning[i];
        if (act && own > 0) one.score += 0.25;
        if (one.filled.found_form) one.score += 0.45;
        else if (one.filled.found > 0 && !tool.searches) one.score += 0.1;
        if (tells_time(name)) one.score = asks_for_time(request) ? 1 : one.score - 0.2;
        one.score = std::clamp(one.score, 0.0, 1.0);
        ranked.push_back(std::move(one));
    }
    std::ranges::sort(ranked, [](const Ranked& a, const Ranked& b) {
        return a.score != b.score ? a.score > b.score : a.tool < b.tool;  // of equals the one that is named first
    });
    return ranked;
}

}  // namespace cadre::llm::local
