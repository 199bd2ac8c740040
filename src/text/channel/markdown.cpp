#include "text/channel/markdown.hpp"

#include "base/utf8.hpp"
#include "text/template/html.hpp"

#include <md4c.h>

#include <algorithm>
#include <exception>
#include <utility>

namespace cadre::text {

namespace {

constexpr unsigned kFlags = MD_FLAG_TABLES | MD_FLAG_STRIKETHROUGH | MD_FLAG_PERMISSIVEURLAUTOLINKS |
                            MD_FLAG_PERMISSIVEEMAILAUTOLINKS | MD_FLAG_NOHTML | MD_FLAG_NOINDENTEDCODEBLOCKS;

/// The text as UTF-8 with line feeds and tabs as its only control characters.
std::string cleaned(std::string_view text)
{
    std::string out;
    out.reserve(text.size());
    while (!text.empty()) {
        const std::size_t bytes = utf8_length(text);
        const auto first = static_cast<unsigned char>(text[0]);
        const bool is_c1 = bytes == 2 && first == 0xC2 && static_cast<unsigned char>(text[1]) < 0xA0;
        const bool is_control = bytes == 1 && (first < 0x20 || first == 0x7F) && first != '\n' && first != '\t';
        if (bytes == 0) out += "\uFFFD";
        else if (first == '\r') out += text.substr(1).starts_with('\n') ? "" : "\n";
        else if (!is_c1 && !is_control) out += text.substr(0, bytes);
        text.remove_prefix(bytes == 0 ? 1 : bytes);
    }
    return out;
}

/// An address as md4c gives it: pieces, of which some are entities.
std::string address_of(const MD_ATTRIBUTE& attribute)
{
    return attribute.size == 0 ? "" : tpl::unescaped({attribute.text, attribute.size});
}

/// Takes md4c's calls. It reads one text and is gone.
class Reader {
public:
    explicit Reader(std::size_t size) : events_left_(8 * size + 1024) {}

    int enter(MD_BLOCKTYPE type, void* detail);
    int leave(MD_BLOCKTYPE type);
    int enter(MD_SPANTYPE type, void* detail);
    int leave(MD_SPANTYPE type);
    int take(MD_TEXTTYPE type, std::string_view text);

    Markdown result() { return std::move(read_); }

private:
    struct List {
        Container::Kind kind;
        std::uint32_t id;
        std::uint32_t next_item = 0;
        std::uint32_t start = 0;
        bool is_tight = false;
    };

    bool over() { return events_left_ == 0 || --events_left_ == 0; }
    void open_list(Container::Kind kind, std::uint32_t start, bool is_tight);
    void interrupt();
    void begin(Block::Kind kind);
    void ensure_open();
    void end();
    void add(std::string_view text);
    Marks marks() const;

