#include "llm/wire/failure.hpp"

#include "base/ascii.hpp"
#include "base/json.hpp"
#include "base/json_writer.hpp"
#include "base/redact.hpp"
#include "base/suggest.hpp"
#include "base/utf8.hpp"
#include "base/visible.hpp"
#include "llm/wire/foreign.hpp"
#include "llm/wire/retry_after.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <algorithm>

namespace cadre::llm {

namespace {

constexpr std::size_t kMaxRequestId = 128;
constexpr std::size_t kMaxMessage = 2000;  // that is looked through for keys
constexpr std::size_t kMaxQuote = 300;
constexpr int kOverloaded = 529;
constexpr std::string_view kWebPage = "a web page";

/// What a vendor says of an error, in whichever of their forms.
struct Said {
    std::string message{}, type{}, code{}, request_id{};
    int status = 0;  // in a stream
};

Said said_in(const json::value& body)
{
    const json::value* root = &body;
    if (const auto* list = body.if_array(); list && !list->empty()) root = &(*list)[0];  // Gemini
    const json::value* error = find_in(root, "error");
    Said said{.request_id = std::string(text_in(root, "request_id"))};
    if (error && error->is_string()) {  // Ollama
        said.message = error->get_string();
        return said;
    }
    if (!error) error = root;
    said.message = text_in(error, "message");
    said.type = text_in(error, "type");
    said.code = text_in(error, "code");
    if (const auto status = count_in(error, "code"); status && *status >= 400 && *status < 600)
        said.status = static_cast<int>(*status);  // OpenRouter
    if (said.message.empty()) said.message = text_in(error, "detail");
    if (const auto* detail = find_in(error, "detail"); said.message.empty() && detail)
        said.message = to_text(*detail);                    // FastAPI lists what it dislikes
    if (const auto* metadata = find_in(error, "metadata"))  // OpenRouter: what its own vendor said
        if (const auto raw = text_in(metadata, "raw"); !raw.empty()) said.message += " " + std::string(raw);
    return said;
}

Said said_in(std::string_view body)
{
    try {
        return said_in(parse_json(body));
    } catch (const Error&) {
        const auto first = body.find_first_not_of(" \t\r\n");
        if (first == body.npos) return {};
        if (body[first] == '<') return {.message = std::string(kWebPage)};
        return {.message = std::string(body.substr(first, 1000))};
    }
}

bool contains_any(std::string_view text, std::initializer_list<std::string_view> words)
{
    const std::string small = lower(text);
    return std::ranges::any_of(words, [&](std::string_view word) { return small.find(word) != small.npos; });
}

bool is_context_exceeded(const Said& said)
{
    return said.code == "context_length_exceeded" || said.type == "exceed_context_size_error" ||
           contains_any(said.message, {"maximum context length", "context length", "context window", "context size",
                                       "prompt is too long", "too many tokens", "input is too long",
                                       "input token count", "maximum prompt length"});
}

bool is_model_unknown(int status, const Said& said)
{
    if (said.code == "model_not_found") return true;
    if (status == 404) return said.type == "not_found_error" || contains_any(said.message, {"model"});
    return contains_any(said.message, {"model not exist", "model does not exist", "invalid model", "unknown model",
                                       "is not a valid model"});
}

bool is_out_of_money(int status, const Said& said)
{
    return status == 402 || said.code == "insufficient_quota" || said.type == "insufficient_quota" ||
           said.type == "billing_error" ||
           contains_any(said.message, {"credit balance is too low", "insufficient balance"});
}

/// A gateway that gave up waiting does not know whether somebody behind it has answered.
bool may_be_billed(int status)
{
    return status == 408 || status == 502 || status == 504;
}

/// An error in a stream has no status; its type stands for one.
int status_of(const Said& said)
{
    struct Type {
        std::string_view name;
        int status;
    };
    static constexpr Type types[] = {
        {"invalid_request_error", 400}, {"authentication_error", 401},     {"billing_error", 402},
        {"permission_error", 403},      {"not_found_error", 404},          {"request_too_large", 413},
        {"rate_limit_error", 429},      {"rate_limit_exceeded", 429},      {"insufficient_quota", 429},
        {"timeout_error", 504},         {"overloaded_error", kOverloaded},
    };
    if (said.status) return said.status;
    for (const std::string_view name : {std::string_view(said.type), std::string_view(said.code)})
        for (const Type& type : types)
            if (type.name == name) return type.status;
    return 500;
}

/// The vendor's words, as many as help, and no key that they repeat.
std::string quote(const Said& said)
{
    const std::string words = redact(utf8_prefix(said.message.empty() ? said.type : said.message, kMaxMessage));
    if (words.empty()) return {};
    std::string out = ": ";
    append_json_string(out, utf8_prefix(words, kMaxQuote));
    if (words.size() > kMaxQuote) out.insert(out.size() - 1, "…");
    if (words == kWebPage) out += "; is the base_url right?";
    return out;
}

std::string request_note(const Said& said, const net::HttpHeaders& headers)
{
    std::string id = said.request_id;
    for (const std::string_view name : {"request-id", "x-request-id", "x-amzn-requestid", "cf-ray"})
        if (const auto value = net::find_header(headers, name); id.empty() && value) id = *value;
    if (id.empty()) return {};
    return fmt::format(" (request {})", redact(visible(id.substr(0, kMaxRequestId))));
}

std::string key_fix(const Endpoint& endpoint)
{
    if (!endpoint.key_variable.empty())
        return fmt::format("set {} to a key of {}", endpoint.key_variable, endpoint.provider);
    return fmt::format("give {} another api_key", endpoint.provider);
}

std::string near_models(const Endpoint& endpoint)
{
    std::vector<std::string> known;
    for (const auto& [name, model] : endpoint.vendor.models) known.push_back(name);
    const auto near = nearest(endpoint.model, known);
    return near && *near != endpoint.model ? fmt::format("; did you mean {}?", in_quotes(*near)) : std::string();
}

struct Meaning {
    Code code;
    bool transient;
    std::string text;
};

Meaning meaning_of(const Endpoint& endpoint, int status, const Said& said, std::string_view location)
{
    const std::string& who = endpoint.provider;
    const std::string words = quote(said);
    if (is_out_of_money(status, said))
        return {Code::forbidden, false, fmt::format("{}: the account of this key has no credit left{}", who, words)};
    if (status == 401)
        return {Code::unauthorized, false,
                fmt::format("{} does not accept the key; {}{}", who, key_fix(endpoint), words)};
    if ((status == 400 || status == 413 || status == 422 || status == 500) && is_context_exceeded(said))
        return {Code::too_large, false,
                fmt::format("the conversation is longer than {} can read{}{}", endpoint.spec(),
                            endpoint.facts.context ? fmt::format(" ({} tokens)", *endpoint.facts.context) : "", words)};
    if ((status == 404 || status == 400 || status == 422) && is_model_unknown(status, said))
        return {Code::not_found, false,
                fmt::format("{} has no model {}{}{}; `models {} --live` lists those it has", who,
                            in_quotes(endpoint.model), near_models(endpoint), words, who)};
    switch (status) {
    case 403: return {Code::forbidden, false, fmt::format("{} does not allow this{}", who, words)};
    case 404:
        return {Code::not_found, false,
                fmt::format("{} knows nothing at {}; is the base_url right?{}", who, endpoint.base_url, words)};
    case 408: return {Code::timeout, true, fmt::format("{} waited too long for the request{}", who, words)};
    case 409: return {Code::conflict, true, fmt::format("{} could not do this now{}", who, words)};
    case 413: return {Code::too_large, false, fmt::format("the request is too large for {}{}", who, words)};
    case 429: return {Code::rate_limited, true, fmt::format("{} is asked too often{}", who, words)};
    case 501:
    case 505: return {Code::upstream, false, fmt::format("{} cannot do this (status {}){}", who, status, words)};
    case 504: return {Code::timeout, true, fmt::format("{} took too long (status 504){}", who, words)};
    default: break;
    }
    if (status >= 500) {
        const std::string_view state = status == 503 || status == kOverloaded ? "is overloaded" : "failed";
        return {Code::upstream, true, fmt::format("{} {} (status {}){}", who, state, status, words)};
    }
    if (status >= 300 && status < 400)
        return {Code::upstream, false,
                fmt::format("{} sends us elsewhere (status {}{}); set its base_url to where it is", who, status,
                            location.empty() ? "" : ", to " + in_quotes(redact(location)))};
    if (status >= 400)
        return {Code::invalid, false, fmt::format("{} refuses the request (status {}){}", who, status, words)};
    return {Code::upstream, false, fmt::format("{} answers with status {}{}", who, status, words)};
}

/// What to do when nobody answers.
std::string way_out(const Endpoint& endpoint, const net::HttpError& error)
{
    if (error.code() == Code::timeout && error.dispatched())
        return "; `timeout` in llm_config says how long silence is borne";
    if (error.dispatched() || endpoint.vendor.url_variables.empty()) return {};
    const std::string& variable =
        endpoint.url_variable.empty() ? endpoint.vendor.url_variables.front() : endpoint.url_variable;
    if (!endpoint.url_variable.empty()) return fmt::format("; {} says that it is there", variable);
    return endpoint.vendor.needs_key ? "" : fmt::format("; start it, or set {} to where it is", variable);
}

}  // namespace

ModelError failure_of(const Endpoint& endpoint, int status, const net::HttpHeaders& headers, std::string_view body,
                      Time now)
{
    const Said said = said_in(body);
    Meaning meaning = meaning_of(endpoint, status, said, net::find_header(headers, "location").value_or(""));
    if (const auto should = net::find_header(headers, "x-should-retry"))
        meaning.transient = *should == "true" || (meaning.transient && *should != "false");
    return {meaning.code, meaning.text + request_note(said, headers),
            ModelFault{.transient = meaning.transient,
                       .retry_after = meaning.transient ? retry_after_of(headers, now) : std::nullopt,
                       .refused = !may_be_billed(status)}};
}

ModelError failure_in_stream(const Endpoint& endpoint, const json::value& event)
{
    const Said said = said_in(event);
    const Meaning meaning = meaning_of(endpoint, status_of(said), said, "");
    return {meaning.code, meaning.text + request_note(said, {}), ModelFault{.transient = meaning.transient}};
}

ModelError failure_of(const Endpoint& endpoint, const net::HttpError& error)
{
    const Code code = error.code();
    const bool transient =
        code == Code::timeout || code == Code::upstream || code == Code::unavailable || code == Code::malformed;
    return {code, fmt::format("{}: {}{}", endpoint.provider, redact(error.what()), way_out(endpoint, error)),
            ModelFault{.transient = transient, .dispatched = error.dispatched()}};
}

ModelError malformed_answer(const Endpoint& endpoint, std::string_view why)
{
    return {Code::malformed, fmt::format("the answer of {} cannot be understood: {}", endpoint.provider, redact(why)),
            ModelFault{.transient = true}};
}

ModelError page_answer(const Endpoint& endpoint)
{
    return {
        Code::upstream,
        fmt::format("{} answers with a web page at {}; is the base_url right?", endpoint.provider, endpoint.base_url),
        ModelFault{}};
}

ModelError oversized_answer(const Endpoint& endpoint, std::string_view what)
{
    return {Code::too_large, fmt::format("the answer of {} has more than {}", endpoint.provider, what), ModelFault{}};
}

ModelError cut_answer(const Endpoint& endpoint)
{
    return {Code::upstream, fmt::format("the answer of {} broke off before its end", endpoint.provider),
            ModelFault{.transient = true}};
}

}  // namespace cadre::llm
