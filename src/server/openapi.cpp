#include "server/openapi.hpp"

#include "base/ascii.hpp"
#include "base/error.hpp"
#include "base/json.hpp"
#include "server/schema_pool.hpp"

#include <boost/json.hpp>

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

namespace cadre::server {
namespace {

constexpr std::string_view kProblem = "problem_details";

constexpr std::string_view kProblemSchema = R"({
    "title": "problem_details", "description": "What went wrong (RFC 9457).", "type": "object",
    "required": ["type", "title", "status", "detail", "code", "request_id"],
    "properties": {
        "type": {"type": "string", "description": "A page about this kind of problem."},
        "title": {"type": "string"},
        "status": {"type": "integer"},
        "detail": {"type": "string", "description": "What it was this time."},
        "code": {"type": "string", "description": "For programs: one of a few words."},
        "reason": {"type": "string", "description": "For programs: a word of this route's own."},
        "errors": {"type": "array", "items": {"type": "object", "required": ["pointer", "detail"], "properties": {
            "pointer": {"type": "string", "description": "Where in the body (RFC 6901)."},
            "detail": {"type": "string"}}}},
        "request_id": {"type": "string", "description": "The log knows it under this id."}
    }})";

struct CommonFault {
    int status;
    std::string_view doc;
};
constexpr CommonFault kCommonFaults[] = {
    {400, "The request could not be understood."},
    {401, "The token is missing or not good."},
    {403, "The token does not allow this."},
    {404, "There is no such thing, or it is another tenant's."},
    {413, "The body is too large."},
    {415, "The body is not JSON."},
    {422, "The body breaks a rule; `errors` has all of them."},
    {429, "Too many requests; `Retry-After` says when."},
    {500, "A fault of the server."},
    {503, "The server cannot serve this now; `Retry-After` says when."},
};

/// Whether a route can fail like that.
bool applies(const CommonFault& fault, const Route& route)
{
    if (fault.status == 401 || fault.status == 403) return route.act.has_value();
    if (fault.status == 404) return route.path.find('{') != route.path.npos;
    if (fault.status == 413 && route.takes_file) return true;
    if (fault.status == 413 || fault.status == 415) return route.request != nullptr;
    if (fault.status == 422) return route.request || route.query;
    if (fault.status == 429) return route.rate != RateClass::exempt;
    return true;
}

class Document {
public:
    json::object operation(const Route& route)
    {
        json::object out{{"operationId", route.name}, {"summary", route.doc}, {"tags", json::array{tag_of(route)}}};
        if (json::array parameters = parameters_of(route); !parameters.empty())
            out["parameters"] = std::move(parameters);
        if (route.request)
            out["requestBody"] =
                json::object{{"required", true}, {"content", json_content(schemas_.reference(*route.request))}};
        if (route.takes_file)
            out["requestBody"] = json::object{{"required", true},
                                              {"content", json::object{{"application/octet-stream", json::object{}}}}};
        out["responses"] = responses_of(route);
        if (!route.act) out["security"] = json::array{};
        return out;
    }

    json::object take_schemas()
    {
        schemas_.add(std::string(kProblem), parse_json(kProblemSchema).as_object());
        return schemas_.take();
    }

    /// `/tasks/{task_id}`: without the mark of parameters that take several segments.
    static std::string path_of(const Route& route)
    {
        std::string path(route.path);
        std::erase(path, '*');
        return path;
    }

private:
    /// The first word of its path: what the routes are grouped by.
    static std::string tag_of(const Route& route)
    {
        const std::string_view path = route.path.substr(1);
        const std::string_view first = path.substr(0, path.find('/'));
        return first.empty() ? "server" : std::string(first);
    }

    static json::object json_content(json::object schema)
    {
        return {{"application/json", json::object{{"schema", std::move(schema)}}}};
    }