    Markdown read_;
    Block block_;
    std::vector<List> lists_;            // all that are open, however deep
    std::vector<Container> containers_;  // the same with quotations
    std::uint32_t last_id_ = 0;
    bool item_begins_ = false;
    bool is_open_ = false;  // a block
    int bold_ = 0, italic_ = 0, strike_ = 0, code_ = 0, images_ = 0;
    int link_ = -1;
    std::size_t events_left_;
};

void Reader::open_list(Container::Kind kind, std::uint32_t start, bool is_tight)
{
    interrupt();
    lists_.push_back({.kind = kind, .id = ++last_id_, .start = start, .is_tight = is_tight});
    read_.uses.lists = true;
}

/// Before what stands in the item too: its own words end; an item that begins with a list or a quotation has none.
void Reader::interrupt()
{
    const bool is_empty_item = is_open_ && block_.begins_item && block_.text.empty();
    if (!is_empty_item) return end();
    is_open_ = false;
    item_begins_ = true;
}

void Reader::begin(Block::Kind kind)
{
    block_ = Block{.kind = kind, .begins_item = std::exchange(item_begins_, false)};
    is_open_ = true;
    bold_ = italic_ = strike_ = code_ = images_ = 0;  // md4c may close crossed spans behind the end of their block
    link_ = -1;
    block_.within.assign(containers_.begin(),
                         containers_.begin() + static_cast<std::ptrdiff_t>(std::min(containers_.size(), kMaxNesting)));
}

/// In an item of a tight list md4c tells of no paragraph, behind a block of code neither.
void Reader::ensure_open()
{
    if (!is_open_) begin(Block::Kind::paragraph);
}

void Reader::end()
{
    const bool says_nothing = block_.text.empty() && block_.kind != Block::Kind::rule && !block_.begins_item;
    if (is_open_ && !says_nothing) read_.blocks.push_back(std::move(block_));
    is_open_ = false;
}

int Reader::enter(MD_BLOCKTYPE type, void* detail)
{
    switch (type) {
    case MD_BLOCK_QUOTE:
        interrupt();
        containers_.push_back({.kind = Container::Kind::quote, .id = ++last_id_});
        read_.uses.quotes = true;
        break;
    case MD_BLOCK_UL:
        open_list(Container::Kind::bullets, 0, static_cast<MD_BLOCK_UL_DETAIL*>(detail)->is_tight != 0);
        break;
    case MD_BLOCK_OL: {
        const auto* list = static_cast<MD_BLOCK_OL_DETAIL*>(detail);
        open_list(Container::Kind::numbers, list->start, list->is_tight != 0);
        break;
    }
    case MD_BLOCK_LI: {
        List& list = lists_.back();
        const std::uint32_t item = list.next_item++;
        containers_.push_back(
            {.kind = list.kind, .id = list.id, .item = item, .number = list.start + item, .is_tight = list.is_tight});
        item_begins_ = true;
        begin(Block::Kind::paragraph);  // md4c has no paragraph in the items of a tight list
        break;
    }
    case MD_BLOCK_P:
    case MD_BLOCK_HTML:
        interrupt();
        begin(Block::Kind::paragraph);
        break;
    case MD_BLOCK_H:
    case MD_BLOCK_HR:
    case MD_BLOCK_CODE:
    case MD_BLOCK_TABLE:
        interrupt();
        begin(type == MD_BLOCK_H      ? Block::Kind::heading
              : type == MD_BLOCK_HR   ? Block::Kind::rule
              : type == MD_BLOCK_CODE ? Block::Kind::code
                                      : Block::Kind::table);
        if (type == MD_BLOCK_H)
            block_.level = static_cast<std::uint8_t>(static_cast<MD_BLOCK_H_DETAIL*>(detail)->level);
        if (type == MD_BLOCK_TABLE) block_.columns = static_cast<MD_BLOCK_TABLE_DETAIL*>(detail)->col_count;
        read_.uses.headers |= type == MD_BLOCK_H;
        read_.uses.rules |= type == MD_BLOCK_HR;
        read_.uses.code |= type == MD_BLOCK_CODE;
        read_.uses.tables |= type == MD_BLOCK_TABLE;
        break;
    default: break;
    }
    return over();
}

int Reader::leave(MD_BLOCKTYPE type)
{
    switch (type) {
    case MD_BLOCK_QUOTE:
    case MD_BLOCK_LI:
        end();
        containers_.pop_back();
        item_begins_ = false;
        break;
    case MD_BLOCK_UL:
    case MD_BLOCK_OL: lists_.pop_back(); break;
    case MD_BLOCK_CODE:
        if (block_.text.ends_with('\n')) block_.text.pop_back(), block_.words.back().end = block_.text.size();
        end();
        break;
    case MD_BLOCK_P:
    case MD_BLOCK_HTML:
    case MD_BLOCK_H:
    case MD_BLOCK_HR:
    case MD_BLOCK_TABLE: end(); break;
    case MD_BLOCK_TH:
    case MD_BLOCK_TD: block_.cells.push_back(block_.text.size()); break;
    default: break;
    }
    return over();
}

int Reader::enter(MD_SPANTYPE type, void* detail)
{
    ensure_open();
    switch (type) {
    case MD_SPAN_EM: ++italic_; break;
    case MD_SPAN_STRONG: ++bold_; break;
    case MD_SPAN_DEL: ++strike_; break;
    case MD_SPAN_CODE: ++code_; break;
    case MD_SPAN_IMG:
        ++images_;
        read_.uses.images = true;
        break;
    case MD_SPAN_A:
        if (images_ > 0) break;  // in the description of one
        block_.links.push_back(address_of(static_cast<MD_SPAN_A_DETAIL*>(detail)->href));
        link_ = static_cast<int>(block_.links.size()) - 1;
        break;
    default: break;
    }
    return over();
}

int Reader::leave(MD_SPANTYPE type)
{
    const auto drop = [](int& open) { open = std::max(open - 1, 0); };
    switch (type) {
    case MD_SPAN_EM: drop(italic_); break;
    case MD_SPAN_STRONG: drop(bold_); break;
    case MD_SPAN_DEL: drop(strike_); break;
    case MD_SPAN_CODE: drop(code_); break;
    case MD_SPAN_IMG: drop(images_); break;
    case MD_SPAN_A:
        if (images_ == 0) link_ = -1;
        break;
    default: break;
    }
    return over();
}

Marks Reader::marks() const
{
    return static_cast<Marks>((bold_ > 0 ? kBold : 0) | (italic_ > 0 ? kItalic : 0) | (strike_ > 0 ? kStrike : 0) |
                              (code_ > 0 ? kCode : 0));
}

void Reader::add(std::string_view text)
{
    ensure_open();
    const Marks marks = this->marks();
    read_.uses.bold |= (marks & kBold) != 0;
    read_.uses.italic |= (marks & kItalic) != 0;
    read_.uses.strike |= (marks & kStrike) != 0;
    read_.uses.code |= (marks & kCode) != 0;
    read_.uses.links |= link_ >= 0 && !is_bare_link(text, block_.links[static_cast<std::size_t>(link_)]);
    block_.add(text, marks, link_);
}

int Reader::take(MD_TEXTTYPE type, std::string_view text)
{
    switch (type) {
    case MD_TEXT_NULLCHAR: add("\uFFFD"); break;
    case MD_TEXT_BR:
    case MD_TEXT_SOFTBR: add("\n"); break;
    case MD_TEXT_ENTITY: add(cleaned(tpl::unescaped(text))); break;
    default: add(text); break;
    }
    return over();
}

/// What md4c calls: exceptions must not pass through C.
template <class F>
int guarded(void* reader, const F& call)
{
    auto& state = *static_cast<std::pair<Reader, std::exception_ptr>*>(reader);
    try {
        return call(state.first);
    } catch (...) {
        state.second = std::current_exception();
        return -1;
    }
}

Markdown as_plain_text(std::string_view text)
{
    Markdown plain;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find("\n\n"), text.size());
        if (end > 0) plain.blocks.emplace_back().add(text.substr(0, end));
        text.remove_prefix(std::min(text.find_first_not_of('\n', end), text.size()));
    }
    return plain;
}

}  // namespace

