#include "llm/local/fill.hpp"

#include "base/ascii.hpp"
#include "base/trim.hpp"
#include "llm/local/arithmetic.hpp"
#include "llm/local/slots.hpp"
#include "llm/local/words.hpp"
#include "text/route/features.hpp"

#include <boost/json.hpp>

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>

namespace cadre::llm::local {
namespace {

namespace json = boost::json;
using text::route::plain_form;
using Words = std::initializer_list<std::string_view>;

constexpr int kDeepest = 4;

std::string text_of(const json::object& schema, std::string_view name)
{
    const auto* value = schema.if_contains(name);
    return value && value->is_string() ? std::string(value->get_string()) : "";
}

/// The first that is not null.
std::string type_of(const json::object& schema)
{
    const auto* type = schema.if_contains("type");
    if (type && type->is_string()) return std::string(type->get_string());
    if (type && type->is_array())
        for (const auto& one : type->get_array())
            if (one.is_string() && one.get_string() != "null") return std::string(one.get_string());
    return schema.contains("properties") ? "object" : schema.contains("enum") ? "string" : "";
}

/// An argument that is to be found.
struct Wanted {
    std::string name{};   // in words
    std::string plain{};  // the last of its words
    std::string description{};
    const json::object& schema;
    bool required = false;

    bool is_called(Words words) const
    {
        return std::ranges::any_of(words, [&](std::string_view one) { return local::names(name, one); });
    }
};

class Filling {
public:
    Filling(std::string_view request, std::string_view verb)
        : request_(request), verb_(verb), slots_(find_slots(request))
    {
        used_.resize(slots_.size());
    }

    Filled whole(const json::object& schema, int depth = 0, const std::string& path = "")
    {
        Filled filled;
        const auto* properties = schema.if_contains("properties");
        if (!properties || !properties->is_object() || depth > kDeepest) return filled;
        const auto* required = schema.if_contains("required");
        const auto is_required = [&](std::string_view name) {
            if (!required || !required->is_array()) return false;
            return std::ranges::any_of(required->get_array(), [&](const json::value& one) {
                return one.is_string() && std::string_view(one.get_string()) == name;
            });
        };
        // what must be there chooses first
        for (const bool now : {true, false})
            for (const auto& [key, value] : properties->get_object()) {
                if (!value.is_object() || is_required(key) != now) continue;
                const std::string name(key);
                const json::object& own = value.get_object();
                const std::string words = spaced_name(name);
                const Wanted wanted{words, words.substr(words.rfind(' ') + 1), text_of(own, "description"), own, now};
                if (type_of(own) == "object") {
                    take_object(filled, name, wanted, depth, path);
                    continue;
                }
                if (auto found = value_for(wanted)) {
                    filled.arguments[name] = std::move(*found);
                    ++filled.found;
                    filled.found_form = filled.found_form || by_form_;
                } else if (const auto* usual = own.if_contains("const")) {
                    filled.arguments[name] = *usual;
                } else if (now) {
                    if (const auto* other = own.if_contains("default")) filled.arguments[name] = *other;
                    else filled.missing.push_back({path + name, wanted.description});
                }
            }
        return filled;
    }

private:
    void take_object(Filled& filled, const std::string& name, const Wanted& wanted, int depth, const std::string& path)
    {
        if (!wanted.required && !local::names(request_, wanted.name)) return;
        Filled inner = whole(wanted.schema, depth + 1, path + name + ".");
        if (inner.missing.empty() && (inner.found > 0 || wanted.required)) {
            filled.arguments[name] = std::move(inner.arguments);
            filled.found += inner.found;
        } else if (wanted.required) {
            std::ranges::move(inner.missing, std::back_inserter(filled.missing));
        }
    }

    std::optional<json::value> value_for(const Wanted& wanted)
    {
        by_form_ = false;
        const std::string type = type_of(wanted.schema);
        if (const auto* choices = wanted.schema.if_contains("enum"); choices && choices->is_array())
            return choice(choices->get_array());
        if (type == "integer" || type == "number") return number(wanted, type == "integer");
        if (type == "boolean") return truth(wanted);
        if (type == "array") return list(wanted);
        if (type == "string" || type.empty()) {
            auto found = words_for(wanted);
            if (!found || found->empty()) return std::nullopt;
            return json::value(std::move(*found));
        }
        return std::nullopt;
    }

    // ---- choices, numbers, yes and no ----

