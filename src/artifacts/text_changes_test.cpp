#include "artifacts/text_changes.hpp"

#include "base/random.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace cadre::artifacts;

namespace {

std::string diff(std::string_view before, std::string_view after)
{
    return unified_diff(before, after, "a.txt (1)", "a.txt (2)");
}

}  // namespace

TEST_CASE("unified diff: as diff -u writes it")
{
    CHECK(diff("same\n", "same\n") == "");
    CHECK(diff("", "") == "");
    CHECK(diff("one\ntwo\nthree\n", "one\n2\nthree\n") ==
          "--- a.txt (1)\n+++ a.txt (2)\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n");
    CHECK(diff("", "new\n") == "--- a.txt (1)\n+++ a.txt (2)\n@@ -0,0 +1 @@\n+new\n");
    CHECK(diff("x", "x\n") == "--- a.txt (1)\n+++ a.txt (2)\n@@ -1 +1 @@\n-x\n\\ No newline at end of file\n+x\n");
    const std::string far = "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n";
    CHECK(diff("a\n" + far + "b\n", "A\n" + far + "B\n") == "--- a.txt (1)\n+++ a.txt (2)\n@@ -1,4 +1,4 @@\n-a\n+A\n "
                                                            "1\n 2\n 3\n@@ -11,4 +11,4 @@\n 10\n 11\n 12\n-b\n+B\n");
}

TEST_CASE("line counts: the fewest lines that make one text of the other")
{
    const auto counts = changes_between("a\nb\nc\na\nb\nb\na\n", "c\nb\na\nb\na\nc\n");
    CHECK(counts.added == 2);
    CHECK(counts.removed == 3);
    CHECK(changes_between("x\n", "x\n").added == 0);
    CHECK(changes_between("", "1\n2").added == 2);
    // too different to be searched: replaced as a whole
    std::string a, b;
    for (int i = 0; i < 3000; ++i) a += "a" + std::to_string(i) + "\n", b += "b" + std::to_string(i) + "\n";
    CHECK(changes_between(a, b).added == 3000);
    CHECK(changes_between(a, b).removed == 3000);
}

TEST_CASE("unified diff: what it removes and adds makes one text of the other, for texts of all kinds")
{
    cadre::SeededRandom random(7);
    for (int round = 0; round < 500; ++round) {
        const auto text = [&] {
            std::string out;
            for (std::uint64_t i = 0, lines = random.below(12); i < lines; ++i)
                out += std::string(1, static_cast<char>('a' + random.below(3))) + "\n";
            return out;
        };
        const std::string before = text(), after = text();
        std::string shown = unified_diff(before, after, "b", "a");
        if (before == after) {
            CHECK(shown.empty());
            continue;
        }
        // at most 12 lines: three around each change may not be all, so the rest is compared by counts
        const auto counts = changes_between(before, after);
        std::int64_t added = 0, removed = 0;
        for (std::size_t at = shown.find("@@ -"); at < shown.size();) {
            const std::size_t end = shown.find('\n', at);
            if (shown[at] == '+') ++added;
            if (shown[at] == '-') ++removed;
            at = end + 1;
        }
        CHECK(added == counts.added);
        CHECK(removed == counts.removed);
        const auto size = [](const std::string& one) { return static_cast<std::int64_t>(one.size() / 2); };
        CHECK(size(after) - size(before) == added - removed);
    }
}
