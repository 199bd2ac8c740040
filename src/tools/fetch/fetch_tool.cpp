#include "tools/fetch/fetch_tool.hpp"

#include "base/ascii.hpp"
#include "base/async.hpp"
#include "base/timeout.hpp"
#include "base/utf8.hpp"
#include "net/http.hpp"
#include "tools/arguments.hpp"
#include "tools/builtin/builtin_tool.hpp"
#include "tools/fetch/html_markdown.hpp"
#include "tools/fetch/page_text.hpp"
#include "tools/fetch/url_reference.hpp"
#include "tools/tool.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <optional>

namespace cadre::tools {

namespace {

constexpr int kMostRedirects = 5;
constexpr std::size_t kLargestPage = 5 << 20;
constexpr std::size_t kMostText = 512 << 10;
constexpr std::size_t kMostOfFailure = 2 << 10;
constexpr Millis kTime{60'000};

/// What came, and from where in the end.
struct Page {
    std::string url{};
    int status = 0;
    std::string type{};  // Content-Type
    std::string encoding{};
    std::string body{};
};

bool is_redirect(int status)
{
    return status == 301 || status == 302 || status == 303 || status == 307 || status == 308;
}

std::string header(const net::HttpReply& reply, std::string_view name)
{
    return std::string(net::find_header(reply.headers(), name).value_or(""));
}

net::HttpRequest request_for(const std::string& url)
{
    return {
        .url = url,
        .headers = {{"Accept", "text/html, text/plain, application/json, */*;q=0.5"}, {"Accept-Encoding", "identity"}},
        .largest = kLargestPage,
        .foreign = true};
}

Async<Page> load(net::Http& http, std::string url)
{
    for (int i = 0; i <= kMostRedirects; ++i) {
        auto request = request_for(url);
        const auto reply = co_await http.send(std::move(request));
        const auto target =
            is_redirect(reply->status()) ? net::find_header(reply->headers(), "Location") : std::nullopt;
        if (!target) {
            Page page{.url = url,
                      .status = reply->status(),
                      .type = header(*reply, "Content-Type"),
                      .encoding = lower(header(*reply, "Content-Encoding"))};
            page.body = co_await net::read_all(*reply);
            co_return page;
        }
        const auto next = resolve_reference(url, *target);
        if (!next) throw Error(Code::forbidden, "The page leads on to something else than a page of the web.");
        url = *next;
    }
    throw Error(Code::limit, fmt::format("The page leads on and on: {} redirects, and no page.", kMostRedirects));
}

Result result_of(const Page& page, const std::string& asked, bool raw)
{
    if (!page.encoding.empty() && page.encoding != "identity")
        return {.text = "The server sent the page compressed, though it was asked not to.", .is_error = true};
    std::size_t most = kMostText;
    std::string text;
    if (page.status >= 400) {
        most = kMostOfFailure;
        text = fmt::format("The server answered with status {}.\n", page.status);
    } else if (page.url != asked) {
        text = fmt::format("[from {}]\n\n", page.url);
    }
    const auto shown = page_text(page.body, page.type, page.url, raw, most);
    if (!shown && page.status < 400)
        return {.text = fmt::format("This is not text: {} bytes of type {}.", page.body.size(), in_quotes(page.type)),
                .is_error = true};
    if (shown) {
        text += shown->text;
        if (shown->is_cut) text += "\n[cut here: the page continues]";
    }
    return {.text = std::move(text), .is_error = page.status >= 400};
}

/// The model can do something about these: choose another URL.
bool is_for_the_model(Code code)
{
    return code == Code::forbidden || code == Code::malformed || code == Code::invalid || code == Code::too_large ||
           code == Code::limit || code == Code::not_found;
}

class FetchTool final : public Tool {
public:
    FetchTool(net::Http& http, model::Tool definition)
        : http_(http), definition_(std::move(definition)), arguments_(definition_)
    {}

    const model::Tool& definition() const override { return definition_; }

    Async<Result> call(Call call, ToolContext&) override
    {
        if (auto problem = arguments_.problem(call.arguments))
            co_return Result{.text = std::move(*problem), .is_error = true};
        const std::string url = find_text(call.arguments, "url").value_or("");
        const boost::json::value* raw = call.arguments.if_contains("raw");
        std::optional<Result> failure;
        try {
            const Page page = co_await with_timeout(load(http_, url), kTime, "the page");
            co_return result_of(page, url, raw && raw->is_bool() && raw->get_bool());
        } catch (const net::HttpError& error) {
            if (!is_for_the_model(error.code()) && !error.dispatched()) throw NotDispatched(error.code(), error.what());
            if (!is_for_the_model(error.code())) throw;
            failure = Result{.text = error.what(), .is_error = true};
        } catch (const Error& error) {
            if (!is_for_the_model(error.code())) throw;
            failure = Result{.text = error.what(), .is_error = true};
        }
        co_return std::move(*failure);
    }

private:
    net::Http& http_;
    model::Tool definition_;
    ArgumentCheck arguments_;
};

}  // namespace

std::shared_ptr<Tool> fetch_tool(net::Http& http)
{
    model::Tool definition{
        .name = "fetch",
        .description = "Fetches a page of the public web and gives it as Markdown, other text as it is.",
        .input_schema =
            object_schema({{"url",
                            {{"type", "string"},
                             {"minLength", 1},
                             {"maxLength", 8192},
                             {"description", "Where it is, like https://example.org/page."}}},
                           {"raw?", {{"type", "boolean"}, {"description", "Whether HTML is given as it is."}}}}),
        .effect = model::Effect::pure};
    return std::make_shared<FetchTool>(http, std::move(definition));
}

}  // namespace cadre::tools