    std::optional<json::value> choice(const json::array& choices) const
    {
        const json::value* best = nullptr;
        std::size_t longest = 0;
        for (const json::value& one : choices) {
            const std::string word = one.is_string() ? spaced_name(std::string_view(one.get_string())) : "";
            if (word.size() > longest && local::names(request_, word)) {
                best = &one;
                longest = word.size();
            }
        }
        if (best) return *best;
        const Stems stems = stems_of(request_);
        for (const json::value& one : choices) {  // "celsius" for "degrees Celsius", "cancelled" for "cancel"
            if (!one.is_string()) continue;
            const Stems own = stems_of(spaced_name(std::string_view(one.get_string())));
            if (!own.empty() && std::ranges::includes(stems, own)) return one;
        }
        return std::nullopt;
    }

    bool fits(const Wanted& wanted, double number, bool whole) const
    {
        const auto bound = [&](std::string_view name) -> std::optional<double> {
            const auto* value = wanted.schema.if_contains(name);
            return value && value->is_number() ? std::optional(value->to_number<double>()) : std::nullopt;
        };
        if (whole && number != std::floor(number)) return false;
        if (const auto low = bound("minimum"); low && number < *low) return false;
        if (const auto high = bound("maximum"); high && number > *high) return false;
        return true;
    }

    bool belongs(const Slot& slot, const Wanted& wanted) const
    {
        const Stems about = stems_of(wanted.name + " " + wanted.description);
        for (const std::string& beside : {slot.before, slot.after})
            if (const Stems stems = stems_of(beside); !stems.empty() && std::ranges::includes(about, stems))
                return true;
        return false;
    }

    std::optional<json::value> number(const Wanted& wanted, bool whole)
    {
        std::optional<std::size_t> chosen;
        for (std::size_t i = 0; i < slots_.size() && !chosen; ++i)
            if (is_free_number(i, wanted, whole) && belongs(slots_[i], wanted)) chosen = i;
        for (std::size_t i = 0; i < slots_.size() && !chosen && wanted.required; ++i)
            if (is_free_number(i, wanted, whole)) chosen = i;
        if (!chosen) return std::nullopt;
        used_[*chosen] = true;
        const double value = *number_in(slots_[*chosen].text);
        if (value == std::floor(value) && std::abs(value) < 1e15) return json::value(static_cast<std::int64_t>(value));
        return json::value(value);
    }

    bool is_free_number(std::size_t i, const Wanted& wanted, bool whole) const
    {
        const auto value = slots_[i].kind == SlotKind::number && !used_[i] ? number_in(slots_[i].text) : std::nullopt;
        return value && fits(wanted, *value, whole);
    }

    std::optional<json::value> truth(const Wanted& wanted) const
    {
        if (!local::names(request_, wanted.name)) return std::nullopt;
        for (const std::string_view no :
             {"no", "not", "without", "never", "dont", "ohne", "nicht", "kein", "keine", "sans", "sin"})
            if (local::names(request_, std::string(no) + " " + wanted.name)) return json::value(false);
        return json::value(true);
    }

    std::optional<json::value> list(const Wanted& wanted)
    {
        const auto* items = wanted.schema.if_contains("items");
        const json::object* of = items ? items->if_object() : nullptr;
        json::array all;
        if (const auto* choices = of ? of->if_contains("enum") : nullptr; choices && choices->is_array()) {
            for (const json::value& one : choices->get_array())
                if (one.is_string() && local::names(request_, spaced_name(std::string_view(one.get_string()))))
                    all.push_back(one);
        } else {
            const std::string type = of ? type_of(*of) : "string";
            for (std::size_t i = 0; i < slots_.size(); ++i) {
                const Slot& slot = slots_[i];
                if (used_[i]) continue;
                if ((type == "number" || type == "integer") && slot.kind == SlotKind::number) {
                    const double value = *number_in(slot.text);
                    if (type == "integer" && value != std::floor(value)) continue;
                    if (value == std::floor(value) && std::abs(value) < 1e15)
                        all.emplace_back(static_cast<std::int64_t>(value));
                    else all.emplace_back(value);
                } else if (type == "string" && wanted.required &&
                           (slot.kind == SlotKind::quoted || slot.kind == SlotKind::name)) {
                    all.emplace_back(slot.text);
                } else {
                    continue;
                }
                used_[i] = true;
            }
        }
        if (all.empty()) return std::nullopt;
        return json::value(std::move(all));
    }

    // ---- texts ----

