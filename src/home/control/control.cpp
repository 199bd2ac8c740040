#include "home/control/control.hpp"

#include "base/json.hpp"
#include "base/json_writer.hpp"
#include "base/member_text.hpp"
#include "engine/numbered_event.hpp"
#include "home/home_owner.hpp"
#include "model/read.hpp"
#include "model/write.hpp"

#include <boost/json.hpp>
#include <fmt/core.h>

namespace cadre::home {
namespace {

constexpr model::ReadOptions kFromOthers{.ignore_unknown = true};
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

std::string request_line(std::string_view verb, std::string_view by, std::string_view args)
{
    std::string line;
    JsonWriter(line).begin_object().field("verb", verb).field("by", by).key("args").raw(args).end_object();
    return line + "\n";
}

Request request_from(std::string_view line)
{
    boost::json::object object = parse_line(line);
    Request request{.verb = text_in(object, "verb"), .by = text_in(object, "by")};
    if (request.verb.empty()) throw Error(Code::invalid, "verb is missing");
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

std::string line_of(const Told& told)
{
    struct Lines {
        std::string operator()(const engine::EventPtr& event) const { return engine::line_of(*event); }
        std::string operator()(const model::StreamChunk& chunk) const
        {
            return member("chunk", model::to_json_text(chunk));
        }
        std::string operator()(const engine::ChunkGap&) const { return member("gap", "true"); }
        std::string operator()(const WaitsForPerson& question) const
        {
            return member("waiting", model::to_json_text(question));
        }
        std::string operator()(const WaitsNoMore&) const { return member("answered", "true"); }
        std::string operator()(const TaskAtRest& task) const { return member("rest", model::to_json_text(task)); }
        static std::string member(std::string_view name, std::string_view json)
        {
            return fmt::format("{{\"{}\":{}}}\n", name, json);
        }
    };
    return std::visit(Lines{}, told);
}

Told told_in(const boost::json::object& line)
{
    try {
        if (const auto* seq = line.if_contains("seq"))
            return std::make_shared<const engine::NumberedEvent>(
                seq->to_number<std::uint32_t>(), model::from_json<model::Event>(line.at("event"), kFromOthers));
        if (const auto* chunk = line.if_contains("chunk"))
            return model::from_json<model::StreamChunk>(*chunk, kFromOthers);
        if (const auto* question = line.if_contains("waiting"))
            return model::from_json<WaitsForPerson>(*question, kFromOthers);
        if (const auto* task = line.if_contains("rest")) return model::from_json<TaskAtRest>(*task, kFromOthers);
    } catch (const std::exception&) {
        throw Error(Code::unavailable, "the owner of the home says something that this version of cadre does not know");
    }
    if (line.contains("answered")) return WaitsNoMore{};
    return engine::ChunkGap{};
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
    if (const auto* error = line.if_contains("error"); error && error->is_object()) {
        const boost::json::object& said = error->get_object();
        throw Error(code_of(text_in(said, "code")), text_in(said, "message"),
                    {.purpose = text_in(said, "hint_purpose"), .verb = text_in(said, "hint")});
    }
    return line.if_contains("ok");
}

}  // namespace cadre::home
