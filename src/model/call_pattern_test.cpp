#include "model/call_pattern.hpp"

#include "base/json.hpp"

#include <boost/json.hpp>
#include <doctest/doctest.h>

#include <array>

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

TEST_CASE("attack 08: the guide's rule holds however the path or the number is written")
{
    const Permissions rules{.deny = {"write_file:path=*.exe", "pay:amount=1000"}, .ask = {"mail:cc=*@evil.org"}};
    const auto said = [&](const char* tool, json::object arguments) {
        return permission_of(rules, Tool{.name = tool}, arguments);
    };
    for (const char* path :
         {"a.exe", "a.exe/.", "a.exe/", "a.exe//", "./a.exe", "x/../a.exe", "a.exe/./.", "a.exe/x/.."})
        CHECK_MESSAGE(said("write_file", {{"path", path}}) == Permission::deny, path);
    CHECK(said("write_file", {{"path", "a.txt"}}) == Permission::allow);
    for (const json::value& amount : {json::value(1000), json::value(1000.0), json::value(1e3), json::value(1000u),
                                      json::value("1000"), json::value("1000.0"), json::value("1e3")})
        CHECK_MESSAGE(said("pay", {{"amount", amount}}) == Permission::deny, to_text(amount));
    for (const json::value& amount : {json::value(1000.5), json::value(100), json::value("1001")})
        CHECK_MESSAGE(said("pay", {{"amount", amount}}) == Permission::allow, to_text(amount));
    CHECK(said("mail", {{"cc", json::array{"b@ours.org", "a@evil.org"}}}) == Permission::ask);
    CHECK(said("mail", {{"cc", json::array{json::array{"a@evil.org"}}}}) == Permission::ask);
    CHECK(said("mail", {{"cc", json::array{"b@ours.org"}}}) == Permission::allow);
}

TEST_CASE("what is allowed is every element of a list, and a number itself")
{
    const Permissions rules{.allow = {"mail:cc=*@ours.org", "pay:amount=10", "read:path=./out/*"}, .ask = {"*"}};
    const auto said = [&](const char* tool, json::object arguments) {
        return permission_of(rules, Tool{.name = tool}, arguments);
    };
    CHECK(said("mail", {{"cc", json::array{"a@ours.org", "b@ours.org"}}}) == Permission::allow);
    CHECK(said("mail", {{"cc", json::array{"a@ours.org", "b@evil.org"}}}) == Permission::ask);
    CHECK(said("mail", {{"cc", json::array{}}}) == Permission::ask);
    CHECK(said("pay", {{"amount", 10.0}}) == Permission::allow);
    CHECK(said("pay", {{"amount", "10.0"}}) == Permission::ask);
    CHECK(said("read", {{"path", "out/x"}}) == Permission::allow);
    CHECK(said("read", {{"path", "out/../x"}}) == Permission::ask);
}

TEST_CASE("ten thousand ways to write a forbidden path are all forbidden")
{
    const Permissions rules{.deny = {"write_file:path=secret/*.exe"}};
    const Tool tool{.name = "write_file"};
    std::uint32_t seed = 7;
    const auto dice = [&](std::uint32_t sides) { return (seed = seed * 1664525u + 1013904223u) / 65536u % sides; };
    const auto noise = [&] {
        std::string text;
        for (std::uint32_t i = dice(4); i > 0; --i) text += std::array{"./", "/", "x/../", "a/b/../../"}[dice(4)];
        return text;
    };
    for (int i = 0; i < 10'000; ++i) {
        std::string path = noise();
        while (path.starts_with('/')) path.erase(0, 1);  // an absolute one is another path
        path += "secret/" + noise() + std::string(dice(5), 'n') + ".exe" +
                std::array{"", "/", "/.", "//./", "/y/.."}[dice(5)];
        REQUIRE_MESSAGE(permission_of(rules, tool, {{"path", path}}) == Permission::deny, path);
    }
}

TEST_CASE("patterns name their arguments")
{
    CHECK(arguments_in("shell") == std::vector<std::string>{});
    CHECK(arguments_in("x:a=1:b=2:3") == std::vector<std::string>{"a", "b"});
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
