// Providers of models: those that Cadre knows, and those of the project's own file.
#include "config/project_fixture.hpp"
#include "config/variables.hpp"

#include <doctest/doctest.h>

#include <algorithm>

using namespace cadre::config;

namespace {

const std::string kOwn =
    "providers:\n  acme:\n    base_url: https://acme.example.org/v1\n    key_variables: [ACME_KEY]\n";

std::string agent_of(const std::string& provider, const std::string& more = "")
{
    return agent("a", "llm_config: {provider: " + provider + ", model: m" + more + "}\n");
}

}  // namespace

TEST_CASE("a provider is known to Cadre, to config/providers.yaml, or has a base_url")
{
    CHECK(checked({{"cadre.yaml", "model: groq/x\n"}, {"agents/a.yaml", agent_of("mistral")}}) == "");
    CHECK(checked({{"cadre.yaml", "model: groq:x\n"}}) == "");
    CHECK(checked({{"cadre.yaml", "model: acme/x\n"},
                   {"agents/a.yaml", agent_of("acme")},
                   {"config/providers.yaml", kOwn}}) == "");
    CHECK(checked({{"agents/a.yaml", agent_of("acme", ", base_url: 'https://x.example'")}}) == "");
    CHECK(checked({{"agents/a.yaml", agent_of("acmee")}, {"config/providers.yaml", kOwn}})
              .find("agents/a.yaml:4:24: llm_config.provider: unknown provider \"acmee\", did you mean \"acme\"?") !=
          std::string::npos);
    CHECK(checked({{"cadre.yaml", "model: opnai/x\n"}})
              .find("cadre.yaml:1:8: model: unknown provider \"opnai\", did you "
                    "mean \"openai\"?") != std::string::npos);
    // what stands in a file that cannot be read may be what is meant
    CHECK(checked({{"agents/a.yaml", agent_of("acme")}, {"config/providers.yaml", "providers: [\n"}})
              .find("unknown provider") == std::string::npos);
    CHECK(Project({{"cadre.yaml", "{}"}})
              .checked({}, "", {{"CADRE_MODEL", "opnai/x"}})
              .find("CADRE_MODEL: unknown provider \"opnai\", did you mean \"openai\"?") != std::string::npos);
}

TEST_CASE("what is wrong with a file of providers is told with its place")
{
    const std::string said =
        checked({{"config/providers.yaml", "providers:\n  acme:\n    api: opnai\n    base_ur: x\n"}});
    CAPTURE(said);
    CHECK(said.find("config/providers.yaml:3:10: providers.acme.api: \"opnai\" is none of openai, anthropic") !=
          said.npos);
    CHECK(said.find("did you mean \"base_url\"?") != said.npos);
    CHECK(
        checked({{"config/providers.yaml", kOwn}, {"config/providers.json", "{\"providers\":{}}"}}).find("providers") !=
        std::string::npos);
}

TEST_CASE("key variables are those of the providers that Cadre knows")
{
    for (const char* name : {"OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GOOGLE_API_KEY", "DEEPSEEK_API_KEY", "HF_TOKEN",
                             "AZURE_OPENAI_API_KEY", "VOYAGE_API_KEY", "COHERE_API_KEY", "ZAI_API_KEY"}) {
        CAPTURE(name);
        CHECK(std::ranges::find(provider_key_variables(), name) != provider_key_variables().end());
    }
}
