#include "text/channel/pieces.hpp"

#include "text/channel/grapheme.hpp"
#include "text/channel/shown.hpp"
#include "text/code_point.hpp"

#include <algorithm>
#include <optional>

namespace cadre::text {

namespace {

enum class Level : std::uint8_t { line, sentence, word, grapheme, code_point };

bool is_blank(char c)
{
    return c == ' ' || c == '\n' || c == '\t';
}

bool ends_sentence(std::string_view text)
{
    while (!text.empty() && (text.back() == '"' || text.back() == '\'' || text.back() == ')')) text.remove_suffix(1);
    for (const std::string_view mark : {".", "!", "?", "…", "。", "！", "？"})
        if (text.ends_with(mark)) return true;
    return false;
}

/// Places in `text`, in order, where a cut of that level may be; never 0.
std::vector<std::size_t> cuts(std::string_view text, Level level)
{
    if (level == Level::grapheme) return grapheme_ends(text);
    std::vector<std::size_t> places;
    if (level == Level::code_point) {
        each_code_point(text, [&](char32_t, std::size_t at) {
            if (at > 0) places.push_back(at);
        });
        places.push_back(text.size());
        return places;
    }
    for (std::size_t at = 1; at < text.size(); ++at) {
        if (!is_blank(text[at]) || is_blank(text[at - 1])) continue;
        const bool line_ends = text[at] == '\n';
        if (level == Level::word || line_ends || (level == Level::sentence && ends_sentence(text.substr(0, at))))
            places.push_back(at);
    }
    return places;
}

class Packer {
public:
    Packer(const Dialect& dialect, SplitAt split, Room limit) : dialect_(dialect), split_(split), limit_(limit) {}

    Pieces pack(const std::vector<Block>& blocks);

private:
    void place(Part part);
    void place_uncut(const Part& part);
    bool keeps_whole(const Part& part) const;
    std::optional<Room> with(const Part& part) const;
    std::optional<std::size_t> cut(const Part& part, Level level) const;
    std::optional<std::size_t> cut_rows(const Part& part) const;
    bool cut_here(Part& part);
    void cut_anyhow(Part& part);
    void take(const Part& part, Room used);
    void take_until(Part& part, std::size_t place);
    void flush();

