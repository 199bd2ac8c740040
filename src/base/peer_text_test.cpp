#include "base/peer_text.hpp"

#include "base/base64.hpp"
#include "base/json.hpp"
#include "base/redact.hpp"
#include "base/secret.hpp"

#include <boost/json.hpp>
#include <doctest/doctest.h>

using namespace cadre;

namespace {

/// Makes secrets, and peers that repeat them.
class Parrot {
public:
    std::size_t dice(std::size_t sides)
    {
        return static_cast<std::size_t>((seed_ = seed_ * 6364136223846793005u + 1442695040888963407u) >> 33) % sides;
    }

    std::string secret()
    {
        constexpr std::string_view kLetters =
            "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_/+=.~\"\\<>& ";
        std::string text = "c4n";  // so that it is not by chance what stands around it
        for (std::size_t size = 9 + dice(40); size > 0; --size) text += kLetters[dice(kLetters.size())];
        return text + "Z";
    }
    std::string words()
    {
        std::string text;
        for (std::size_t size = dice(30); size > 0; --size) text += std::string_view("the quick {}[]:,\n\"x")[dice(18)];
        return text;
    }

    std::uint64_t seed_ = 2026;
};

bool holds(std::string_view text, std::string_view secret)
{
    return text.find(secret) != text.npos;
}

}  // namespace

TEST_CASE("attacks 14 to 17: ten thousand canaries in every slot, and none comes through")
{
    Parrot parrot;
    for (int i = 0; i < 12'000; ++i) {
        const std::string canary = parrot.secret();
        const Secret secret{std::string(canary)};
        CAPTURE(canary);
        const std::string before = parrot.words(), after = parrot.words();
        switch (i % 6) {
        case 0: {
            std::string text = before + canary + after;
            mask_peer(text);
            REQUIRE(!holds(text, canary));
            REQUIRE(text.starts_with(before));
            break;
        }
        case 1: {  // as a value and as a name, deep inside
            json::value value =
                json::object{{"a", json::array{1, before + canary, json::object{{before + canary, after}}}}};
            mask_peer(value);
            for (const std::string& text : {to_text(value), std::string(value.at("a").at(1).as_string())})
                REQUIRE(!holds(text, canary));
            REQUIRE(!holds(value.at("a").at(2).as_object().begin()->key(), canary));
            break;
        }
        case 2: {  // as JSON writes it
            std::string text = to_text(json::object{{"a", before + canary + after}});
            mask_peer(text);
            const json::value value = parse_json(text);
            REQUIRE(!holds(value.at("a").as_string(), canary));
            break;
        }
        case 3: {  // in base64, wherever it begins
            const std::string bytes = before + canary + after;
            for (std::string text : {to_base64(bytes), to_base64url(bytes)}) {
                std::string said = "see " + text + " there";
                mask_peer(said);
                REQUIRE(said != "see " + text + " there");
                const std::string rest = said.substr(4, said.find(kMasked) - 4);
                for (std::size_t cut = 0; cut < 4 && cut <= rest.size(); ++cut) {
                    const auto decoded = from_base64(rest.substr(0, rest.size() - cut));
                    if (decoded) REQUIRE(!holds(*decoded, canary));
                }
            }
            break;
        }
        case 4: {  // in halves, thirds, …
            const std::string whole = before + canary + after;
            std::vector<std::string> pieces;
            for (std::size_t at = 0; at < whole.size();) {
                const std::size_t size = 1 + parrot.dice(canary.size() - 1);
                pieces.push_back(whole.substr(at, size));
                at += size;
            }
            std::vector<std::string*> places;
            for (std::string& piece : pieces) places.push_back(&piece);
            mask_peer(places);
            std::string joined;
            for (const std::string& piece : pieces) joined += piece;
            REQUIRE(!holds(joined, canary));
            REQUIRE(!holds(joined, canary.substr(0, canary.size() / 2 + 1)));
            REQUIRE(joined.starts_with(before));
            REQUIRE(joined.ends_with(after));
            break;
        }
        default: {  // as it streams in
            const std::string whole = before + canary + after;
            PeerStream stream;
            std::string shown;
            for (std::size_t at = 0; at < whole.size();) {
                const std::size_t size = 1 + parrot.dice(12);
                shown += stream.take(whole.substr(at, size));
                REQUIRE(!holds(shown, canary.substr(0, canary.size() - 1)));
                at += size;
            }
            shown += stream.end();
            REQUIRE(!holds(shown, canary));
            REQUIRE(shown.starts_with(before));
            REQUIRE(shown.ends_with(after));
        }
        }
    }
}

TEST_CASE("a stream without secrets in it comes through as it is, and nothing is lost")
{
    const Secret secret{std::string("sk-proj-abcdefghijkl")};
    PeerStream stream;
    CHECK(stream.take("the key sk-pro") == "the key ");
    CHECK(stream.take("ject is over") == "sk-project is over");
    CHECK(stream.take("") == "");
    CHECK(stream.take("s") == "");
    CHECK(stream.end() == "s");
    CHECK(stream.end() == "");
}

TEST_CASE("when no secret lives nothing is looked for")
{
    std::string text = "sk-proj-abcdefghijkl";
    mask_peer(text);
    CHECK(text == "sk-proj-abcdefghijkl");
    CHECK(begun_secret("sk") == 0);
    CHECK(secrets_in(text).empty());
}
