#include "engine/principal.hpp"

#include "base/error.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace cadre;
using namespace cadre::engine;

namespace {

constexpr Role kAllRoles[] = {Role::viewer, Role::user, Role::approver, Role::steward, Role::admin};

/// "yes", or the code and text of the refusal.
std::string verdict(const Principal& by, Act act, const Owned& of)
{
    try {
        expect_may(by, act, of, "there is no such thing");
    } catch (const Error& error) {
        return std::string(name_of(error.code())) + ": " + error.what();
    }
    return "yes";
}

}  // namespace

TEST_CASE("who may do what is as the table says, for every role and act, for one's own and others', here and elsewhere")
{
    // a letter for each role in the order of kAllRoles: a all of the tenant, o their own, - nothing
    struct {
        Act act;
        const char* name;
        const char* may;
    } const rows[] = {
        {Act::read, "read", "aoaaa"},         {Act::work, "work", "-o-aa"},
        {Act::reply, "reply", "-oaaa"},       {Act::approve, "approve", "--a-a"},
        {Act::change, "change", "---aa"},     {Act::administer, "administer", "----a"},
        {Act::maintain, "maintain", "----a"},
    };
    for (const auto& row : rows) {
        CHECK(name_of(row.act) == row.name);
        for (std::size_t i = 0; i < std::size(kAllRoles); ++i) {
            CAPTURE(row.name);
            CAPTURE(name_of(kAllRoles[i]));
            const Principal ann{.subject = "ann", .roles = {kAllRoles[i]}};
            const char may = row.may[i];
            const std::string own = verdict(ann, row.act, {"local", "ann"});
            const std::string others = verdict(ann, row.act, {"local", "bob"});
            CHECK((own == "yes") == (may != '-'));
            CHECK((others == "yes") == (may == 'a'));
            for (const std::string& refusal : {own, others}) {
                if (refusal == "yes") continue;
                CHECK(refusal.starts_with("forbidden: ann may "));
                CHECK(refusal.find(row.name) != refusal.npos);
                CHECK(refusal.find("admin") != refusal.npos);  // who could
            }
            // another tenant's is not there, whatever the role and whoever has created it
            CHECK(verdict(ann, row.act, {"other", "ann"}) == "not_found: there is no such thing");
            CHECK(verdict(ann, row.act, {"other", "bob"}) == "not_found: there is no such thing");
            CHECK(reach_of(ann, row.act) == (may == 'a' ? Reach::all : may == 'o' ? Reach::own : Reach::none));
        }
    }
}

TEST_CASE("several roles give what each of them gives; none gives nothing")
{
    const Principal both{.subject = "ann", .roles = {Role::user, Role::approver}};
    CHECK(verdict(both, Act::approve, {"local", "bob"}) == "yes");
    CHECK(verdict(both, Act::work, {"local", "ann"}) == "yes");
    CHECK(verdict(both, Act::work, {"local", "bob"}) ==
          "forbidden: ann may do this (work) only to tasks that they created; for others it needs the role operator or "
          "admin");
    const Principal nobody{.subject = "ann"};
    for (const Act act : {Act::read, Act::work, Act::reply, Act::approve, Act::change, Act::administer, Act::maintain})
        CHECK(verdict(nobody, act, {"local", "ann"}).starts_with("forbidden: ann may not "));
}

TEST_CASE("a user who is nobody in particular owns nothing")
{
    const Principal user{.roles = {Role::user}};
    CHECK(verdict(user, Act::read, {"local", ""}).starts_with("forbidden: "));
    CHECK_THROWS_AS(expect_may(user, Act::work), Error);
    CHECK_NOTHROW(expect_may(Principal{.subject = "ann", .roles = {Role::user}}, Act::work));
}

TEST_CASE("scopes confine a key to some of what its roles allow, and give nothing")
{
    Principal key{.subject = "bot", .roles = {Role::viewer, Role::approver}, .scopes = {Act::read, Act::change}};
    CHECK(verdict(key, Act::read, {"local", "ann"}) == "yes");
    CHECK(verdict(key, Act::approve, {"local", "ann"}) ==
          "forbidden: bot may not do this (approve) with a key that is for read, change");
    CHECK(verdict(key, Act::change, {"local", "ann"}) ==
          "forbidden: bot may not do this (change): it needs the role operator or admin");
}

TEST_CASE("the home as a whole is for admins of the tenant local only")
{
    const Principal elsewhere{.tenant = "acme", .subject = "ann", .roles = {Role::admin}};
    CHECK(verdict(elsewhere, Act::change, {"acme", "bob"}) == "yes");
    CHECK(verdict(elsewhere, Act::maintain, {"acme", "ann"}) ==
          "forbidden: ann may not do this (maintain): it needs the role admin of the tenant local");
    for (const Act act : {Act::read, Act::work, Act::reply, Act::approve, Act::change, Act::administer, Act::maintain})
        CHECK_NOTHROW(expect_may(local_user("ann"), act));
}

TEST_CASE("the keys and the audit of a tenant are for its admins")
{
    const Principal elsewhere{.tenant = "acme", .subject = "ann", .roles = {Role::admin}};
    CHECK(verdict(elsewhere, Act::administer, {"acme", "bob"}) == "yes");
    CHECK(verdict(elsewhere, Act::administer, {"local", "ann"}) == "not_found: there is no such thing");
}

TEST_CASE("with four eyes nobody but an admin approves what they have created themselves")
{
    Principal ann{.subject = "ann", .roles = {Role::user, Role::approver}, .four_eyes = true};
    CHECK(verdict(ann, Act::approve, {"local", "bob"}) == "yes");
    CHECK(verdict(ann, Act::approve, {"local", "ann"}) ==
          "forbidden: ann has created this, and what it asks must be approved by somebody else");
    CHECK(verdict(ann, Act::reply, {"local", "ann"}) == "yes");  // answering is not approving
    ann.roles.add(Role::admin);
    CHECK(verdict(ann, Act::approve, {"local", "ann"}) == "yes");
    ann = {.subject = "ann", .roles = {Role::approver}};
    CHECK(verdict(ann, Act::approve, {"local", "ann"}) == "yes");
}

TEST_CASE("roles are found by the names that they have on the wire")
{
    for (const Role role : kAllRoles) CHECK(find_role(name_of(role)) == role);
    CHECK(name_of(Role::steward) == "operator");
    CHECK_FALSE(find_role("steward"));
    CHECK_FALSE(find_role(""));
}
