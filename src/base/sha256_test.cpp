#include "base/sha256.hpp"

#include <doctest/doctest.h>

#include <thread>
#include <vector>

using namespace cadre;

TEST_CASE("SHA-256 gives the answers that the standard lists")
{
    struct {
        std::string text;
        const char* hash;
    } const cases[] = {
        {"", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
        {"abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
        {"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
         "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"},
        {std::string(1'000'000, 'a'), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"},
    };
    for (const auto& c : cases) CHECK(to_hex(sha256(c.text)) == c.hash);
}

TEST_CASE("a digest is the front half of the hash, and no text has an empty one")
{
    CHECK(to_hex(digest_of("abc")) == "ba7816bf8f01cfea414140de5dae2223");
    CHECK(digest_of(""));
    CHECK_FALSE(Digest{});
}

TEST_CASE("hex comes back in either case; anything else is nothing")
{
    const Hash hash = sha256("abc");
    CHECK(find_hash(to_hex(hash)) == hash);
    CHECK(find_hash("BA7816BF8F01CFEA414140DE5DAE2223B00361A396177A9CB410FF61F20015AD") == hash);
    CHECK(find_digest("ba7816bf8f01cfea414140de5dae2223") == digest_of("abc"));
    for (const std::string text : {"", "ba", "ba7816bf8f01cfea414140de5dae222", "ba7816bf8f01cfea414140de5dae222g"}) {
        CAPTURE(text);
        CHECK_FALSE(find_digest(text));
        CHECK_FALSE(find_hash(text));
        CHECK_FALSE(find_hash(text + text));
    }
}

TEST_CASE("threads that hash at once do not disturb each other")
{
    const Hash expected = sha256("text");
    std::vector<int> wrong(4);
    {
        std::vector<std::jthread> threads;
        for (int& count : wrong)
            threads.emplace_back([&] {
                for (int i = 0; i < 1000; ++i) count += sha256("text") != expected;
            });
    }
    CHECK(wrong == std::vector<int>(4));
}
