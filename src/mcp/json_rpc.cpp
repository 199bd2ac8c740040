#include "mcp/json_rpc.hpp"

#include "base/error.hpp"
#include "base/json.hpp"
#include "base/json_writer.hpp"
#include "base/peer_text.hpp"
#include "base/utf8.hpp"

#include <boost/json.hpp>

namespace cadre::mcp {

namespace {

[[noreturn]] void refuse(const char* why)
{
    throw Error(Code::malformed, std::string("no JSON-RPC message: ") + why);
}

RpcError senseless(const char* why)
{
    return {.code = kSenseless, .message = why};
}

json::object take_params(json::object& object)
{
    json::value* params = object.if_contains("params");
    if (!params || params->is_null()) return {};  // some write null for "none"
    if (!params->is_object()) refuse("`params` is not an object");
    return std::move(params->get_object());
}

RpcError read_error(json::value& value, std::size_t longest)
{
    json::object* object = value.if_object();
    const json::value* code = object ? object->if_contains("code") : nullptr;
    const json::value* message = object ? object->if_contains("message") : nullptr;
    if (!code || !code->is_int64()) return senseless("its `error` has no code");
    RpcError error{.code = code->get_int64()};
    if (error.code == kSenseless) error.code = kInternalError;  // ours alone
    if (message && message->is_string()) error.message = utf8_prefix(std::string_view(message->get_string()), longest);
    if (json::value* data = object->if_contains("data")) error.data = std::move(*data);
    return error;
}

Message read_response(json::object& object, std::size_t longest)
{
    Response response;
    const json::value* id = object.if_contains("id");
    if (!id) refuse("it has neither `method` nor `id`");
    response.id = find_id(id);
    if (!response.id && !id->is_null()) refuse("`id` is neither a text nor an integer");
    json::value* result = object.if_contains("result");
    json::value* error = object.if_contains("error");
    if (error && !result) response.outcome = read_error(*error, longest);
    else if (result && !error && result->is_object()) response.outcome = std::move(result->get_object());
    else if (result && !error) response.outcome = senseless("its `result` is not an object");
    else response.outcome = senseless("it needs either `result` or `error`");
    return response;
}

Message read_one(json::value& value, std::size_t longest)
{
    json::object* object = value.if_object();
    if (!object) refuse("it is not an object");
    const json::value* version = object->if_contains("jsonrpc");
    if (!version || !version->is_string() || version->get_string() != "2.0") refuse("`jsonrpc` is not \"2.0\"");
    const json::value* method = object->if_contains("method");
    if (!method) return read_response(*object, longest);
    if (!method->is_string()) refuse("`method` is not text");
    std::string name(method->get_string());
    const json::value* id = object->if_contains("id");
    if (!id) return Notification{.method = std::move(name), .params = take_params(*object)};
    const auto known = find_id(id);
    if (!known) refuse("`id` is neither a text nor an integer");
    return Request{.id = *known, .method = std::move(name), .params = take_params(*object)};
}

void append_id(std::string& out, const Id& id)
{
    if (const auto* number = std::get_if<std::int64_t>(&id)) append_json_number(out, *number);
    else append_json_string(out, std::get<std::string>(id));
}

void append_params(std::string& out, json::object&& params)
{
    if (params.empty()) return;
    out += ",\"params\":";
    out += cadre::to_text(json::value(std::move(params)));
}

struct Writer {
    void operator()(Request&& request)
    {
        out += ",\"id\":";
        append_id(out, request.id);
        write_method(request.method, std::move(request.params));
    }
    void operator()(Notification&& notification) { write_method(notification.method, std::move(notification.params)); }
    void operator()(Response&& response)
    {
        out += ",\"id\":";
        if (response.id) append_id(out, *response.id);
        else out += "null";
        if (auto* result = std::get_if<json::object>(&response.outcome)) {
            out += ",\"result\":";
            out += cadre::to_text(json::value(std::move(*result)));
            return;
        }
        const RpcError& error = std::get<RpcError>(response.outcome);
        out += ",\"error\":{\"code\":";
        append_json_number(out, error.code);
        out += ",\"message\":";
        append_json_string(out, error.message);
        if (error.data) out += ",\"data\":" + cadre::to_text(*error.data);
        out += '}';
    }
    void write_method(const std::string& method, json::object&& params)
    {
        out += ",\"method\":";
        append_json_string(out, method);
        append_params(out, std::move(params));
    }

    std::string& out;
};

}  // namespace

std::optional<Id> find_id(const json::value* value)
{
    if (!value) return std::nullopt;
    if (value->is_int64()) return Id(value->get_int64());
    if (value->is_string()) return Id(std::string(value->get_string()));
    return std::nullopt;
}

std::vector<Message> read_messages(std::string_view text, const MessageLimits& limits)
{
    json::value value = parse_json(text, {.bytes = limits.bytes, .depth = limits.depth, .nodes = limits.nodes});
    mask_peer(
        value);  // results, descriptions, questions, errors: nothing of what we were told in confidence goes further
    std::vector<Message> messages;
    json::array* batch = value.if_array();
    if (!batch) {
        messages.push_back(read_one(value, limits.longest));
        return messages;
    }
    if (batch->empty()) refuse("it is an empty list");
    if (batch->size() > limits.batch) throw Error(Code::too_large, "a list of too many JSON-RPC messages");
    for (json::value& one : *batch) messages.push_back(read_one(one, limits.longest));
    return messages;
}

std::string to_text(Message message)
{
    std::string out;
    out.reserve(512);  // more than most need, and one allocation
    out += "{\"jsonrpc\":\"2.0\"";
    std::visit(Writer{out}, std::move(message));
    out += '}';
    return out;
}

std::string to_text(const Id& id)
{
    std::string out;
    append_id(out, id);
    return out;
}

json::value to_value(const Id& id)
{
    if (const auto* number = std::get_if<std::int64_t>(&id)) return *number;
    return json::string(std::get<std::string>(id));
}

}  // namespace cadre::mcp
