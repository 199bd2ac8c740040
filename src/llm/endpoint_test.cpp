#include "llm/endpoint.hpp"

#include "base/json.hpp"
#include "support/error_of.hpp"

#include <boost/json.hpp>
#include <doctest/doctest.h>
#include <fmt/core.h>

#include <fstream>
#include <map>

#include <unistd.h>

using namespace cadre;
using namespace cadre::llm;
using cadre::test::error_of;

namespace {

namespace fs = std::filesystem;

config::Environment environment(std::map<std::string, std::string> values)
{
    return [values](const std::string& name) -> std::optional<std::string> {
        const auto found = values.find(name);
        return found == values.end() ? std::nullopt : std::optional(found->second);
    };
}

Endpoint at(std::string_view spec, std::map<std::string, std::string> values)
{
    return endpoint_of(model::built_in_providers(), spec, environment(std::move(values)));
}

class Folder {
public:
    Folder() : path(fs::temp_directory_path() / fmt::format("cadre_endpoint_{}", ::getpid()))
    {
        fs::create_directories(path);
    }
    ~Folder() { fs::remove_all(path); }
    void write(const std::string& name, const std::string& text) const
    {
        fs::create_directories((path / name).parent_path());
        std::ofstream(path / name) << text;
    }
    fs::path path;
};

}  // namespace

TEST_CASE("endpoints: provider/model and provider:model are the same; keys come from the names people have")
{
    const Endpoint slash = at("openai/gpt-5-mini", {{"OPENAI_API_KEY", "sk-1"}});
    CHECK(slash.base_url == "https://api.openai.com/v1");
    CHECK(slash.key.reveal() == "sk-1");
    CHECK(slash.key_variable == "OPENAI_API_KEY");
    CHECK(slash.spec() == "openai/gpt-5-mini");
    CHECK(at("openai:gpt-5-mini", {{"OPENAI_API_KEY", "sk-1"}}).spec() == slash.spec());
    CHECK(at("ollama/llama3:8b", {}).model == "llama3:8b");
    CHECK(at("openrouter/anthropic/claude-opus-5", {{"OPENROUTER_API_KEY", "k"}}).model == "anthropic/claude-opus-5");
    const Endpoint gemini = at("gemini/gemini-2.5-flash", {{"GOOGLE_API_KEY", "g"}});
    CHECK(gemini.key_variable == "GOOGLE_API_KEY");
    CHECK(at("gemini/gemini-2.5-flash", {{"GOOGLE_API_KEY", "g"}, {"GEMINI_API_KEY", "h"}}).key.reveal() == "h");
}

TEST_CASE("endpoints: addresses are read as people write them")
{
    struct {
        const char* spec;
        const char* variable;
        const char* value;
        const char* url;
    } const cases[] = {
        {"openai/m", "OPENAI_BASE_URL", "https://gw.example.org/openai/v1/", "https://gw.example.org/openai/v1"},
        {"openai/m", "OPENAI_API_BASE", "http://127.0.0.1:4000", "http://127.0.0.1:4000/v1"},
        {"anthropic/m", "ANTHROPIC_BASE_URL", "http://127.0.0.1:4000", "http://127.0.0.1:4000"},
        {"ollama/m", "OLLAMA_HOST", "0.0.0.0", "http://127.0.0.1:11434/v1"},
        {"ollama/m", "OLLAMA_HOST", "gpu-box", "http://gpu-box:11434/v1"},
        {"ollama/m", "OLLAMA_HOST", ":9000", "http://127.0.0.1:9000/v1"},
        {"ollama/m", "OLLAMA_HOST", "https://ollama.example.org", "https://ollama.example.org/v1"},
        {"ollama/m", "NOTHING", "x", "http://127.0.0.1:11434/v1"},
        {"llamacpp/http://127.0.0.1:8081", "LLAMACPP_BASE_URL", "http://other", "http://127.0.0.1:8081/v1"},
        {"azure/deployment", "AZURE_OPENAI_ENDPOINT", "https://x.openai.azure.com/",
         "https://x.openai.azure.com/openai/v1"},
    };
    for (const auto& c : cases) {
        CAPTURE(c.spec);
        CAPTURE(c.value);
        CHECK(at(c.spec, {{c.variable, c.value}}).base_url == c.url);
    }
    CHECK(at("llamacpp/http://127.0.0.1:8081", {}).model == "default");
}

