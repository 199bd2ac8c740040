#include "home/control/control.hpp"

#include "base/json.hpp"
#include "base/json_writer.hpp"
#include "base/member_text.hpp"

#include <boost/json.hpp>
#include <fmt/core.h>

namespace cadre::home {
namespace {

constexpr JsonLimits kLineLimits{.bytes = kLongestLine, .depth = 128, .nodes = 1'000'000};

std::string error_text(Code code, std::string_view message, const Hint& hint = {})
{
    std::string line;
    JsonWriter json(line);
    json.begin_object().key("error").begin_object();
    json.field("code", name_of(code)).field("message", message);
    if (!hint.verb.empty()) json.field("hint", hint.verb).field("hint_purpose", hint.purpose);
    json.end_object().end_object();
    return line + "\n";
}

}  // namespace

std::string to_line(const Request& request)
{
    std::string line;
    JsonWriter json(line);
    json.begin_object().field("verb", request.verb).key("args").raw(cadre::to_text(boost::json::value(request.args)));
    json.end_object();
    return line + "\n";
}

Request request_from(std::string_view line)
{
    boost::json::object object = parse_line(line);
    Request request{.verb = text_of(object, "verb")};
    if (auto* args = object.if_contains("args"); args && args->is_object())
        request.args = std::move(args->get_object());
    return request;
}

std::string ok_line(std::string_view result)
{
    return fmt::format("{{\"ok\":{}}}\n", result);
}

std::string error_line(const std::exception_ptr& failure)
{
    try {
        std::rethrow_exception(failure);
    } catch (const Leaving&) {
        return leaving_line();
    } catch (const Error& error) {
        return error_text(error.code(), error.what(), error.hint());
    } catch (const std::exception& error) {
        return error_text(Code::internal, error.what());
    } catch (...) {
        return error_text(Code::internal, "an unknown failure");
    }
}

std::string leaving_line()
{
    return "{\"leaving\":true}\n";
}

std::string event_line(std::uint32_t number, std::string_view json)
{
    return fmt::format("{{\"seq\":{},\"event\":{}}}\n", number, json);
}

boost::json::object parse_line(std::string_view line)
{
    boost::json::value value = parse_json(line, kLineLimits);
    if (!value.is_object()) throw Error(Code::malformed, "a line that is no JSON object: " + in_quotes(line));
    return std::move(value.get_object());
}

const boost::json::value* result_in(const boost::json::object& line)
{
    if (line.contains("leaving")) throw Leaving{};
    if (const auto* error = line.if_contains("error"); error && error->is_object())
        throw Error(
            code_of(text_of(error->get_object(), "code")), text_of(error->get_object(), "message"),
            {.purpose = text_in(error->get_object(), "hint_purpose"), .verb = text_in(error->get_object(), "hint")});
    return line.if_contains("ok");
}

std::string text_of(const boost::json::object& args, std::string_view name)
{
    const auto* value = args.if_contains(name);
    if (!value || !value->is_string()) throw Error(Code::invalid, fmt::format("{} is missing", name));
    return std::string(value->get_string());
}

}  // namespace cadre::home
