#include "mcp/oauth/kept_secrets.hpp"

#include "base/async.hpp"
#include "base/error.hpp"
#include "base/run.hpp"
#include "mcp/test_has.hpp"
#include "net/loop.hpp"
#include "storage/files.hpp"

#include <doctest/doctest.h>

#include <sys/stat.h>

#include <cstdlib>
#include <fstream>

using namespace cadre;
using namespace cadre::mcp::oauth;
using cadre::mcp::test::Has;

namespace {

namespace fs = std::filesystem;

fs::path new_folder()
{
    std::string name = (fs::temp_directory_path() / "kept-XXXXXX").string();
    return ::mkdtemp(name.data());
}

struct Place {
    ~Place() { fs::remove_all(folder); }
    std::string error_of_find(const KeptFor& whom)
    {
        try {
            run(loop, kept.find(whom));
        } catch (const Error& error) {
            return std::string(name_of(error.code())) + ": " + error.what();
        }
        return "none";
    }
    fs::path folder = new_folder();
    net::Loop loop;
    KeptSecrets kept{folder};
};

const KeptFor kWhom{.server = "docs", .url = "https://s.example/mcp", .token_url = "", .client_id = "me"};

}  // namespace

TEST_CASE("a secret is kept for one server at one address, in a file of ours alone")
{
    Place place;
    CHECK_FALSE(run(place.loop, place.kept.find(kWhom)));
    run(place.loop, place.kept.keep(kWhom, {.client_secret = Secret("s3cret-1")}));
    struct stat facts{};
    REQUIRE(::stat(place.kept.file().c_str(), &facts) == 0);
    CHECK((facts.st_mode & 0777) == 0600);

    const auto found = run(place.loop, place.kept.find(kWhom));
    REQUIRE(found);
    CHECK(found->client_secret.reveal() == "s3cret-1");
    for (auto field : {&KeptFor::server, &KeptFor::url, &KeptFor::token_url, &KeptFor::client_id}) {
        KeptFor other = kWhom;
        other.*field = "https://evil.example";
        CHECK_FALSE(run(place.loop, place.kept.find(other)));
    }
}

TEST_CASE("a granted token is noted beside the secret, and both are forgotten together")
{
    Place place;
    run(place.loop, place.kept.keep(kWhom, {.client_secret = Secret("s3cret-1")}));
    const Time until = time_from_iso("2030-01-01T00:00:00Z");
    run(place.loop,
        place.kept.keep_grant(
            kWhom,
            {.issuer = "https://as.example", .access_token = Secret("t0ken-1"), .scope = "a", .expires = until}));
    const auto found = run(place.loop, place.kept.find(kWhom));
    REQUIRE(found);
    CHECK(found->client_secret.reveal() == "s3cret-1");
    CHECK(found->access_token.reveal() == "t0ken-1");
    CHECK(found->expires == until);

    run(place.loop,
        place.kept.keep(kWhom, {.client_secret = Secret("s3cret-2")}));  // another secret: what it was granted goes
    CHECK(run(place.loop, place.kept.find(kWhom))->access_token.empty());
    CHECK(run(place.loop, place.kept.find(kWhom))->issuer.empty());

    CHECK_FALSE(run(place.loop, place.kept.forget("other")));
    CHECK(run(place.loop, place.kept.forget("docs")));
    CHECK_FALSE(run(place.loop, place.kept.find(kWhom)));
    CHECK(storage::find_file(place.kept.file())->find("s3cret") == std::string::npos);
}

TEST_CASE("a file that others may read, or that is none of ours, is not used and not shown")
{
    Place place;
    run(place.loop, place.kept.keep(kWhom, {.bearer = Secret("s3cret-1")}));
    fs::permissions(place.kept.file(), fs::perms(0640));
    CHECK(place.error_of_find(kWhom) == Has("forbidden: others may read"));
    fs::permissions(place.kept.file(), fs::perms(0600));
    CHECK(place.error_of_find(kWhom) == "none");
    std::ofstream(place.kept.file()) << R"({"kept":[{"bearer":"s3cret-1")";
    const std::string error = place.error_of_find(kWhom);
    CHECK(error == Has("malformed: "));
    CHECK(error.find("s3cret") == error.npos);
}
