#include "cli/channels_verb.hpp"

#include "base/async.hpp"
#include "base/error.hpp"
#include "base/json_writer.hpp"
#include "base/run.hpp"
#include "channels/outbox.hpp"
#include "cli/args.hpp"
#include "cli/environment.hpp"
#include "cli/here.hpp"
#include "cli/output.hpp"
#include "home/project/project.hpp"
#include "model/wire_name.hpp"
#include "net/http_client.hpp"
#include "net/http_options.hpp"
#include "net/loop.hpp"

#include <fmt/core.h>

namespace cadre::cli {
namespace {

constexpr net::HttpPatience kProbePatience{
    .connect = Millis(10'000), .first_byte = Millis(15'000), .idle = Millis(5'000)};

std::string hook_url(const model::ChannelAccounts& all, const std::string& name)
{
    return fmt::format("{}/channels/{}/webhook", all.public_url, name);
}

/// Where messages of the account come in, for people.
std::string way_in(const model::ChannelAccounts& all, const std::string& name)
{
    const model::ChannelAccount& account = channels::account_in(all, name);
    if (account.vendor != model::ChannelVendor::smtp) return hook_url(all, name);
    return account.listen.empty() ? "(sends only)" : "LMTP at " + account.listen;
}

int list_accounts(const Args& args, Output& output)
{
    if (args.has("account")) throw Error(Code::invalid, "list shows all accounts and takes none");
    const auto project = project_here();
    const model::ChannelAccounts& all = project->accounts();
    if (output.json) {
        std::string text;
        JsonWriter json(text);
        json.begin_object().key("accounts").begin_array();
        for (const auto& [name, account] : all.accounts) {
            json.begin_object().field("name", name).field("vendor", model::wire_name(account.vendor));
            json.field("channel", model::wire_name(account.channel)).field("team", account.team);
            if (account.vendor == model::ChannelVendor::smtp) json.field("listen", account.listen).end_object();
            else json.field("webhook", hook_url(all, name)).end_object();
        }
        json.end_array().end_object();
        output.print(text + "\n");
        return 0;
    }
    if (all.accounts.empty()) output.complain("there are no accounts: config/accounts.yaml would have them\n");
    for (const auto& [name, account] : all.accounts)
        output.print(fmt::format("{}  {} by {}  {}\n", name, model::wire_name(account.channel),
                                 model::wire_name(account.vendor), way_in(all, name)));
    return 0;
}

/// What the answer to a probe means, where it is not the right one.
std::string meaning_of(int status)
{
    switch (status) {
    case 403:
        return "the server does not take the signature: it has other secrets or another public_url; was "
               "config/accounts.yaml changed where the server runs?";
    case 404: return "no such account there: is this the server of this project?";
    case 429: return "too much from here was not signed; try again in a minute";
    case 502:
    case 504: return "a proxy answers, and the server behind it does not";
    case 503: return "the server is starting, stopping, or cannot write its journal";
    default: return "something else than cadre serve answers there";
    }
}

Async<int> probe_hook(net::Loop& loop, net::HttpRequest request)
{
    net::HttpClient http(loop, net::http_options(environment));
    const auto reply = co_await http.send(std::move(request));
    const int status = reply->status();
    co_await net::read_all(*reply);
    co_return status;
}

int test_account(const Args& args, Output& output)
{
    const auto name = args.find("account");
    if (!name) throw Error(Code::invalid, "which account? cadre channels list shows them");
    const auto project = project_here();
    const model::ChannelAccount& account = channels::account_in(project->accounts(), *name);
    const std::string url = hook_url(project->accounts(), *name);
    const channels::Adapter& adapter = channels::adapter_of(account.vendor);
    channels::RawRequest hook = adapter.probe(url);
    hook.headers.push_back(adapter.sign(hook, account));
    net::Loop loop;
    const int status = cadre::run(loop, probe_hook(loop, {.method = hook.method,
                                                          .url = url,
                                                          .headers = hook.headers,
                                                          .body = hook.body,
                                                          .patience = kProbePatience}));
    if (status != 200)
        throw Error(status == 403 ? Code::forbidden : Code::unavailable,
                    fmt::format("{} answers {}: {}", url, status, meaning_of(status)));
    if (output.json) {
        std::string text;
        JsonWriter(text).begin_object().field("url", url).field("ok", true).end_object();
        output.print(text + "\n");
        return 0;
    }
    output.print(fmt::format("{} takes webhooks of {}\n", url, model::wire_name(account.vendor)));
    return 0;
}

std::vector<std::string> channel_actions()
{
    return {"list", "test"};
}

int channels_run(const Args& args, Output& output)
{
    return args["action"] == "list" ? list_accounts(args, output) : test_account(args, output);
}

}  // namespace

Verb channels_verb()
{
    return {
        .name = "channels",
        .summary = "See the accounts that carry messages, and test their webhooks",
        .arguments = {{.name = "action", .help = "What to do", .choices = channel_actions},
                      {.name = "account",
                       .help = "For test: its name in config/accounts.yaml",
                       .count = Argument::Count::optional}},
        .text = "list shows each account of config/accounts.yaml with the address that its vendor must be told.\n\n"
                "test sends a webhook that says nothing, signed as the vendor would, to the account's public address: "
                "when "
                "it is taken, the way in is open, whatever proxies are on it.",
        .examples = {{"cadre channels list", "With the addresses of webhooks"},
                     {"cadre channels test support-sms", "Do webhooks come through?"}},
        .run = channels_run,
    };
}

}  // namespace cadre::cli