    json::array parameters_of(const Route& route)
    {
        json::array out;
        for (std::string_view rest = route.path; rest.find('{') != rest.npos;) {
            rest.remove_prefix(rest.find('{') + 1);
            std::string name(rest.substr(0, rest.find('}')));
            const bool several = name.ends_with('*');
            if (several) name.pop_back();
            json::object parameter{
                {"name", name}, {"in", "path"}, {"required", true}, {"schema", json::object{{"type", "string"}}}};
            if (several) parameter["description"] = "May have slashes.";
            out.emplace_back(std::move(parameter));
        }
        if (!route.query) return out;
        json::object schema = schemas_.hoisted(*route.query);
        const json::value* required = schema.if_contains("required");
        for (auto& property : schema.at("properties").as_object()) {
            json::object parameter{{"name", property.key()}, {"in", "query"}};
            const auto is_it = [&](const json::value& name) { return name == property.key(); };
            parameter["required"] = required && std::ranges::any_of(required->as_array(), is_it);
            if (json::value* doc = property.value().as_object().if_contains("description")) {
                parameter["description"] = *doc;
                property.value().as_object().erase("description");
            }
            parameter["schema"] = std::move(property.value());
            out.emplace_back(std::move(parameter));
        }
        return out;
    }

    json::object responses_of(const Route& route)
    {
        json::object out;
        out[std::to_string(route.success)] = success_of(route);
        if (!route.nothing.empty()) out["204"] = json::object{{"description", route.nothing}};
        std::map<int, std::string> faults;
        for (const CommonFault& fault : kCommonFaults)
            if (applies(fault, route)) faults[fault.status] = fault.doc;
        for (const Fault& fault : route.faults) {
            std::string& doc = faults[fault.status];
            doc += (doc.empty() ? "`" : " `") + std::string(fault.reason) + "`: " + std::string(fault.doc);
        }
        const json::object problem{{"$ref", schema_place(kProblem)}};
        for (const auto& [status, doc] : faults)
            out[std::to_string(status)] = json::object{
                {"description", doc},
                {"content", json::object{{"application/problem+json", json::object{{"schema", problem}}}}}};
        return out;
    }

    json::object success_of(const Route& route)
    {
        json::object out{{"description", route.doc}};
        const json::object text{{"schema", json::object{{"type", "string"}}}};
        switch (route.form) {
        case Form::json:
            if (route.response) out["content"] = json_content(schemas_.reference(*route.response));
            break;
        case Form::file: out["content"] = json::object{{"application/octet-stream", json::object{}}}; break;
        case Form::stream:
            out["content"] = route.response ? json_content(schemas_.reference(*route.response)) : json::object{};
            out["content"].as_object()["text/event-stream"] = text;
            break;
        case Form::text: out["content"] = json::object{{"text/plain", text}}; break;
        }
        return out;
    }

    SchemaPool schemas_;
};

}  // namespace

json::value openapi_document(std::span<const Route> routes, const OpenApiInfo& info)
{
    Document document;
    json::object paths;
    for (const Route& route : routes) {
        json::value& path = paths[Document::path_of(route)];
        if (path.is_null()) path = json::object{};
        path.as_object()[lower(name_of(route.method))] = document.operation(route);
    }
    json::object token{{"type", "http"}, {"scheme", "bearer"}, {"description", "An API key or a JSON Web Token."}};
    return json::object{
        {"openapi", "3.1.0"},
        {"info", json::object{{"title", "Cadre"},
                              {"version", info.version},
                              {"description", "Runs teams of AI agents the way a database runs transactions."},
                              {"license", json::object{{"name", "Apache 2.0"}, {"identifier", "Apache-2.0"}}}}},
        {"servers", json::array{json::object{{"url", info.url}}}},
        {"security", json::array{json::object{{"token", json::array{}}}}},
        {"paths", std::move(paths)},
        {"components", json::object{{"securitySchemes", json::object{{"token", std::move(token)}}},
                                    {"schemas", document.take_schemas()}}},
    };
}

}  // namespace cadre::server
