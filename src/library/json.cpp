// What public headers need to know about JSON, and about the arguments of tools.
#include "base/json.hpp"
#include "base/error.hpp"
#include "cadre/detail/json.hpp"
#include "cadre/failure.hpp"
#include "cadre/tool.hpp"
#include "library/translated.hpp"

#include <boost/json.hpp>
#include <fmt/core.h>

#include <cmath>
#include <utility>

namespace cadre {

namespace {

json::value parsed(std::string_view text)
{
    return library::translated([&] { return parse_json(text); });
}

/// Found in the arguments: nothing when there is none, or they are not an object.
json::value find_argument(const std::string& text, std::string_view name)
{
    const json::value arguments = parsed(text);
    const json::object* object = arguments.if_object();
    const json::value* found = object ? object->if_contains(name) : nullptr;
    return found ? *found : json::value();
}

[[noreturn]] void fail_type(std::string_view wanted, std::string_view text)
{
    throw Failure(Code::invalid, fmt::format("must be {}, and is {}", wanted, in_quotes(text)));
}

}  // namespace

std::string Arguments::text(std::string_view name) const
{
    const json::value found = find_argument(json_, name);
    return found.is_string() ? std::string(found.get_string()) : std::string();
}

double Arguments::number(std::string_view name) const
{
    const json::value found = find_argument(json_, name);
    return found.is_number() ? found.to_number<double>() : 0;
}

bool Arguments::flag(std::string_view name) const
{
    const json::value found = find_argument(json_, name);
    return found.is_bool() && found.get_bool();
}

namespace detail {

std::string text_from(std::string_view text)
{
    const json::value value = parsed(text);
    if (!value.is_string()) fail_type("text", text);
    return std::string(value.get_string());
}

double number_from(std::string_view text)
{
    const json::value value = parsed(text);
    if (!value.is_number()) fail_type("a number", text);
    return value.to_number<double>();
}

bool flag_from(std::string_view text)
{
    const json::value value = parsed(text);
    if (!value.is_bool()) fail_type("true or false", text);
    return value.get_bool();
}

long long integer_from(std::string_view text, long long least, long long most)
{
    const json::value value = parsed(text);
    boost::system::error_code error;
    const auto number = value.to_number<std::int64_t>(error);  // 3.0 is an integer, too
    if (!value.is_number() || error) fail_type("an integer", text);
    if (number < least || number > most) fail_type(fmt::format("between {} and {}", least, most), text);
    return number;
}

std::vector<std::string> items_from(std::string_view text)
{
    const json::value value = parsed(text);
    if (!value.is_array()) fail_type("a list", text);
    std::vector<std::string> items;
    for (const json::value& item : value.get_array()) items.push_back(to_text(item));
    return items;
}

std::vector<std::pair<std::string, std::string>> members_from(std::string_view text)
{
    const json::value value = parsed(text);
    if (!value.is_object()) fail_type("an object", text);
    std::vector<std::pair<std::string, std::string>> members;
    for (const auto& [name, member] : value.get_object()) members.emplace_back(name, to_text(member));
    return members;
}

std::string json_of(std::string_view text)
{
    return to_text(json::value(text));
}

std::string json_of_number(double number)
{
    if (!std::isfinite(number)) throw Failure(Code::invalid, "JSON has no number that is infinite, or none");
    return fmt::format("{}", number);
}

void fail_in(std::string_view name)
{
    try {
        throw;
    } catch (const Failure& failure) {
        throw Failure(failure.code(), fmt::format("{}: {}", name, failure.what()));
    }
}

void fail_missing(std::string_view name)
{
    throw Failure(Code::invalid, fmt::format("{}: is missing", name));
}

std::vector<Parameter> names_for(std::string_view tool, std::vector<Parameter> given, std::size_t wanted)
{
    if (given.empty())
        for (std::size_t i = 1; i <= wanted; ++i) given.emplace_back(fmt::format("arg{}", i).c_str());
    if (given.size() != wanted)
        throw Failure(Code::invalid, fmt::format("the function of the tool {} takes {} arguments, and {} are named",
                                                 in_quotes(tool), wanted, given.size()));
    for (std::size_t i = 0; i < given.size(); ++i)
        for (std::size_t j = 0; j < i; ++j)
            if (given[i].name == given[j].name)
                throw Failure(Code::invalid, fmt::format("two arguments of the tool {} are called {}", in_quotes(tool),
                                                         in_quotes(given[i].name)));
    return given;
}

}  // namespace detail
}  // namespace cadre
