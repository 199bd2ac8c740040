#include "model/providers.hpp"

#include "support/entity_rules.hpp"
#include "support/error_of.hpp"

#include <doctest/doctest.h>

using namespace cadre;
using namespace cadre::model;

TEST_CASE(
    "providers: what Cadre knows by itself is sound, and none of it is an address of this machine but local servers")
{
    const Providers& all = built_in_providers();
    CHECK(problems_of(all).text() == "");
    for (const char* name : {"openai", "anthropic", "deepseek", "ollama", "llamacpp", "vllm", "lmstudio", "openrouter",
                             "groq", "mistral", "xai", "together", "cerebras", "gemini", "azure"}) {
        CAPTURE(name);
        const Provider* provider = all.providers.find(name);
        REQUIRE(provider);
        CHECK(!provider->key_variables.empty());
        CHECK((provider->base_url || !provider->url_variables.empty()));
        if (provider->base_url) CHECK(provider->base_url->starts_with("https://") == provider->needs_key);
        for (const auto& [model, facts] : provider->models) {
            CAPTURE(model);
            CHECK(facts.input_price.has_value() == facts.output_price.has_value());
            if (facts.cached_price) CHECK(*facts.cached_price <= *facts.input_price);
            if (facts.context && facts.max_output) CHECK(*facts.max_output <= *facts.context);
        }
    }
    CHECK(provider_names().back() == "script");
}

TEST_CASE("providers: a file of one's own adds and changes, and says what is wrong with it")
{
    test::check_examples(std::vector<const Entity*>{
        &test::description_of<Providers>(), &test::description_of<Provider>(), &test::description_of<ProviderModel>()});
    const auto wrong = [](const char* text) { return test::error_of([&] { from_text<Providers>(text); }); };
    CHECK(wrong(R"({"providers":{"openai":{"base_url":"http://127.0.0.1:1/v1"}}})") == "");
    CHECK(wrong(R"({"providers":{"acme":{}}})") == "invalid: providers.acme: needs its base_url");
    CHECK(wrong(R"({"providers":{"acme":{"url_variables":["ACME_URL"]}}})") == "");
    CHECK(wrong(R"({"providers":{"Acme":{"base_url":"https://x.example"}}})") ==
          "invalid: providers.Acme: must be made of a-z, 0-9, _, - and .");
    CHECK(wrong(R"({"providers":{"script":{"base_url":"https://x.example"}}})") ==
          "invalid: providers.script: is the name of a model of Cadre's own; choose another");
    CHECK(wrong(R"({"providers":{"openai":{"headers":{"A\nB":"c"}}}})") ==
          doctest::Contains("must be a header's name"));
    CHECK(wrong(R"({"providers":{"openai":{"models":{"m":{"input_price":-1}}}}})") ==
          doctest::Contains("input_price: must be at least 0"));
    CHECK(wrong("{}") == "invalid: providers: is required");
}

TEST_CASE("providers: a model's name has two parts, however they are parted")
{
    CHECK(split_model_name("openai/gpt-5").provider == "openai");
    CHECK(split_model_name("openai:gpt-5").model == "gpt-5");
    CHECK(split_model_name("ollama/llama3:8b").model == "llama3:8b");
    CHECK(split_model_name("openai").model == "");
}