bool is_bare_link(std::string_view text, std::string_view address)
{
    if (address.starts_with("mailto:")) address.remove_prefix(7);
    return text == address;
}

void Block::add(std::string_view more, Marks marks, int link)
{
    if (more.empty()) return;
    text += more;
    const Words added{.end = text.size(), .marks = marks, .link = link};
    if (!words.empty() && words.back().looks_like(added)) words.back().end = added.end;
    else words.push_back(added);
}

Markdown read_markdown(std::string_view text)
{
    const std::string clean = cleaned(text);
    std::pair<Reader, std::exception_ptr> state{Reader(clean.size()), nullptr};
    MD_PARSER parser{};
    parser.flags = kFlags;
    parser.enter_block = [](MD_BLOCKTYPE type, void* detail, void* to) {
        return guarded(to, [&](Reader& reader) { return reader.enter(type, detail); });
    };
    parser.leave_block = [](MD_BLOCKTYPE type, void*, void* to) {
        return guarded(to, [&](Reader& reader) { return reader.leave(type); });
    };
    parser.enter_span = [](MD_SPANTYPE type, void* detail, void* to) {
        return guarded(to, [&](Reader& reader) { return reader.enter(type, detail); });
    };
    parser.leave_span = [](MD_SPANTYPE type, void*, void* to) {
        return guarded(to, [&](Reader& reader) { return reader.leave(type); });
    };
    parser.text = [](MD_TEXTTYPE type, const MD_CHAR* words, MD_SIZE size, void* to) {
        return guarded(to, [&](Reader& reader) { return reader.take(type, {words, size}); });
    };
    const int ended = md_parse(clean.data(), static_cast<MD_SIZE>(clean.size()), &parser, &state);
    if (state.second) std::rethrow_exception(state.second);
    return ended == 0 ? state.first.result() : as_plain_text(clean);
}

}  // namespace cadre::text
