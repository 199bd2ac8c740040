#include "server/query.hpp"

#include "model/describe.hpp"
#include "net/escapes.hpp"
#include "net/http_request_parser.hpp"

#include <boost/json.hpp>

#include <algorithm>
#include <charconv>
#include <string>

namespace cadre::server {
namespace {

namespace json = boost::json;
using model::Kind;

[[noreturn]] void refuse_query(const std::string& text)
{
    throw net::HttpRefusal(400, Code::malformed, "the query of the URL " + text);
}

std::string query_text(std::string_view escaped)
{
    std::string text(escaped);
    std::ranges::replace(text, '+', ' ');
    auto out = net::find_unescaped(text);
    if (!out) refuse_query("has an escape that is not one");
    return std::move(*out);
}

template <class T>
bool is_number(const std::string& text, T& out)
{
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
    return error == std::errc() && end == text.data() + text.size();
}

json::value value_of(const std::string& text, const model::Type& type)
{
    if (type.kind == Kind::optional) return value_of(text, type.item());
    if (type.kind == Kind::boolean) {
        if (text == "true" || text == "1" || text.empty()) return true;
        if (text == "false" || text == "0") return false;
    }
    if (std::int64_t number = 0; type.kind == Kind::integer && is_number(text, number)) return number;
    if (double number = 0; type.kind == Kind::number && is_number(text, number)) return number;
    return json::string(text);
}

}  // namespace

json::object query_object(std::string_view query, const model::Entity& entity)
{
    json::object out;
    while (!query.empty()) {
        const std::string_view pair = query.substr(0, query.find('&'));
        query.remove_prefix(std::min(pair.size() + 1, query.size()));
        if (pair.empty()) continue;
        const std::size_t equals = pair.find('=');
        const std::string name = query_text(pair.substr(0, equals));
        const std::string text = equals == pair.npos ? "" : query_text(pair.substr(equals + 1));
        const auto field = std::ranges::find(entity.fields, std::string_view(name), &model::Field::name);
        if (field != entity.fields.end() && field->type->kind == Kind::list) {
            json::value& list = out.emplace(name, json::array()).first->value();
            list.as_array().push_back(value_of(text, field->type->item()));
            continue;
        }
        json::value value =
            field == entity.fields.end() ? json::value(json::string(text)) : value_of(text, *field->type);
        if (!out.emplace(name, std::move(value)).second) refuse_query("has " + in_quotes(name) + " twice");
    }
    return out;
}

}  // namespace cadre::server
