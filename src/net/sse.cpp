#include "net/sse.hpp"

#include "base/error.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <utility>

namespace cadre::net {
namespace {

constexpr std::string_view kMark = "\xEF\xBB\xBF";  // byte order mark
constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

const char* find(const char* begin, const char* end, char c)
{
    if (begin == end) return end;
    const void* found = std::memchr(begin, c, static_cast<std::size_t>(end - begin));
    return found ? static_cast<const char*>(found) : end;
}

std::size_t ascii_length(std::string_view text)
{
    constexpr std::uint64_t kHighBits = 0x8080808080808080;
    std::size_t at = 0;
    for (std::uint64_t word = 0; at + sizeof word <= text.size(); at += sizeof word) {
        std::memcpy(&word, text.data() + at, sizeof word);
        if ((word & kHighBits) != 0) break;
    }
    while (at < text.size() && static_cast<unsigned char>(text[at]) < 0x80) ++at;
    return at;
}

/// Bytes of the character that `at` starts, which is no ASCII; negative: of what a decoder takes for one and replaces (WHATWG
/// Encoding §8.1: as long as it was right).
int character_at(const char* at, const char* end)
{
    const auto byte = [&](int i) { return static_cast<unsigned char>(at[i]); };
    const auto follows = [&](int i) { return at + i < end && (byte(i) & 0xC0) == 0x80; };
    const unsigned first = byte(0);
    if (first < 0xC2 || first > 0xF4) return -1;
    if (!follows(1)) return -1;
    if (first < 0xE0) return 2;
    const unsigned second = byte(1);
    if ((first == 0xE0 && second < 0xA0) || (first == 0xED && second > 0x9F)) return -1;
    if ((first == 0xF0 && second < 0x90) || (first == 0xF4 && second > 0x8F)) return -1;
    if (!follows(2)) return -2;
    if (first < 0xF0) return 3;
    return follows(3) ? 4 : -3;
}

/// The first that is not UTF-8.
const char* find_invalid(const char* at, const char* end)
{
    while (at < end) {
        if (static_cast<unsigned char>(*at) < 0x80) {
            at += ascii_length({at, end});
        } else {
            const int length = character_at(at, end);
            if (length < 0) return at;
            at += length;
        }
    }
    return end;
}

/// The text itself when it is UTF-8, else `repaired`, with U+FFFD for what is not.
std::string_view as_utf8(std::string_view text, std::string& repaired)
{
    const char* at = text.data();
    const char* const end = at + text.size();
    const char* invalid = find_invalid(at, end);
    if (invalid == end) return text;
    repaired.clear();
    for (; invalid != end; invalid = find_invalid(at, end)) {
        repaired.append(at, invalid).append(kReplacement);
        at = invalid - character_at(invalid, end);
    }
    return repaired.append(at, end);
}

[[noreturn]] void refuse(std::string_view what, std::size_t limit)
{
    throw Error(Code::too_large,
                std::string(what) + " of the event stream has more than " + std::to_string(limit) + " bytes");
}

}  // namespace

void SseDecoder::feed(std::string_view piece)
{
    rest_ = piece;
    newline_ = nullptr;
    while (mark_ < 3 && !rest_.empty()) {
        if (rest_.front() == kMark[static_cast<std::size_t>(mark_)]) {
            ++mark_;
            rest_.remove_prefix(1);
        } else {
            line_.assign(kMark.substr(0, static_cast<std::size_t>(mark_)));  // it only looked like one
            mark_ = 3;
        }
    }
}

std::optional<SseEvent> SseDecoder::next()
{
    if (shown_) {
        shown_ = has_data_ = false;
        type_.clear();
    }
    for (std::string_view line; take_line(line);) {
        if (!line.empty()) {
            take_field(line);
            if (!is_in_piece(line)) line_.clear();
            continue;
        }
        if (has_data_) {
            shown_ = true;
            const std::string_view data = data_in_piece_.data() ? data_in_piece_ : data_;
            return SseEvent{type_.empty() ? "message" : std::string_view(type_), as_utf8(data, repaired_), id_};
        }
        type_.clear();
    }
    if (has_data_ && data_in_piece_.data()) {  // the piece goes, and the event is not complete
        data_.assign(data_in_piece_);
        data_in_piece_ = {};
    }
    return std::nullopt;
}

/// False: the piece is used up, and what was left of it is kept.
bool SseDecoder::take_line(std::string_view& line)
{
    if (rest_.empty()) return false;
    if (std::exchange(skip_newline_, false) && rest_.front() == '\n') rest_.remove_prefix(1);
    const char* const begin = rest_.data();
    const char* const end = begin + rest_.size();
    if (newline_ < begin) newline_ = find(begin, end, '\n');  // kept, so that many CRs before it cost nothing more
    const char* const stop = find(begin, newline_, '\r');
    const std::string_view part(begin, static_cast<std::size_t>(stop - begin));
    if (line_.size() + part.size() > limits_.line) refuse("a line", limits_.line);
    if (stop == end) {
        line_ += part;
        rest_ = {};
        return false;
    }
    skip_newline_ = *stop == '\r';
    rest_.remove_prefix(part.size() + 1);
    line = line_.empty() ? part : std::string_view(line_ += part);
    return true;
}

void SseDecoder::take_field(std::string_view line)
{
    const std::size_t colon = std::min(line.find(':'), line.size());
    const std::string_view name = line.substr(0, colon);
    std::string_view value = line.substr(std::min(colon + 1, line.size()));
    if (value.starts_with(' ')) value.remove_prefix(1);

    if (name == "data") {
        add_data(value, is_in_piece(line));
    } else if (name == "event") {
        type_ = as_utf8(value, repaired_);
    } else if (name == "id") {
        if (value.find('\0') == std::string_view::npos) id_ = as_utf8(value, repaired_);
    } else if (name == "retry") {
        Millis::rep millis = 0;
        const char* const end = value.data() + value.size();
        const bool digits = std::ranges::all_of(value, [](char c) { return c >= '0' && c <= '9'; });
        if (digits && std::from_chars(value.data(), end, millis).ec == std::errc()) retry_ = Millis(millis);
    }
}

void SseDecoder::add_data(std::string_view value, bool in_piece)
{
    const std::size_t before = !has_data_ ? 0 : 1 + (data_in_piece_.data() ? data_in_piece_.size() : data_.size());
    if (before + value.size() > limits_.event) refuse("an event", limits_.event);
    if (!has_data_ && in_piece) {
        data_in_piece_ = value;
    } else if (!has_data_) {
        data_.assign(value);
        data_in_piece_ = {};
    } else {
        if (data_in_piece_.data()) data_.assign(data_in_piece_);
        data_in_piece_ = {};
        data_ += '\n';
        data_ += value;
    }
    has_data_ = true;
}

}  // namespace cadre::net
