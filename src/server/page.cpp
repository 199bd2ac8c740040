#include "server/page.hpp"

#include "base/sha256.hpp"
#include "server/problem.hpp"

#include <fmt/core.h>

#include <charconv>

namespace cadre::server {
namespace {

constexpr std::size_t kSealBytes = 12;

/// The first half keeps strangers from making cursors, or using those of other lists.
std::string seal_of(std::string_view place, std::string_view list, std::string_view secret)
{
    const Hash hash = sha256(fmt::format("{}\n{}\n{}", secret, place, list));
    std::string seal;
    append_hex(seal, {hash.data(), kSealBytes});
    return seal;
}

[[noreturn]] void refuse_cursor()
{
    throw Refusal(400, Code::malformed, "bad_cursor",
                  "the cursor is not one of this list; begin again without it, with the same filters");
}

}  // namespace

std::string sealed_place(std::string place, std::string_view list, std::string_view secret)
{
    const std::string seal = seal_of(place, list, secret);
    return std::move(place) + "." + seal;
}

std::string_view place_in(std::string_view cursor, std::string_view list, std::string_view secret)
{
    const std::size_t last = cursor.rfind('.');
    if (last == cursor.npos) refuse_cursor();
    const std::string_view place = cursor.substr(0, last);
    if (cursor.substr(last + 1) != seal_of(place, list, secret)) refuse_cursor();
    return place;
}

std::string cursor_text(const storage::TaskCursor& cursor, std::string_view list, std::string_view secret)
{
    return sealed_place(fmt::format("{}.{}", cursor.created_at.time_since_epoch().count(), to_string(cursor.task)),
                        list, secret);
}

storage::TaskCursor cursor_from(std::string_view text, std::string_view list, std::string_view secret)
{
    const std::string_view place = place_in(text, list, secret);
    const std::size_t first = place.find('.');
    if (first == place.npos) refuse_cursor();
    Time::rep ticks = 0;
    const auto [end, error] = std::from_chars(place.data(), place.data() + first, ticks);
    const auto task = find_id(place.substr(first + 1));
    if (error != std::errc() || !task) refuse_cursor();
    return {.created_at = Time(Time::duration(ticks)), .task = *task};
}

}  // namespace cadre::server