    std::optional<std::string> take(std::initializer_list<SlotKind> kinds, std::string_view before = {})
    {
        for (const SlotKind kind : kinds)
            for (std::size_t i = 0; i < slots_.size(); ++i) {
                if (used_[i] || slots_[i].kind != kind || (!before.empty() && slots_[i].before != before)) continue;
                used_[i] = true;
                return slots_[i].text;
            }
        return std::nullopt;
    }

    std::optional<std::string> formed(std::optional<std::string> found)
    {
        by_form_ = found.has_value();
        return found;
    }

    std::optional<std::string> words_for(const Wanted& wanted)
    {
        const std::string format = text_of(wanted.schema, "format");
        if (format == "email" || wanted.is_called({"email", "mail", "recipient"}))
            return formed(take({SlotKind::email}));
        if (format == "uri" || format == "url" || wanted.is_called({"url", "link", "website", "uri"}))
            return formed(take({SlotKind::url}));
        if (format == "date") return date(true);
        if (format == "date-time" || format == "time") return labelled(wanted);
        if (wanted.is_called({"expression", "formula", "equation", "calculation"}))
            return formed(find_arithmetic(request_));
        if (wanted.is_called({"path", "file", "filename", "folder", "directory"}))
            return formed(take({SlotKind::path}));
        if (wanted.is_called({"timezone", "zone"})) return labelled(wanted);
        if (auto found = labelled(wanted)) return found;
        if (wanted.is_called({"date", "day", "when", "deadline", "start", "end", "from date", "to date"}))
            return date(false);
        if (is_question_like(wanted)) return wanted.required ? question() : std::nullopt;
        if (wanted.is_called({"command", "code", "script"})) return wanted.required ? ticked() : std::nullopt;
        if (!wanted.required) return std::nullopt;  // only what is named by its name
        if (wanted.is_called({"content", "text", "message", "body", "note", "comment", "title", "description", "reason",
                              "summary", "word", "phrase", "input", "value"}))
            return told();
        if (wanted.is_called({"id", "number", "key", "ref", "reference", "ticket", "order", "sku", "invoice", "issue"}))
            if (auto found = take({SlotKind::code, SlotKind::number})) return found;
        if (wanted.is_called({"to", "recipient", "destination", "receiver"}))
            if (auto found = take({SlotKind::email})) return found;
        return named(wanted);
    }

    static bool is_question_like(const Wanted& wanted)
    {
        return wanted.is_called(
            {"query", "q", "question", "search", "keywords", "keyword", "prompt", "request", "topic", "task"});
    }

    std::optional<std::string> date(bool must_be_whole)
    {
        for (std::size_t i = 0; i < slots_.size(); ++i) {
            if (used_[i] || slots_[i].kind != SlotKind::date || (must_be_whole && !is_whole_date(slots_[i].text)))
                continue;
            used_[i] = true;
            by_form_ = true;
            return slots_[i].text;
        }
        return std::nullopt;
    }

    std::optional<std::string> ticked()
    {
        for (std::size_t i = 0; i < slots_.size(); ++i)
            if (!used_[i] && slots_[i].kind == SlotKind::quoted && request_.substr(slots_[i].begin).starts_with('`')) {
                used_[i] = true;
                return slots_[i].text;
            }
        return std::nullopt;
    }

    /// `city: Paris`, `title "Tea"`, `the topic is tea`: what follows its name.
    std::optional<std::string> labelled(const Wanted& wanted)
    {
        if (wanted.name.size() < 3) return std::nullopt;
        for (std::size_t i = 0; i < slots_.size(); ++i)
            if (!used_[i] && slots_[i].kind != SlotKind::number && slots_[i].before == plain_form(wanted.plain)) {
                used_[i] = true;
                return slots_[i].text;
            }
        const std::string plain = lower(request_);  // byte by byte as long as the request
        for (const std::string_view mark : {":", "=", " is "}) {
            const std::string label = wanted.name + std::string(mark);
            const std::size_t at = plain.find(label);
            if (at == plain.npos || (at > 0 && is_letter(plain[at - 1]))) continue;
            const std::size_t begin = at + label.size();
            const std::size_t end = std::min(request_.find_first_of(",;\n?!", begin), request_.size());
            const std::string_view found = trimmed(request_.substr(begin, end - begin), " \t\r\n.\"'");
            if (!found.empty() && found.size() <= 200) return std::string(found);
        }
        return std::nullopt;
    }

