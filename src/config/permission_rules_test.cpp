#include "config/project_fixture.hpp"

#include <doctest/doctest.h>

using namespace cadre::config;

namespace {

std::string checked_rules(const std::string& rules, const std::string& granted = "write_file")
{
    return checked(
        {{"config/mcp_servers.yaml", "servers:\n  - {name: files, transport: stdio, config: {command: x}}\n"},
         {"cadre.yaml", "name: p\n"},
         {"teams/t.yaml", "name: t\ndescription: d\ndefault_llm: {}\nagents:\n  - {name: a, role: r, prompt: "
                          "p, tools: [" +
                              granted + "]}\ntools: []\npermissions: " + rules + "\n"}});
}

}  // namespace

TEST_CASE("rules that mean something are not complained about")
{
    for (const char* rules : {"{deny: [\"write_file:path=*.exe\"]}", "{ask: [\"*\"]}", "{allow: [\"write_*\"]}", "{}"})
        CHECK(checked_rules(rules) == "");
    for (const char* rules : {"{deny: [files.*]}", "{deny: [files.read]}", "{deny: [files__read]}", "{deny: [read]}"})
        CHECK(checked_rules(rules, "files.*") == "");
    CHECK(checked_rules("{deny: [files.read, read]}", "files.read") == "");
}

TEST_CASE("a rule that can mean nothing is told, with its place")
{
    CHECK(
        checked_rules("{deny: [\"write_file:path\"]}").find("permissions.deny[0]: \"write_file:path\" means no call") !=
        std::string::npos);
    for (const char* rules : {"{deny: [Write_File]}", "{ask: [shel]}", "{deny: [files.write]}"})
        CHECK(checked_rules(rules).find("means no tool that this team has") != std::string::npos);
    CHECK(checked_rules("{deny: [other.*]}", "files.*").find("means no tool") != std::string::npos);
}

TEST_CASE("a rule that another one leaves nothing to is told")
{
    for (const char* rules :
         {"{deny: [write_file], allow: [\"write_file:path=a\"]}", "{allow: [\"*\"], ask: [write_file]}",
          "{allow: [write_file], ask: [\"write_file:path=*.exe\"]}"})
        CHECK(checked_rules(rules).find("never counts") != std::string::npos);
    for (const char* rules : {"{deny: [\"write_file:path=a\"], allow: [write_file]}",
                              "{allow: [\"write_file:path=a\"], ask: [write_file]}"})
        CHECK(checked_rules(rules) == "");
}
