// Settings that nothing heeds yet are told about, where they stand.
#include "config/file_kind.hpp"
#include "config/project_fixture.hpp"
#include "model/catalogue.hpp"
#include "model/describe.hpp"
#include "model/not_in_effect.hpp"

#include <doctest/doctest.h>

#include <algorithm>

using namespace cadre::config;
namespace model = cadre::model;

namespace {

std::string team_with(const std::string& more)
{
    return "name: t\ndescription: d\nagents: [{name: a, role: r, prompt: p}]\ntools: []\ndefault_llm: {}\n" + more;
}

}  // namespace

TEST_CASE("settings without effect are warnings, where they stand")
{
    const std::string said = checked(
        {{"teams/t.yaml", team_with("deployment_config: {zone: eu}\nmemory_config: {vector_db_config: {a: 1}}\n")}});
    CAPTURE(said);
    for (const char* line :
         {"teams/t.yaml:6:1: warning: deployment_config: is not in effect",
          "warning: memory_config.vector_db_config: is not in effect: vectors are kept with what they are of"})
        CHECK(said.find(line) != said.npos);
}

TEST_CASE("a setting that says what it would be anyway is not told about")
{
    const std::string said = checked({{"cadre.yaml", "log_level: debug\n"},
                                      {"teams/t.yaml", team_with("deployment_config: {}\nmemory_config: {}\n")}});
    CAPTURE(said);
    CHECK(said.find("in effect") == said.npos);
}

TEST_CASE("a setting that only identifies is told about where it stands")
{
    const std::string said = checked({{"teams/t.yaml", team_with("id: best-team\n")}});
    CAPTURE(said);
    CHECK(said.find("teams/t.yaml:6:1: warning: id: is not in effect: teams are found by the names of their files") !=
          said.npos);
}

TEST_CASE("every line of the table is a setting of a file that people write")
{
    for (const model::NotInEffect& one : model::not_in_effect()) {
        CAPTURE(one.entity);
        CAPTURE(one.field);
        const std::vector<const model::Entity*> files = file_entities();
        const auto file = std::ranges::find(files, one.entity, [](const model::Entity* e) { return e->name; });
        const model::Entity* entity = file == files.end() ? model::find_entity(one.entity) : *file;
        REQUIRE(entity != nullptr);
        CHECK((file != files.end() || model::written_in(*entity) != model::Home::Kind::part));
        if (!one.field.empty()) CHECK(entity->find(one.field) != nullptr);
    }
}

TEST_CASE("a typo in a retry policy would be a setting without effect, and a schema that is none is found before a run")
{
    const std::string said =
        checked({{"agents/a.yaml", "name: a\nrole: r\nprompt: p\noutput_schema: {type: 5}\n"
                                   "llm_config: {retry_policy: {max_retrys: 3, delay: 1}}\n"},
                 {"teams/t.yaml", "name: t\ndescription: d\nagents: [{name: b, role: r, prompt: p}]\n"
                                  "tools: [{name: x, type: hitl, retry_policy: {dely: 2}}]\ndefault_llm: {}\n"}});
    CAPTURE(said);
    for (const char* line :
         {"agents/a.yaml:4:16: output_schema: is not a JSON Schema: ",
          "llm_config.retry_policy.max_retrys: is not a setting of a retry policy, did you mean \"max_retries\"?",
          "tools[0].retry_policy.dely: is not a setting of a retry policy, did you mean \"delay\"?"})
        CHECK(said.find(line) != said.npos);
    CHECK(said.find("retry_policy.delay") == said.npos);
}
