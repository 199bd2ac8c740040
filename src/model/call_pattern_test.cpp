#include "model/call_pattern.hpp"

#include "base/json.hpp"

#include <boost/json.hpp>
#include <doctest/doctest.h>

namespace cadre::model {

TEST_CASE("globs: a star is any text, everything else itself")
{
    CHECK(fits("*", ""));
    CHECK(fits("a*c*e", "abcde"));
    CHECK(fits("git *", "git status"));
    CHECK(fits("**x", "x"));
    CHECK_FALSE(fits("git *", "git"));
    CHECK_FALSE(fits("a*b", "abc"));
    CHECK_FALSE(fits("", "a"));
    CHECK_FALSE(fits("A", "a"));
    CHECK_FALSE(fits(std::string(50, '*') + "b", std::string(20'000, 'a')));
}

TEST_CASE("call patterns: names, and arguments that must all fit")
{
    const json::object call{{"command", "git push: now"}, {"depth", 2}, {"flags", json::array{1, "x"}}};
    for (const std::string_view meant : {"shell", "sh*", "shell:command=git *", "shell:command=*: now", "shell:depth=2",
                                         "shell:flags=[1,\"x\"]", "shell:command=git *:depth=2", "*:command=*"})
        CHECK_MESSAGE(is_meant(meant, "shell", call), meant);
    for (const std::string_view other : {"she", "shell:command=svn *", "shell:command=git *:depth=3", "shell:path=*",
                                         "shell:command", "python:command=*", ""})
        CHECK_MESSAGE(!is_meant(other, "shell", call), other);
    CHECK(is_meant("files/*", "files/read", {}));
}

TEST_CASE("a tool of a server goes by all its names where it is forbidden, and by whole ones where it is allowed")
{
    const Tool tool{.name = "s__write", .type = ToolType::mcp, .config = {{"tool", "write"}}, .server = "s"};
    for (const std::string pattern : {"s.*", "s.write", "s__write", "write", "wr*"}) {
        CHECK_MESSAGE(permission_of({.deny = {pattern}}, tool, {}) == Permission::deny, pattern);
        CHECK_MESSAGE(permission_of({.ask = {pattern}}, tool, {}) == Permission::ask, pattern);
    }
    const auto allowed = [&](const std::string& pattern) {
        return permission_of({.allow = {pattern}, .ask = {"*"}}, tool, {}) == Permission::allow;
    };
    CHECK(allowed("s.write"));
    CHECK(allowed("s__write"));
    CHECK_FALSE(allowed("write"));
}

TEST_CASE("a path is forbidden however it is written, and allowed only if it is meant so")
{
    const Tool tool{.name = "write_file"};
    const Permissions rules{.deny = {"write_file:path=secret/*"}, .allow = {"write_file:path=out/*"}, .ask = {"*"}};
    const auto said = [&](std::string_view path) { return permission_of(rules, tool, {{"path", path}}); };
    for (const char* path : {"secret/x", "./secret/x", "a/../secret/x", "secret//x"})
        CHECK(said(path) == Permission::deny);
    CHECK(said("out/x") == Permission::allow);
    CHECK(said("out/../etc/x") == Permission::ask);
}

TEST_CASE("patterns that can mean nothing are told")
{
    CHECK_FALSE(pattern_problem("shell:command=git *"));
    CHECK_FALSE(pattern_problem("files.*"));
    CHECK(pattern_problem("shell:command"));
    CHECK(pattern_problem(":path=x"));
    CHECK(pattern_problem(""));
}

TEST_CASE("permission: deny, then allow, then ask, then what the tool says")
{
    Tool tool{.name = "shell", .permission = Permission::ask};
    const Permissions rules{.deny = {"shell:command=rm *"},
                            .allow = {"shell:command=rm -i *", "shell:command=ls*"},
                            .ask = {"shell:command=ls /etc*", "mail"}};
    const auto said = [&](std::string_view command) { return permission_of(rules, tool, {{"command", command}}); };
    CHECK(said("rm -i x") == Permission::deny);
    CHECK(said("ls /etc") == Permission::allow);
    CHECK(said("make") == Permission::ask);
    tool.permission.reset();
    CHECK(said("make") == Permission::allow);
    tool.name = "mail";
    CHECK(said("make") == Permission::ask);
}

}  // namespace cadre::model