TEST_CASE("endpoints: what is missing or wrong is named, with what to do")
{
    CHECK(error_of([] { at("openai/gpt-5-mini", {}); }) ==
          "unauthorized: openai needs a key, and OPENAI_API_KEY is not set; set it in the environment or in the "
          "project's .env");
    CHECK(error_of([] { at("gemini/m", {}); }) == "unauthorized: gemini needs a key, and GEMINI_API_KEY or "
                                                  "GOOGLE_API_KEY is not set; set it in the environment or in "
                                                  "the project's .env");
    CHECK(error_of([] { at("opnai/m", {}); }) == "not_found: unknown provider \"opnai\", did you mean \"openai\"?");
    CHECK(error_of([] { at("acme/m", {}); }) == doctest::Contains("describe any other in config/providers.yaml"));
    CHECK(error_of([] { at("openai", {}); }) ==
          "invalid: \"openai\" names no model; write provider/model, like openai/gpt-5-mini");
    CHECK(error_of([] { at("azure/m", {}); }) ==
          "invalid: where azure listens is not known; set AZURE_OPENAI_ENDPOINT, or give its base_url");
    CHECK(error_of([] { at("openai/m", {{"OPENAI_BASE_URL", "ftp://x"}}); }) ==
          "invalid: OPENAI_BASE_URL is not an address: \"ftp://x\"; it begins with http:// or https://");
    CHECK(error_of([] { at("openai/m", {{"OPENAI_BASE_URL", "http:// x"}}); }) ==
          doctest::Contains("is not an address"));
}

TEST_CASE("endpoints: a configuration says more: address, key, patience, and providers that nobody knows")
{
    const auto of = [](model::LlmConfig config, std::map<std::string, std::string> values) {
        return endpoint_of(model::built_in_providers(), config, environment(std::move(values)));
    };
    const Endpoint acme =
        of({.provider = "acme", .model = "m", .base_url = "https://acme.example.org/v1", .timeout = 7}, {});
    CHECK(acme.base_url == "https://acme.example.org/v1");
    CHECK(acme.key.empty());
    CHECK(acme.silence == Millis(7000));
    const Endpoint local = of({.provider = "openai", .model = "m", .base_url = "http://127.0.0.1:1"}, {});
    CHECK(local.base_url == "http://127.0.0.1:1/v1");
    CHECK(local.key.empty());  // who listens there may ask for none
    CHECK(of({.provider = "openai", .model = "m", .api_key = "sk-own"}, {{"OPENAI_API_KEY", "x"}}).key.reveal() ==
          "sk-own");
    CHECK(of({.provider = "openai", .model = "m", .api_key_env = "MINE"}, {{"MINE", "sk-mine"}}).key.reveal() ==
          "sk-mine");
    CHECK(error_of([&] { of({.provider = "ollama", .model = "m", .api_key_env = "MINE"}, {}); }) ==
          doctest::Contains("MINE is not set"));
}

TEST_CASE("endpoints: a dated version of a model is that model, another model is not")
{
    const auto context = [](const char* provider, const char* name) {
        return facts_of(*model::built_in_providers().providers.find(provider), name).max_output.value_or(0);
    };
    CHECK(context("openai", "gpt-4o") == 16384);
    CHECK(context("openai", "gpt-4o-2024-08-06") == 16384);
    CHECK(context("openai", "gpt-4.1-mini-2025-04-14") == 32768);
    CHECK(context("anthropic", "claude-sonnet-4-5-20250929") == 64000);
    CHECK(context("anthropic", "claude-3-5-haiku-latest") == 8192);
    CHECK(context("anthropic", "claude-sonnet-4-20250514") == 64000);
    CHECK(context("anthropic", "claude-next") == 8192);
    CHECK(context("openai", "gpt-4o-audio-preview") == 16384);  // what holds for all others
    CHECK(!facts_of(*model::built_in_providers().providers.find("openai"), "gpt-4o-audio-preview").input_price);
    CHECK(facts_of(*model::built_in_providers().providers.find("ollama"), "x").input_price == 0.0);
}

TEST_CASE("endpoints: a project's own providers are added, and change single facts of those that are known")
{
    const Folder folder;
    folder.write("home/config/providers.yaml", "providers:\n  openai:\n    base_url: https://home.example.org/v1\n"
                                               "    models:\n      gpt-5-mini: {input_price: 9}\n");
    folder.write("project/cadre.yaml", "name: x\n");
    folder.write("project/config/providers.yaml", "providers:\n  acme:\n    base_url: https://acme.example.org/v1\n"
                                                  "    key_variables: [ACME_KEY]\n"
                                                  "  openai:\n    base_url: https://project.example.org/v1\n");
    config::Variables variables(environment({{"ACME_KEY", "a-key"}, {"OPENAI_API_KEY", "sk-1"}}));
    config::Findings findings;
    const model::Providers all = read_providers(folder.path / "project", folder.path / "home", variables, findings);
    CHECK(findings.text() == "");
    const auto find = [&](const std::string& name) { return variables.find(name); };
    CHECK(endpoint_of(all, "acme/m", find).key.reveal() == "a-key");
    const Endpoint openai = endpoint_of(all, "openai/gpt-5-mini", find);
    CHECK(openai.base_url == "https://project.example.org/v1");
    CHECK(openai.facts.input_price == 9.0);
    CHECK(openai.facts.output_price == 2.0);
    CHECK(openai.vendor.max_tokens_field == model::MaxTokensField::max_completion_tokens);

    folder.write("project/config/providers.yaml", "providers:\n  acme:\n    api: opnai\n");
    config::Findings wrong;
    CHECK(read_providers(folder.path / "project", {}, variables, wrong) == model::built_in_providers());
    CHECK(wrong.text().find("providers.yaml:3:10: ") != std::string::npos);
}
