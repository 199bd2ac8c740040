#include "text/channel/dialect.hpp"

#include "text/code_point.hpp"

#include <algorithm>

namespace cadre::text {

namespace {

const Container* innermost_list(const Block& block)
{
    const auto found = std::find_if(block.within.rbegin(), block.within.rend(), [](const Container& container) {
        return container.kind != Container::Kind::quote;
    });
    return found == block.within.rend() ? nullptr : &*found;
}

}  // namespace

CellRange cell_of(const Block& table, std::size_t row, std::size_t column)
{
    const std::size_t index = row * table.columns + column;
    return {index == 0 ? 0 : table.cells[index - 1], table.cells[index]};
}

std::size_t list_depth(const Block& block)
{
    return block.within.size() - quote_depth(block);
}

std::size_t quote_depth(const Block& block)
{
    return static_cast<std::size_t>(std::ranges::count(block.within, Container::Kind::quote, &Container::kind));
}

bool is_tight_item(const Block& block)
{
    const Container* list = innermost_list(block);
    return list && list->is_tight;
}

std::string item_prefix(const Part& part)
{
    const Container* list = innermost_list(*part.block);
    if (!list) return "";
    std::string prefix(2 * (list_depth(*part.block) - 1), ' ');
    if (!part.block->begins_item || part.begin > 0) return prefix;
    return prefix + (list->kind == Container::Kind::bullets ? "- " : std::to_string(list->number) + ". ");
}

bool is_joined(const Part& before, const Part& after)
{
    if (before.block == after.block) return true;
    const Block& a = *before.block;
    const Block& b = *after.block;
    const bool same_list = !a.within.empty() && !b.within.empty() && a.within.front().id == b.within.front().id;
    return same_list && is_tight_item(a) && is_tight_item(b);
}

std::string link_address(std::string_view address)
{
    std::string out;
    for (const char c : address) {
        switch (c) {
        case ' ': out += "%20"; break;
        case '(': out += "%28"; break;
        case ')': out += "%29"; break;
        default: out += c;
        }
    }
    return out;
}

Room room_of_text(std::string_view text)
{
    Room room;
    for (std::size_t at = 0; at < text.size();) {
        const CodePoint c = first_code_point(text.substr(at));
        at += c.bytes;
        ++room.characters;
        room.units += c.value >= 0x10000 ? 2 : 1;
    }
    return room;
}

}  // namespace cadre::text
