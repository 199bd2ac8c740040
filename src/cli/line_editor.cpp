#include "cli/line_editor.hpp"

#include "base/utf8.hpp"
#include "cli/char_width.hpp"
#include "cli/output.hpp"

#include <algorithm>
#include <cctype>
#include <utility>

namespace cadre::cli {
namespace {

constexpr char kEscape = '\x1b';
constexpr std::string_view kPasteEnd = "\x1b[201~";
constexpr std::string_view kIndent = "  ";  // of all rows of a message but the first
constexpr std::size_t kTab = 4;
constexpr std::size_t kLongestSequence = 16;

constexpr char ctrl(char letter)
{
    return static_cast<char>(letter & 0x1f);
}

bool is_word(std::string_view character)
{
    return character.size() > 1 || std::isalnum(static_cast<unsigned char>(character[0])) || character[0] == '_';
}

/// How a character looks on the terminal, which it cannot command.
std::string shown(std::string_view character)
{
    return character == "\t" ? std::string(kTab, ' ') : printable(character);
}

struct Picture {
    std::vector<std::string> rows{};
    std::size_t row = 0;  // of the cursor
    std::size_t column = 0;
};

Picture picture_of(std::string_view prompt, std::string_view text, std::size_t cursor, std::size_t width)
{
    Picture picture{.rows = {std::string(prompt)}};
    std::size_t column = columns(prompt);
    const auto next_row = [&] {
        picture.rows.emplace_back(kIndent);
        column = kIndent.size();
    };
    for (std::size_t at = 0;;) {
        // the last column stays free: a terminal waits there for what comes
        const std::string_view character = at < text.size() ? first_character(text.substr(at)) : "";
        const std::string look = character.empty() || character == "\n" ? "" : shown(character);
        const std::size_t taken = columns(look);
        if (column + taken >= width && column > kIndent.size()) next_row();
        if (at == cursor) {
            picture.row = picture.rows.size() - 1;
            picture.column = column;
        }
        if (at >= text.size()) return picture;
        picture.rows.back() += look;
        column += taken;
        if (character == "\n") next_row();
        at += character.size();
    }
}

}  // namespace

LineEditor::LineEditor(std::string_view prompt, std::vector<std::string> history)
    : prompt_(prompt), history_(std::move(history)), index_(history_.size())
{}

LineEditor::Event LineEditor::take(std::string_view& bytes)
{
    while (!bytes.empty()) {
        const char byte = bytes.front();
        bytes.remove_prefix(1);
        if (const Event event = key(byte); event != Event::none) return event;
    }
    return Event::none;
}

LineEditor::Event LineEditor::key(char byte)
{
    switch (state_) {
    case State::plain: break;
    case State::escape: escaped(byte); return Event::none;
    case State::sequence:
        pending_ += byte;
        if (byte >= '@' && byte <= '~') sequence(byte);
        else if (pending_.size() > kLongestSequence) state_ = State::plain, pending_.clear();
        return Event::none;
    case State::ss3:
        state_ = State::plain;
        pending_ = "1";
        sequence(byte);
        return Event::none;
    case State::paste: paste(byte); return Event::none;
    }
    if (static_cast<unsigned char>(byte) < 0x20 || byte == 0x7f) return control(byte);
    add_byte(byte);
    return Event::none;
}

LineEditor::Event LineEditor::control(char byte)
{
    pending_.clear();  // of a character that was cut off
    switch (byte) {
    case '\r':
    case '\n': return enter();
    case kEscape: state_ = State::escape; break;
    case '\t': insert("\t"); break;
    case '\b':
    case 0x7f: remove(left_of(cursor_), cursor_); break;
    case ctrl('A'): cursor_ = line_begin(cursor_); break;
    case ctrl('B'): cursor_ = left_of(cursor_); break;
    case ctrl('C'): return Event::interrupted;
    case ctrl('D'):
        if (text_.empty()) return Event::end;
        remove(cursor_, right_of(cursor_));
        break;
    case ctrl('E'): cursor_ = line_end(cursor_); break;
    case ctrl('F'): cursor_ = right_of(cursor_); break;
    case ctrl('K'): remove(cursor_, line_end(cursor_)); break;
    case ctrl('L'): clear_ = true; break;
    case ctrl('N'): down(); break;
    case ctrl('P'): up(); break;
    case ctrl('U'): remove(line_begin(cursor_), cursor_); break;
    case ctrl('W'): remove(word_left(), cursor_); break;
    case ctrl('Z'): return Event::suspend;
    default: break;  // others mean nothing
    }
    return Event::none;
}

/// What follows the escape character.
void LineEditor::escaped(char byte)
{
    state_ = State::plain;
    switch (byte) {
    case '[':
        state_ = State::sequence;
        pending_.clear();
        break;
    case 'O': state_ = State::ss3; break;
    case '\r':
    case '\n': insert("\n"); break;
    case 'b': cursor_ = word_left(); break;
    case 'f': cursor_ = word_right(); break;
    case 'd': remove(cursor_, word_right()); break;
    case '\b':
    case 0x7f: remove(word_left(), cursor_); break;
    case kEscape: state_ = State::escape; break;
    default: break;
    }
}

/// A whole one, without its beginning: `A`, `1;5D`, `3~`.
void LineEditor::sequence(char end)
{
    const std::string whole = std::exchange(pending_, "");
    state_ = State::plain;
    const bool with_ctrl = whole.find(";5") != whole.npos || whole.find(";3") != whole.npos;
    switch (end) {
    case 'A': return up();
    case 'B': return down();
    case 'C': cursor_ = with_ctrl ? word_right() : right_of(cursor_); return;
    case 'D': cursor_ = with_ctrl ? word_left() : left_of(cursor_); return;
    case 'H': cursor_ = line_begin(cursor_); return;
    case 'F': cursor_ = line_end(cursor_); return;
    case '~': break;
    default: return;
    }
    if (whole == "200~") state_ = State::paste;
    else if (whole == "1~" || whole == "7~") cursor_ = line_begin(cursor_);
    else if (whole == "4~" || whole == "8~") cursor_ = line_end(cursor_);
    else if (whole.starts_with("3")) remove(cursor_, right_of(cursor_));
}

/// Everything is text, up to the sequence that ends it.
void LineEditor::paste(char byte)
{
    pending_ += byte;
    if (pending_.size() > 2 * kMaxMessage)  // of what is too long the end is still to be seen
        pending_.erase(kMaxMessage, pending_.size() - kMaxMessage - kPasteEnd.size());
    if (!pending_.ends_with(kPasteEnd)) return;
    pending_.resize(pending_.size() - kPasteEnd.size());
    state_ = State::plain;
    const std::string pasted = std::exchange(pending_, "");
    std::string text;
    for (std::string_view rest = pasted; !rest.empty();) {
        const std::size_t length = utf8_length(rest);
        const std::string_view character = rest.substr(0, std::max<std::size_t>(length, 1));
        rest.remove_prefix(character.size());
        if (character == "\r") {  // some terminals send that, or both
            text += '\n';
            if (rest.starts_with('\n')) rest.remove_prefix(1);
        } else if (character == "\n" || character == "\t") {
            text += character;
        } else if (length > 1 ||
                   (length == 1 && static_cast<unsigned char>(character[0]) >= 0x20 && character[0] != 0x7f)) {
            text += character;
        }
    }
    insert(text);
}

LineEditor::Event LineEditor::enter()
{
    if (!text_.ends_with('\\')) return Event::done;
    cursor_ = text_.size();
    remove(cursor_ - 1, cursor_);
    insert("\n");
    return Event::none;
}

// ---- changing the text ----

void LineEditor::add_byte(char byte)
{
    if ((static_cast<unsigned char>(byte) & 0xC0) != 0x80) pending_.clear();  // another character begins
    pending_ += byte;
    if (utf8_length(pending_) == pending_.size()) insert(std::exchange(pending_, ""));
    else if (pending_.size() >= 4) pending_.clear();  // no character
}

void LineEditor::insert(std::string_view text)
{
    text = utf8_prefix(text, kMaxMessage - std::min(kMaxMessage, text_.size()));
    text_.insert(cursor_, text);
    cursor_ += text.size();
}

void LineEditor::remove(std::size_t from, std::size_t to)
{
    text_.erase(from, to - from);
    cursor_ = from;
}

// ---- places ----

/// A character and the marks that stand on it are one.
std::size_t LineEditor::left_of(std::size_t place) const
{
    while (place > 0) {
        --place;
        while (place > 0 && (static_cast<unsigned char>(text_[place]) & 0xC0) == 0x80) --place;
        if (text_[place] == '\n' || text_[place] == '\t' ||
            char_width(first_character(std::string_view(text_).substr(place))) > 0)
            break;
    }
    return place;
}

std::size_t LineEditor::right_of(std::size_t place) const
{
    if (place >= text_.size()) return place;
    place += first_character(std::string_view(text_).substr(place)).size();
    while (place < text_.size() && text_[place] != '\n' && text_[place] != '\t') {
        const std::string_view next = first_character(std::string_view(text_).substr(place));
        if (char_width(next) > 0) break;
        place += next.size();
    }
    return place;
}

std::size_t LineEditor::word_left() const
{
    const auto character = [&](std::size_t at) { return first_character(std::string_view(text_).substr(at)); };
    std::size_t place = cursor_;
    while (place > 0 && !is_word(character(left_of(place)))) place = left_of(place);
    while (place > 0 && is_word(character(left_of(place)))) place = left_of(place);
    return place;
}

std::size_t LineEditor::word_right() const
{
    const auto character = [&](std::size_t at) { return first_character(std::string_view(text_).substr(at)); };
    std::size_t place = cursor_;
    while (place < text_.size() && !is_word(character(place))) place = right_of(place);
    while (place < text_.size() && is_word(character(place))) place = right_of(place);
    return place;
}

std::size_t LineEditor::line_begin(std::size_t place) const
{
    return place == 0 ? 0 : text_.rfind('\n', place - 1) + 1;  // npos + 1 is the beginning
}

std::size_t LineEditor::line_end(std::size_t place) const
{
    return std::min(text_.find('\n', place), text_.size());
}

/// In the line that begins at `line`, as far right as the cursor is now.
void LineEditor::to_column_of(std::size_t line)
{
    const std::size_t begin = line_begin(cursor_);
    const std::size_t column = columns(printable(std::string_view(text_).substr(begin, cursor_ - begin)));
    const std::string_view there = std::string_view(text_).substr(line, line_end(line) - line);
    cursor_ = line + fitting(there, column).size();
}

void LineEditor::up()
{
    if (const std::size_t begin = line_begin(cursor_); begin > 0) to_column_of(line_begin(begin - 1));
    else if (index_ > 0) recall(index_ - 1);
}

void LineEditor::down()
{
    if (const std::size_t end = line_end(cursor_); end < text_.size()) to_column_of(end + 1);
    else if (index_ < history_.size()) recall(index_ + 1);
}

void LineEditor::recall(std::size_t index)
{
    if (index_ == history_.size()) draft_ = text_;
    index_ = index;
    text_ = index == history_.size() ? draft_ : history_[index];
    cursor_ = text_.size();
}

// ---- showing ----

std::string LineEditor::show(TerminalSize size)
{
    const Picture picture = picture_of(prompt_, text_, cursor_, std::max<std::size_t>(size.width, 8));
    // of a text that is higher than the terminal, the part around the cursor
    const std::size_t height = std::max<std::size_t>(size.height, 2);
    const std::size_t first = picture.row >= height ? picture.row - height + 1 : 0;
    const std::size_t end = std::min(picture.rows.size(), first + height);

    std::string out = std::exchange(clear_, false) ? "\x1b[H\x1b[2J" : "";
    if (out.empty() && row_ > 0) out += "\x1b[" + std::to_string(row_) + "A";
    out += "\r\x1b[J";
    for (std::size_t row = first; row < end; ++row) out += (row > first ? "\n" : "") + picture.rows[row];
    const std::size_t last = end - 1;
    if (last > picture.row) out += "\x1b[" + std::to_string(last - picture.row) + "A";
    out += "\r";
    if (picture.column > 0) out += "\x1b[" + std::to_string(picture.column) + "C";
    row_ = picture.row - first;
    return out;
}

std::string LineEditor::leave(TerminalSize size)
{
    cursor_ = text_.size();
    std::string out = show(size) + "\n";
    row_ = 0;
    return out;
}

}  // namespace cadre::cli