    std::optional<std::string> question() const
    {
        for (const Slot& slot : slots_)
            if (slot.kind == SlotKind::quoted && without_lead(request_, verb_).size() <= slot.end - slot.begin + 2)
                return slot.text;
        return std::string(trimmed(without_lead(request_, verb_)));
    }

    /// What is to be written or said: quoted, or behind a colon.
    std::optional<std::string> told()
    {
        if (auto found = take({SlotKind::quoted})) return found;
        const std::size_t colon = request_.find(": ");
        if (colon != request_.npos) return std::string(trimmed(request_.substr(colon + 2)));
        if (verb_.find_first_of("_-. ") != verb_.npos)
            return std::nullopt;  // "echo hello", but not "write a poem" for write_file
        const std::string_view rest = trimmed(without_lead(request_, verb_));
        return rest.size() < trimmed(request_).size() && !rest.empty() && !is_question(request_)
                   ? std::optional(std::string(rest))
                   : std::nullopt;
    }

    std::optional<std::string> named(const Wanted& wanted)
    {
        if (wanted.is_called({"from", "origin", "source", "departure"}))
            for (const std::string_view word : {"from", "von", "de", "desde", "da"})
                if (auto found = take({SlotKind::name}, word)) return found;
        if (wanted.is_called({"to", "destination", "arrival", "target"}))
            for (const std::string_view word : {"to", "nach", "a", "hasta"})
                if (auto found = take({SlotKind::name}, word)) return found;
        for (const std::string_view word :
             {"in", "for", "at", "near", "of", "about", "with", "bei", "fur", "nach", "en", "a", "pour", "para", "di"})
            if (auto found = take({SlotKind::name}, word)) return found;
        if (auto found = take({SlotKind::quoted, SlotKind::name, SlotKind::code})) return found;
        return place(wanted);
    }

    /// "weather in paris": nobody need write capitals.
    std::optional<std::string> place(const Wanted& wanted) const
    {
        if (!wanted.is_called({"city", "location", "place", "country", "region", "town", "name", "customer", "person",
                               "user", "company"}))
            return std::nullopt;
        const std::string_view whole = trimmed(request_, " \t\r\n.?!");
        for (const std::string_view word : {" in ", " for ", " at ", " near ", " of "}) {
            const std::size_t at = whole.rfind(word);
            if (at == whole.npos) continue;
            const std::string_view found = whole.substr(at + word.size());
            if (!found.empty() && std::ranges::count(found, ' ') <= 1 && found.size() <= 60 &&
                !found.starts_with("the "))
                return std::string(found);
        }
        return std::nullopt;
    }

    std::string_view request_, verb_;
    std::vector<Slot> slots_;
    std::vector<bool> used_;
    bool by_form_ = false;  // what was found last, by its form
};

constexpr std::string_view kLeads[] = {"please ", "can you ",   "could you ",       "would you ",
                                       "bitte ",  "i want to ", "i would like to ", "i need to "};
constexpr std::string_view kVerbs[] = {"search for ", "search ", "look up ", "look for ",  "find out about ",
                                       "find ",       "query ",  "google ",  "ask about ", "tell me about ",
                                       "suche nach ", "suche ",  "cherche ", "busca ",     "cerca "};

}  // namespace

std::string_view without_lead(std::string_view request, std::string_view verb)
{
    std::string_view rest = trimmed(request);
    const auto drop = [&](std::string_view lead) {
        if (rest.size() <= lead.size() || !same_in_any_case(rest.substr(0, lead.size()), lead)) return false;
        rest = trimmed(rest.substr(lead.size()));
        return true;
    };
    for (const std::string_view lead : kLeads) drop(lead);
    for (const std::string_view lead : kVerbs)
        if (drop(lead)) return rest;
    const std::string words = spaced_name(verb);
    if (!words.empty() && !drop(words + " ")) drop(words.substr(0, words.find(' ')) + " ");
    return rest;
}

std::string question_argument(const json::object& schema)
{
    const auto* properties = schema.if_contains("properties");
    if (!properties || !properties->is_object()) return "";
    for (const std::string_view name :
         {"query", "question", "q", "search_query", "search", "keywords", "text", "prompt"}) {
        const auto* property = properties->get_object().if_contains(name);
        if (property && property->is_object() && type_of(property->get_object()) == "string" &&
            !property->get_object().contains("enum"))
            return std::string(name);
    }
    return "";
}

Filled fill(const json::object& schema, std::string_view request, std::string_view verb)
{
    return Filling(request, verb).whole(schema);
}

}  // namespace cadre::llm::local
