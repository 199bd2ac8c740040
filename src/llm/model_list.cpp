#include "llm/model_list.hpp"

#include "base/async.hpp"
#include "base/json.hpp"
#include "base/loop.hpp"
#include "llm/http_model.hpp"
#include "llm/wire/failure.hpp"

#include <boost/json.hpp>
#include <fmt/core.h>

namespace cadre::llm {
namespace {

/// OpenRouter has hundreds, each with a page of text.
constexpr std::size_t kLargestList = 16 << 20;
constexpr JsonLimits kListLimits{.bytes = kLargestList, .nodes = 1'000'000};

std::vector<std::string> names_in(const Endpoint& endpoint, std::string_view body)
{
    std::vector<std::string> names;
    try {
        const json::value list = parse_json(body, kListLimits);
        for (const json::value& model : list.at("data").as_array()) names.emplace_back(model.at("id").as_string());
    } catch (const std::exception&) {
        throw malformed_answer(endpoint, "it is not a list of models");
    }
    return names;
}

}  // namespace

Async<std::vector<std::string>> list_models(net::Http& http, const Endpoint& endpoint)
{
    net::HttpRequest request{
        .url = url_at(endpoint, "/models"), .headers = headers_for(endpoint), .largest = kLargestList};
    if (endpoint.vendor.api == model::ApiFamily::anthropic)
        request.url += "?limit=1000";  // else it sends the first twenty
    const Context& context = co_await this_context();
    try {
        const auto reply = co_await http.send(std::move(request));
        const std::string body = co_await net::read_all(*reply);
        if (reply->status() == 404)  // it is not a model that is missing
            throw ModelError(Code::not_found,
                             fmt::format("{} knows no list of models at {}; is the base_url right?", endpoint.provider,
                                         endpoint.base_url),
                             ModelFault{});
        if (reply->status() != 200)
            throw failure_of(endpoint, reply->status(), reply->headers(), body, context.loop->clock().now());
        co_return names_in(endpoint, body);
    } catch (const net::HttpError& error) {
        throw failure_of(endpoint, error);
    }
}

}  // namespace cadre::llm
