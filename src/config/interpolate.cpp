#include "config/interpolate.hpp"

#include "base/error.hpp"
#include "base/json.hpp"
#include "config/scalar.hpp"
#include "config/variable_name.hpp"
#include "model/describe.hpp"

#include <boost/json.hpp>
#include <fmt/core.h>

namespace cadre::config {

namespace {

/// A piece of text, or a reference.
struct Piece {
    std::string_view text{};  // literal, or the whole ${…} where it has no meaning
    std::string_view name{};  // of the variable; empty: not a reference
    std::optional<std::string_view> fallback{};
    bool malformed = false;
};

/// Takes the next piece off the front of `rest`, which is not empty.
Piece next_piece(std::string_view& rest)
{
    const auto take = [&](std::size_t size) {
        const std::string_view taken = rest.substr(0, size);
        rest.remove_prefix(taken.size());
        return taken;
    };
    if (rest.starts_with("$${")) {
        take(1);
        return {.text = take(2)};
    }
    if (!rest.starts_with("${")) {
        std::size_t end = rest.find('$', 1);
        while (end != rest.npos && !rest.substr(end).starts_with("${") && !rest.substr(end).starts_with("$${"))
            end = rest.find('$', end + 1);
        return {.text = take(end)};
    }
    const std::size_t end = rest.find('}');
    const std::string_view inside = rest.substr(2, end == rest.npos ? rest.npos : end - 2);
    const std::size_t colon = inside.find(":-");
    const std::string_view name = inside.substr(0, colon);
    const bool nested = inside.find("${") != inside.npos;  // would end at the inner brace and mean something else
    if (end == rest.npos || nested || !is_variable_name(name))
        return {.text = take(end == rest.npos ? end : end + 1), .malformed = true};
    Piece piece{.name = name};
    if (colon != inside.npos) piece.fallback = inside.substr(colon + 2);
    take(end + 1);
    return piece;
}

class Interpolation {
public:
    Interpolation(const std::string& file, Variables& variables, Findings& findings)
        : file_(file), variables_(variables), findings_(findings)
    {}

    void value(json::value& value, Place& place)
    {
        std::size_t i = 0;
        if (auto* array = value.if_array())
            for (json::value& item : *array) this->value(item, place.items[i++]);
        else if (auto* object = value.if_object())
            for (auto& member : *object) this->value(member.value(), place.items[i++]);
        else if (auto* string = value.if_string();
                 string && std::string_view(*string).find("${") != std::string_view::npos)
            value = text(std::string(*string), place);
    }

private:
    std::string text(const std::string& written, Place& place)
    {
        std::string result;
        std::string_view rest = written;
        while (!rest.empty()) {
            const bool first = rest.size() == written.size();
            const Piece piece = next_piece(rest);
            if (piece.malformed) {
                problem(place,
                        fmt::format("{} is not a reference like ${{NAME}} or ${{NAME:-default}}; write $${{ for the "
                                    "characters themselves",
                                    in_quotes(piece.text)));
                result += piece.text;
                continue;
            }
            if (piece.name.empty()) {
                result += piece.text;
                continue;
            }
            const std::string name(piece.name);
            if (const auto found = variables_.refer(name)) {
                result += *found;
                place.variable = name;
                place.written = written;
                findings_.hide(*found, fmt::format("${{{}}}", name));
            } else if (piece.fallback) {
                result += *piece.fallback;
            } else if (variables_.is_empty(name)) {
                place.variable = name;
                place.is_set_empty = true;
                findings_.warn(file_, place.at,
                               fmt::format("the variable {0} is set but empty; give it a value, or write a default: "
                                           "${{{0}:-…}}",
                                           name));
            } else {
                problem(place,
                        fmt::format("the variable {0} is not set; set it in the environment{1}, or write a default: "
                                    "${{{0}:-…}}",
                                    name, is_refused_in_dotenv(name) ? "" : " or in .env"));
            }
            place.reference = first && rest.empty();
        }
        if (!place.written.empty()) findings_.hide(result, place.written);
        return result;
    }

    void problem(Place& place, std::string text)
    {
        place.reported = true;
        findings_.error(file_, place.at, std::move(text));
    }

    const std::string& file_;
    Variables& variables_;
    Findings& findings_;
};

void convert(json::value& value, const Place& place, const model::Type& type)
{
    using model::Kind;
    switch (type.kind) {
    case Kind::boolean:
    case Kind::integer:
    case Kind::number:
        if (json::value resolved; place.reference && value.is_string() &&
                                  resolve_plain(std::string_view(value.get_string()), resolved) == Resolved::value)
            value = std::move(resolved);
        break;
    case Kind::optional: convert(value, place, type.item()); break;
    case Kind::list:
        if (auto* array = value.if_array())
            for (std::size_t i = 0; i < array->size(); ++i) convert((*array)[i], place.items[i], type.item());
        break;
    case Kind::dict:
        if (auto* object = value.if_object()) {
            std::size_t i = 0;
            for (auto& member : *object) convert(member.value(), place.items[i++], type.item());
        }
        break;
    case Kind::entity: convert_references(value, place, type.entity()); break;
    case Kind::variant:
        if (const auto* object = value.if_object())
            if (const auto* tag = object->if_contains("type"); tag && tag->is_string())
                for (std::size_t i = 0; i < type.alternatives; ++i)
                    if (type.alternative(i).tag == std::string_view(tag->get_string()))
                        convert_references(value, place, type.alternative(i));
        break;
    case Kind::string:
    case Kind::time:
    case Kind::id:
    case Kind::any:
    case Kind::object:
    case Kind::enumeration: break;
    }
}

}  // namespace

void interpolate(Document& document, Variables& variables, Findings& findings)
{
    Interpolation(document.file, variables, findings).value(document.value, document.root);
}

std::string without_references(std::string_view text)
{
    std::string result;
    while (!text.empty())
        if (const Piece piece = next_piece(text); piece.name.empty() && !piece.malformed) result += piece.text;
    return result;
}

std::vector<Default> defaults_in(std::string_view text)
{
    std::vector<Default> all;
    while (!text.empty())
        if (const Piece piece = next_piece(text); piece.fallback)
            all.push_back({std::string(piece.name), std::string(*piece.fallback)});
    return all;
}

void convert_references(json::value& value, const Place& place, const model::Entity& entity)
{
    auto* object = value.if_object();
    if (!object) return;
    std::size_t i = 0;
    for (auto& member : *object) {
        if (const model::Field* field = entity.find(member.key())) {
            const Place& at = place.items[i];
            // where a secret is, not what it is: that is looked up by whoever needs it
            if (field->rule.secret && at.reference && !at.variable.empty()) member.value() = "${" + at.variable + "}";
            else convert(member.value(), at, *field->type);
        }
        ++i;
    }
}

}  // namespace cadre::config
