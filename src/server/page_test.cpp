#include "server/page.hpp"

#include "base/id.hpp"
#include "server/problem.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace cadre;
using namespace cadre::server;

namespace {

const storage::TaskCursor kPlace{.created_at = time_from_iso("2026-11-18T10:00:00.123Z"),
                                 .task = id_from("6f1c2b3a-0000-4000-8000-0123456789ab")};

bool is_refused(std::string_view text, std::string_view list, std::string_view secret)
{
    try {
        cursor_from(text, list, secret);
        return false;
    } catch (const Refusal& refusal) {
        CHECK(refusal.status() == 400);
        CHECK(refusal.reason() == "bad_cursor");
        return true;
    }
}

}  // namespace

TEST_CASE("page: a cursor leads back to its place, in its list only")
{
    const std::string text = cursor_text(kPlace, "status=a", "secret");
    const storage::TaskCursor back = cursor_from(text, "status=a", "secret");
    CHECK(back.created_at == kPlace.created_at);
    CHECK(back.task == kPlace.task);
    CHECK(is_refused(text, "status=b", "secret"));
    CHECK(is_refused(text, "status=a", "another"));
}

TEST_CASE("page: whatever else comes is refused")
{
    const std::string text = cursor_text(kPlace, "", "secret");
    for (std::size_t length = 0; length < text.size(); ++length)
        CHECK(is_refused(text.substr(0, length), "", "secret"));
    for (std::size_t at = 0; at < text.size(); ++at) {
        std::string other = text;
        other[at] = other[at] == '1' ? '2' : '1';
        CHECK(is_refused(other, "", "secret"));
    }
}
