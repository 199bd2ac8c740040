#include "home/redis_options.hpp"

#include "home/project/project.hpp"
#include "storage/temporary_folder.hpp"
#include "support/error_of.hpp"

#include <doctest/doctest.h>

#include <fstream>

using namespace cadre;
using namespace cadre::home;

namespace {

/// A project whose cadre.yaml says that.
Project project_with(const storage::TemporaryFolder& folder, const std::string& redis, const char* variable = nullptr)
{
    std::ofstream(folder.path() / "cadre.yaml") << "redis: {" << redis << "}\n";
    const auto environment = [variable](const std::string& name) -> std::optional<std::string> {
        if (name == "WORD") return "hidden-word";
        return variable && name == "CADRE_REDIS_URL" ? std::optional<std::string>(variable) : std::nullopt;
    };
    return {{.folder = folder.path(), .environment = environment}, folder.path(), folder.path() / "home"};
}

}  // namespace

TEST_CASE("redis options: another machine needs TLS and a password, or somebody who says that it does not")
{
    struct {
        const char* redis;
        const char* says;
    } const cases[] = {
        {"url: 'redis://redis.example.com'", "redis.url leads to another machine, redis://redis.example.com:6379: say"},
        {"url: 'rediss://redis.example.com'", "leads to another machine"},
        {"url: 'redis://ann:${WORD}@10.0.0.7'", "leads to another machine, redis://10.0.0.7:6379"},
        {"url: 'redis://ann:${WORD}@10.0.0.7/x'", "the database in the URL of Redis must be a number"},
    };
    const storage::TemporaryFolder folder;
    for (const auto& c : cases) {
        CAPTURE(c.redis);
        const doctest::String said = test::error_of([&] { redis_options(project_with(folder, c.redis)); });
        CHECK(said == doctest::Contains(c.says));
        CHECK(said != doctest::Contains("hidden-word"));
    }
    CHECK_FALSE(redis_options(project_with(folder, "")));
    for (const char* good :
         {"url: 'redis://localhost'", "url: 'redis://127.0.0.1:7000'", "url: 'unix:///run/redis.sock'",
          "url: 'rediss://ann:${WORD}@redis.example.com'", "url: 'redis://redis.example.com', insecure: true"}) {
        CAPTURE(good);
        CHECK(redis_options(project_with(folder, good)));
    }
    const auto all = redis_options(project_with(folder, "url: 'rediss://localhost', tls_ca: ca.pem, timeout_ms: 40"));
    CHECK(all->ca_file == (folder.path() / "ca.pem").string());
    CHECK(all->timeout == Millis(40));
}

TEST_CASE("redis options: a Redis that the project names is something that it wants, and one of whoever runs it is not")
{
    const storage::TemporaryFolder folder;
    const auto wants = wants_of(project_with(folder, "url: 'redis://ann:${WORD}@127.0.0.1:1'"));
    REQUIRE(wants.size() == 1);
    CHECK(wants.front() == Want{"copies what tasks of the home say to redis://127.0.0.1:1", "cadre.yaml"});
    CHECK(wants_of(project_with(folder, "url: 'redis://127.0.0.1:1'", "redis://127.0.0.1:2")).empty());
}
