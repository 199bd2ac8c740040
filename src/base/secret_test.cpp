#include "base/secret.hpp"

#include "base/redact.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <array>
#include <atomic>
#include <ostream>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

using namespace cadre;

namespace {

template <class T>
concept Streamable = requires(std::ostream& out, const T& value) { out << value; };

static_assert(Streamable<std::string>);
static_assert(!Streamable<Secret>);
static_assert(!fmt::is_formattable<Secret>::value);
static_assert(!std::is_convertible_v<Secret, std::string>);
static_assert(!std::is_convertible_v<Secret, std::string_view>);
static_assert(!std::is_constructible_v<std::string, Secret>);
static_assert(!std::is_constructible_v<std::string_view, Secret>);
static_assert(!std::is_convertible_v<std::string, Secret>);  // nor does text become secret unnoticed
static_assert(std::is_nothrow_move_constructible_v<Secret> && std::is_nothrow_move_assignable_v<Secret>);

}  // namespace

TEST_CASE("a secret is masked while it or a copy lives, and not after")
{
    const std::string text = "correct horse battery";
    {
        std::vector<Secret> copies;
        {
            Secret first(text);
            copies.push_back(first);
            copies.push_back(std::move(first));
        }
        CHECK(redact("say correct horse battery!") == "say [redacted]!");
        CHECK(copies[0].reveal() == text);
        copies.pop_back();
        CHECK(redact(text) == kMasked);
        copies[0] = Secret("something else");
        CHECK(redact(text) == text);
        CHECK(redact("something else") == kMasked);
    }
    CHECK(redact("something else") == "something else");
}

TEST_CASE("two secrets of one text are each enough to mask it")
{
    Secret one("the same text");
    {
        const Secret two("the same text");
    }
    CHECK(redact("the same text") == kMasked);
}

TEST_CASE("a secret is recognised inside JSON and URLs, where it looks different")
{
    const Secret secret("pa\"ss/wo rd\n+1");
    CHECK(redact(R"({"x":"pa\"ss/wo rd\n+1"})") == R"({"x":"[redacted]"})");
    CHECK(redact("http://host/?q=pa%22ss%2Fwo%20rd%0A%2B1&r=2") == "http://host/?q=[redacted]&r=2");
}

TEST_CASE("a secret is recognised however much of it is escaped")
{
    const Secret secret("ab/cd+ef gh\u00E9\U0001F600"), binary("\xFF\xFEkey\x80");
    for (const char* text : {
             "ab/cd+ef gh\u00E9\U0001F600",
             "ab\\/cd+ef gh\u00E9\U0001F600",
             "ab/cd+ef gh\\u00e9\\ud83d\\ude00",
             "ab\\u002Fcd+ef gh\\u00E9\\uD83D\\uDE00",
             "\\u0061b/cd+ef gh\u00E9\\uD83D\\uDE00",
             "ab%2fcd%2bef%20gh%c3%a9%f0%9f%98%80",
             "ab%2Fcd%2Bef+gh%C3%A9%F0%9F%98%80",
             "%61b/cd+ef%20gh%C3%A9\U0001F600",
             "\xFF\xFEkey\x80",
             "\uFFFD\uFFFDkey\\ufffd",
         }) {
        CAPTURE(text);
        CHECK(redact(std::string("x ") + text + "%") == "x [redacted]%");
    }
    for (const char* text : {"ab%2", "ab%2Gcd+ef", "ab\\u00", "ab\\", "ab/cd+ef gh\\u00e9\\ud83d", "ab/cd+ef gh%C3"})
        CHECK(redact(text) == text);
}

TEST_CASE("a secret with backslashes, percent signs and pluses is recognised as it is and escaped")
{
    const Secret secret("a\\\\n%41+b");
    for (const char* text : {"a\\\\n%41+b", "a\\\\\\\\n%41+b", "a%5C%5Cn%2541%2Bb"}) {
        CAPTURE(text);
        CHECK(redact(text) == kMasked);
    }
}

TEST_CASE("of secrets that overlap the longer is masked whole")
{
    const Secret part("abcdef");
    const Secret whole("abcdef ghijkl");
    CHECK(redact("abcdef ghijkl abcdef") == "[redacted] [redacted]");
    CHECK(redact("password=abcdef ghijkl") == "password=[redacted]");
}

TEST_CASE("short secrets are not masked, for they would tear ordinary text apart")
{
    const Secret secret("token");
    CHECK(redact("tokenizer") == "tokenizer");
}

TEST_CASE("a secret that resembles the mask does not spoil it")
{
    const Secret inside("redacted");
    const Secret around("x[redacted]x");
    const Secret same(std::string{kMasked});
    CHECK(redact("password=abc, password=[redacted]") == "password=[redacted], password=[redacted]");
}

TEST_CASE("people see the ends of long secrets and nothing of short ones")
{
    CHECK(Secret("sk-0123456789abcdefwxyz").masked() == "…wxyz");
    CHECK(Secret("0123456789012345678").masked() == kMasked);
    CHECK(Secret("\u00E9\u00E9\u00E9\u00E9\u00E9\u00E9\u00E9\u00E9\u00E9\u00E9").masked() == kMasked);
    CHECK(Secret().masked() == kMasked);
}

TEST_CASE("secrets compare by their text")
{
    CHECK(Secret("alpha") == Secret("alpha"));
    CHECK(Secret("alpha") != Secret("alphb"));
    CHECK(Secret("alpha") != Secret("alph"));
    CHECK(Secret() == Secret(""));
    CHECK(Secret() != Secret("a"));
}

TEST_CASE("secrets come and go on many threads while text is redacted")
{
    const Secret steady("steady secret");
    std::atomic<bool> wrong = false;
    std::array<std::thread, 4> threads;
    for (std::size_t t = 0; t < threads.size(); ++t)
        threads[t] = std::thread([&, t] {
            for (int i = 0; i < 500; ++i) {
                const Secret mine("thread secret " + std::to_string(t));
                if (redact("steady secret, thread secret " + std::to_string(t)) != "[redacted], [redacted]")
                    wrong = true;
            }
        });
    for (auto& thread : threads) thread.join();
    CHECK(!wrong);
    CHECK(redact("thread secret 1") == "thread secret 1");
}