    const Dialect& dialect_;
    SplitAt split_;
    Room limit_;
    Room used_;
    std::vector<Part> now_;
    Pieces out_;
};

bool is_item(const Block& block)
{
    return list_depth(block) > 0;
}

/// Whether it is too long however it is written: to write all of it each time that a little is cut off would be quadratic.
bool is_too_long(const Part& part, const Room& limit)
{
    const auto row_end = [&](std::size_t row) { return part.block->cells[(row + 1) * part.block->columns - 1]; };
    const std::size_t bytes = part.is_table() ? row_end(part.end) - row_end(part.begin) : part.end - part.begin;
    const std::size_t least = bytes / 4;  // code points
    return least > limit.characters || least > limit.units;
}

/// Room taken when `part` is added; nothing: it does not fit.
std::optional<Room> Packer::with(const Part& part) const
{
    if (is_too_long(part, limit_)) return std::nullopt;
    Room room = used_ + dialect_.room(part);
    if (!now_.empty()) room = room + dialect_.between(now_.back(), part);
    return room.fits(limit_) ? std::optional(room) : std::nullopt;
}

void Packer::take(const Part& part, Room used)
{
    now_.push_back(part);
    used_ = used;
}

void Packer::take_until(Part& part, std::size_t place)
{
    const Part first(*part.block, part.begin, place);
    take(first, *with(first));
    part.begin = place;
    if (part.is_table()) return;
    const std::string_view text = part.block->text;
    if (part.block->kind == Block::Kind::code) {
        if (part.begin < part.end && text[part.begin] == '\n') ++part.begin;
        return;
    }
    while (part.begin < part.end && is_blank(text[part.begin])) ++part.begin;
}

/// A heading goes with what it is above.
void Packer::flush()
{
    std::vector<Part> next;
    if (now_.size() > 1 && now_.back().block->level > 0) {
        next.push_back(now_.back());
        now_.pop_back();
    }
    out_.parts.push_back(std::move(now_));
    now_ = std::move(next);
    used_ = now_.empty() ? Room{} : dialect_.room(now_.back());
}

bool Packer::keeps_whole(const Part& part) const
{
    return split_ == SplitAt::paragraph || is_item(*part.block) || part.block->kind == Block::Kind::code;
}

/// The last place of that level up to which the part still fits.
std::optional<std::size_t> Packer::cut(const Part& part, Level level) const
{
    constexpr std::size_t kBeyond = 64;  // to see where the grapheme at the end ends
    std::size_t window = part.begin;
    for (std::size_t left = std::min(limit_.characters, limit_.units) + kBeyond; left > 0 && window < part.end; --left)
        window += first_code_point(std::string_view(part.block->text).substr(window)).bytes;
    std::vector<std::size_t> places =
        cuts(std::string_view(part.block->text).substr(part.begin, window - part.begin), level);
    if (level == Level::grapheme && window < part.end) places.pop_back();
    const auto fits = [&](std::size_t place) {
        return with(Part(*part.block, part.begin, part.begin + place)).has_value();
    };
    auto found = std::ranges::partition_point(places, fits);
    if (found == places.begin()) return std::nullopt;
    const std::size_t place = part.begin + *std::prev(found);
    return place >= part.end ? std::nullopt : std::optional(place);
}

std::optional<std::size_t> Packer::cut_rows(const Part& part) const
{
    std::size_t low = part.begin, high = part.end;
    while (low < high) {
        const std::size_t middle = (low + high + 1) / 2;
        if (with(Part(*part.block, part.begin, middle))) low = middle;
        else high = middle - 1;
    }
    return low > part.begin ? std::optional(low) : std::nullopt;
}

/// Takes what fits into this piece without cutting finer than the rules want. False: nothing does.
bool Packer::cut_here(Part& part)
{
    std::optional<std::size_t> place;
    if (part.is_table()) place = cut_rows(part);
    else if (part.block->kind == Block::Kind::code) place = cut(part, Level::line);
    else place = cut(part, split_ == SplitAt::word ? Level::word : Level::sentence);
    if (place) take_until(part, *place);
    return place.has_value();
}

/// Into an empty piece, cutting as finely as it takes.
void Packer::cut_anyhow(Part& part)
{
    if (part.is_table()) {  // one row is too much
        out_.made.push_back(row_in_words(*part.block, part.begin + 1));
        ++part.begin;
        place(Part(out_.made.back()));
        return;
    }
    for (const Level level : {Level::word, Level::grapheme, Level::code_point}) {
        if (level == Level::word && part.block->kind == Block::Kind::code) continue;
        if (const auto place = cut(part, level)) return take_until(part, *place);
    }
    // not even one character fits beside what stands around it; it is said all the same
    const Part one(*part.block, part.begin, part.begin + first_code_point(part.text()).bytes);
    take(one, used_ + dialect_.room(one));
    part.begin = one.end;
}

void Packer::place(Part part)
{
    while (part.begin < part.end) {
        if (const auto room = with(part)) return take(part, *room);
        const bool fits_alone = !is_too_long(part, limit_) && dialect_.room(part).fits(limit_);
        if (!now_.empty() && fits_alone && keeps_whole(part)) flush();
        else if (cut_here(part) || !now_.empty()) flush();
        else cut_anyhow(part);
    }
}

/// An item without words, or a table that is only a header.
void Packer::place_uncut(const Part& part)
{
    if (!with(part) && !now_.empty()) flush();
    if (const auto room = with(part)) return take(part, *room);
    if (!part.is_table()) return;
    out_.made.push_back(row_in_words(*part.block, 0));
    place(Part(out_.made.back()));
}

Pieces Packer::pack(const std::vector<Block>& blocks)
{
    for (const Block& block : blocks) {
        const Part part(block);
        if (part.begin == part.end) place_uncut(part);
        else place(part);
    }
    if (!now_.empty() || out_.parts.empty()) out_.parts.push_back(std::move(now_));
    return std::move(out_);
}

}  // namespace

std::string indicator_of(std::size_t sequence, std::size_t count)
{
    return "(" + std::to_string(sequence) + "/" + std::to_string(count) + ")";
}

Pieces divided(const std::vector<Block>& blocks, const Dialect& dialect, SplitAt split)
{
    const Room limit = dialect.limit();
    Pieces pieces = Packer(dialect, split, limit).pack(blocks);
    for (std::size_t most = 9; pieces.parts.size() > 1; most = most * 10 + 9) {
        const Room taken = dialect.room_of_indicator(indicator_of(most, most));
        const Room left{limit.characters - std::min(limit.characters, taken.characters),
                        limit.units - std::min(limit.units, taken.units)};
        pieces = Packer(dialect, split, left).pack(blocks);
        if (pieces.parts.size() <= most) break;
    }
    return pieces;
}

}  // namespace cadre::text
