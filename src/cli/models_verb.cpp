#include "cli/models_verb.hpp"

#include "base/error.hpp"
#include "base/json_writer.hpp"
#include "base/plural.hpp"
#include "base/suggest.hpp"
#include "cli/args.hpp"
#include "cli/here.hpp"
#include "cli/layout.hpp"
#include "cli/output.hpp"
#include "cli/shown_key.hpp"
#include "home/project/provider_status.hpp"
#include "home/project/trust.hpp"
#include "model/providers.hpp"
#include "model/wire_name.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace cadre::cli {
namespace {

constexpr Millis kLiveLimit{3000};
/// Of what an endpoint serves, named on the page; --json has all.
constexpr std::size_t kMostServed = 12;

struct ListedProvider {
    home::ProviderStatus provider{};
    std::optional<home::Reached> live{};
};

// ---- what is shown ----

void keep_one(std::vector<home::ProviderStatus>& providers, const std::string& name)
{
    const auto found = std::ranges::find(providers, name, &home::ProviderStatus::name);
    if (found == providers.end()) {
        std::vector<std::string> names;
        for (const home::ProviderStatus& provider : providers) names.push_back(provider.name());
        const auto near = nearest(name, names);
        throw Error(Code::not_found, fmt::format("unknown provider {}{}", in_quotes(name),
                                                 near ? fmt::format(", did you mean {}?", in_quotes(*near))
                                                      : fmt::format("; known are {}", fmt::join(names, ", "))));
    }
    providers = {std::move(*found)};
}

/// With --live: those that can be asked. A server of one's own may run where it usually does.
std::vector<ListedProvider> look(std::vector<home::ProviderStatus> providers, bool live)
{
    std::vector<ListedProvider> list;
    for (home::ProviderStatus& provider : providers) list.push_back({std::move(provider), {}});
    if (!live) return list;
    std::vector<ListedProvider*> asked;
    std::vector<llm::Endpoint> endpoints;
    for (ListedProvider& listed : list)
        if (listed.provider.problem.empty()) {
            home::expect_trusted(*project_here(),
                                 home::wants_of(*project_here(), listed.provider.setup, "config/providers.yaml"));
            asked.push_back(&listed);
            endpoints.push_back(listed.provider.setup);
        }
    std::vector<home::Reached> reached = home::reach(place_here(), endpoints, kLiveLimit);
    for (std::size_t i = 0; i < asked.size(); ++i) asked[i]->live = std::move(reached[i]);
    return list;
}

bool answers(const ListedProvider& listed)
{
    return listed.live && listed.live->problem.empty();
}

bool is_of_use(const ListedProvider& listed)
{
    return listed.provider.is_configured() || answers(listed);
}

// ---- for people ----

std::string grouped(std::int64_t number)
{
    std::string digits = std::to_string(number);
    for (std::size_t end = digits.size(); end > 3; end -= 3) digits.insert(end - 3, 1, ',');
    return digits;
}

std::string tokens_text(const std::optional<std::int64_t>& number)
{
    return number ? grouped(*number) : "?";
}

std::string price_text(const std::optional<double>& price)
{
    return price ? fmt::format("{:.2f}", *price) : "?";
}

std::string key_text(const home::ProviderStatus& provider, bool utf8)
{
    const llm::Endpoint& setup = provider.setup;
    if (provider.has_key()) return fmt::format("key {} from {}", shown_key(setup.key, utf8), setup.key_variable);
    if (provider.is_local()) return "no key needed";
    return provider.problem.empty() ? "no key" : fmt::format("{}; {}", provider.problem, provider.fix);
}

std::string live_text(const home::Reached& live)
{
    if (!live.problem.empty()) return "not reachable: " + live.problem;
    std::string text =
        fmt::format("answers in {}, serves {}", cadre::to_text(live.took), plural(live.models.size(), "model"));
    const std::size_t shown = std::min(live.models.size(), kMostServed);
    for (std::size_t i = 0; i < shown; ++i) text += (i == 0 ? ": " : ", ") + live.models[i];
    if (shown < live.models.size()) text += ", …";
    return text;
}

std::string models_table(const std::vector<home::ModelStatus>& models)
{
    std::size_t width = 0;
    for (const home::ModelStatus& model : models) width = std::max(width, columns(model.name));
    const auto row = [&](std::string_view name, std::string_view context, std::string_view answer, std::string_view in,
                         std::string_view out, std::string_view source) {
        std::string line =
            fmt::format("  {}{:>11}{:>11}{:>9}{:>9}  {}", padded(name, width), context, answer, in, out, source);
        line.erase(line.find_last_not_of(' ') + 1);
        return line + "\n";
    };
    std::string text = row("model", "context", "answer", "$/M in", "$/M out", "");
    for (const home::ModelStatus& model : models)
        text += row(model.name, tokens_text(model.facts.context), tokens_text(model.facts.max_output),
                    price_text(model.facts.input_price), price_text(model.facts.output_price),
                    model.source == "built in" ? "" : model.source);
    return text;
}

bool has_price(const home::ProviderStatus& provider)
{
    return std::ranges::any_of(provider.models, [](const home::ModelStatus& model) {
        return model.facts.input_price.has_value() || model.facts.output_price.has_value();
    });
}

std::string page_of(const ListedProvider& listed, const Output& output)
{
    const home::ProviderStatus& provider = listed.provider;
    const llm::Endpoint& setup = provider.setup;
    std::string text = output.out.paint(Tone::bold, provider.name()) + "\n";
    const std::string from = setup.url_variable.empty() ? "" : " from " + setup.url_variable;
    text += wrapped(printable(key_text(provider, output.utf8)), 2);
    if (!setup.base_url.empty()) text += wrapped(printable(setup.base_url + from), 2);
    if (provider.source != "built in") text += fmt::format("  described by the {}\n", provider.source);
    if (listed.live) text += wrapped(printable(live_text(*listed.live)), 2);
    if (!provider.models.empty()) text += models_table(provider.models);
    if (setup.vendor.as_of && has_price(provider))
        text += fmt::format("  prices as of {}\n", printable(*setup.vendor.as_of));
    return text;
}

constexpr std::string_view kAboutLocal = "no key needed: a part of Cadre, and no language model. It quotes, calculates "
                                         "and calls tools, and generates nothing";

std::string local_page(const Output& output)
{
    return output.out.paint(Tone::bold, model::kLocal) + "\n" + wrapped(kAboutLocal, 2);
}

std::string page_of(const std::vector<ListedProvider>& list, bool everything, bool with_local, const Output& output)
{
    std::string text;
    std::string others;
    for (const ListedProvider& listed : list) {
        if (everything || is_of_use(listed)) text += (text.empty() ? "" : "\n") + page_of(listed, output);
        else others += (others.empty() ? "" : ", ") + listed.provider.name();
    }
    if (text.empty()) text = "No provider is set up: set the key of one, for example OPENAI_API_KEY.\n";
    if (with_local) text += "\n" + local_page(output);
    if (!others.empty() && !output.quiet)
        text += "\n" + wrapped("Known, and not set up: " + others) +
                wrapped("What they need: cadre models NAME. Others: config/providers.yaml.");
    if (!output.utf8) text = in_ascii(text);
    return text;
}

// ---- for programs ----

template <class T>
void optional_field(JsonWriter& json, std::string_view name, const std::optional<T>& value)
{
    if (value) json.field(name, *value);
    else json.key(name).null();
}

void write_model(JsonWriter& json, const home::ModelStatus& model)
{
    const model::ProviderModel& facts = model.facts;
    json.begin_object().field("name", model.name);
    optional_field(json, "context", facts.context);
    optional_field(json, "max_output", facts.max_output);
    optional_field(json, "input_price", facts.input_price);
    optional_field(json, "cached_price", facts.cached_price);
    optional_field(json, "cache_write_price", facts.cache_write_price);
    optional_field(json, "output_price", facts.output_price);
    json.field("source", model.source).end_object();
}

void write_live(JsonWriter& json, const home::Reached& live)
{
    json.key("live").begin_object().field("reachable", live.problem.empty());
    if (!live.problem.empty()) json.field("problem", live.problem);
    json.field("took_ms", std::int64_t{live.took.count()}).key("models").begin_array();
    for (const std::string& name : live.models) json.value(name);
    json.end_array().end_object();
}

void write_provider(JsonWriter& json, const ListedProvider& listed)
{
    const home::ProviderStatus& provider = listed.provider;
    const llm::Endpoint& setup = provider.setup;
    json.begin_object().field("name", provider.name()).field("api", model::wire_name(setup.vendor.api));
    json.field("source", provider.source)
        .field("configured", provider.is_configured())
        .field("ready", provider.problem.empty());
    if (!provider.problem.empty()) json.field("problem", provider.problem);
    if (!provider.fix.empty()) json.field("fix", provider.fix);
    json.field("base_url", setup.base_url);
    if (!setup.url_variable.empty()) json.field("base_url_from", setup.url_variable);
    json.key("key").begin_object().field("needed", setup.vendor.needs_key).field("set", provider.has_key());
    json.field("variable", setup.key_variable);
    if (provider.has_key()) json.field("shown", setup.key.masked());
    json.end_object();
    optional_field(json, "prices_as_of", setup.vendor.as_of);
    if (listed.live) write_live(json, *listed.live);
    json.key("models").begin_array();
    for (const home::ModelStatus& model : provider.models) write_model(json, model);
    json.end_array().end_object();
}

void write_local(JsonWriter& json)
{
    json.begin_object().field("name", model::kLocal).field("api", model::kLocal).field("source", "built in");
    json.field("configured", true).field("ready", true).field("base_url", "");
    json.key("key").begin_object().field("needed", false).field("set", false).field("variable", "").end_object();
    json.key("prices_as_of").null().key("models").begin_array().end_array().end_object();
}

std::string json_of(const std::vector<ListedProvider>& list, bool everything, bool with_local)
{
    std::string text;
    JsonWriter json(text);
    json.begin_object().key("providers").begin_array();
    for (const ListedProvider& listed : list)
        if (everything || is_of_use(listed)) write_provider(json, listed);
    if (with_local) write_local(json);
    json.end_array().end_object();
    return text + "\n";
}

int models(const Args& args, Output& output)
{
    std::vector<home::ProviderStatus> providers = home::all_providers(*project_here());
    const auto name = args.find("provider");
    if (name == model::kLocal) {
        output.print(output.json ? json_of({}, true, true) : local_page(output));
        return 0;
    }
    if (name) keep_one(providers, *name);
    const std::vector<ListedProvider> list = look(std::move(providers), args.has("live"));
    const bool everything = name || args.has("all");
    output.print(output.json ? json_of(list, everything, !name) : page_of(list, everything, !name, output));
    return 0;
}

}  // namespace

Verb models_verb()
{
    return {
        .name = "models",
        .summary = "Show which models can be used, what they hold and cost",
        .arguments = {{.name = "provider",
                       .help = "Only this one; when left out, those that are set up",
                       .count = Argument::Count::optional}},
        .flags = {{.name = "live", .help = "Ask each of them now, for at most three seconds, what it serves"},
                  {.name = "all", .help = "Those that are not set up too"}},
        .text =
            "For each provider: its key, of which only the last four characters are shown, and the variable that it "
            "comes from; where it listens; and what is known of its models: tokens that they hold and that an answer "
            "may have, US dollars for a million tokens read and written, and the day of these prices. A ? is not "
            "known, "
            "which is not zero.\n\n"
            "What Cadre knows can be changed and added to in config/providers.yaml, in the home and in the project. "
            "Without --live nothing leaves this machine.",
        .examples = {{"cadre models", "What is set up"},
                     {"cadre models ollama --live", "Does it run, and what does it serve?"},
                     {"cadre models --json | jq -r '.providers[] | select(.ready).name'", "For programs"}},
        .run = models,
    };
}

}  // namespace cadre::cli
