#include "text/channel/mail_html.hpp"

#include "text/template/html.hpp"

#include <algorithm>
#include <vector>

namespace cadre::text {

namespace {

constexpr std::string_view kDocumentHead =
    "<!DOCTYPE html>\n<html><head><meta charset=\"utf-8\"></head>"
    "<body style=\"font-family:Arial,sans-serif;font-size:15px;line-height:1.45;color:#1a1a1a\">\n";
constexpr std::string_view kFoot = "</body></html>\n";
constexpr std::string_view kCellStyle = " style=\"border:1px solid #ccc;padding:4px 8px;text-align:left\"";
constexpr std::string_view kCodeStyle = " style=\"font-family:monospace;background:#f4f4f4;padding:8px\"";

class Writer {
public:
    explicit Writer(std::string& out) : out_(out) {}

    void add(const Part& part);
    void close_all() { close_to(0); }

private:
    void open_for(const Part& part);
    void close_to(std::size_t depth);
    void add_words(const Block& block, std::size_t begin, std::size_t end);
    void add_table(const Part& part);
    void add_text(std::string_view text);

    std::string& out_;
    std::vector<Container> open_;
};

void Writer::close_to(std::size_t depth)
{
    for (; open_.size() > depth; open_.pop_back())
        out_ += open_.back().kind == Container::Kind::quote     ? "</blockquote>\n"
                : open_.back().kind == Container::Kind::bullets ? "</li></ul>\n"
                                                                : "</li></ol>\n";
}

/// Closes what the part is not in, and opens what it is in.
void Writer::open_for(const Part& part)
{
    const std::vector<Container>& wanted = part.block->within;
    std::size_t same = 0;
    while (same < std::min(open_.size(), wanted.size()) && open_[same].id == wanted[same].id &&
           open_[same].item == wanted[same].item)
        ++same;
    const bool next_item = same < std::min(open_.size(), wanted.size()) && open_[same].id == wanted[same].id;
    close_to(next_item ? same + 1 : same);
    if (next_item) {
        out_ += "</li>\n<li>";
        open_[same] = wanted[same];
        ++same;
    }
    for (; same < wanted.size(); ++same) {
        const Container& container = wanted[same];
        if (container.kind == Container::Kind::quote)
            out_ += "<blockquote style=\"border-left:3px solid #ccc;margin-left:0;padding-left:12px\">\n";
        else if (container.kind == Container::Kind::bullets) out_ += "<ul>\n<li>";
        else out_ += "<ol start=\"" + std::to_string(container.number) + "\">\n<li>";
        open_.push_back(container);
    }
}

void Writer::add_text(std::string_view text)
{
    for (;;) {
        const std::size_t end = text.find('\n');
        out_ += tpl::escaped(text.substr(0, end));
        if (end == text.npos) return;
        out_ += "<br>\n";
        text.remove_prefix(end + 1);
    }
}

void Writer::add_words(const Block& block, std::size_t begin, std::size_t end)
{
    int link = -1;
    each_words(block, begin, end, [&](std::string_view text, Marks marks, int to) {
        if (to != link) {
            if (link >= 0) out_ += "</a>";
            if (to >= 0) out_ += "<a href=\"" + tpl::escaped(block.links[static_cast<std::size_t>(to)]) + "\">";
            link = to;
        }
        const struct {
            Marks mark;
            std::string_view tag;
        } tags[] = {{kBold, "strong"}, {kItalic, "em"}, {kStrike, "del"}, {kCode, "code"}};
        for (const auto& [mark, tag] : tags)
            if (marks & mark) out_.append("<").append(tag).append(">");
        add_text(text);
        for (auto tag = std::rbegin(tags); tag != std::rend(tags); ++tag)
            if (marks & tag->mark) out_.append("</").append(tag->tag).append(">");
    });
    if (link >= 0) out_ += "</a>";
}

void Writer::add_table(const Part& part)
{
    const Block& block = *part.block;
    out_ += "<table style=\"border-collapse:collapse\">\n";
    const auto add_row = [&](std::size_t row, std::string_view tag) {
        out_ += "<tr>";
        for (std::size_t column = 0; column < block.columns; ++column) {
            const CellRange cell = cell_of(block, row, column);
            out_.append("<").append(tag).append(kCellStyle).append(">");
            add_words(block, cell.begin, cell.end);
            out_.append("</").append(tag).append(">");
        }
        out_ += "</tr>\n";
    };
    add_row(0, "th");
    for (std::size_t row = part.begin; row < part.end; ++row) add_row(row + 1, "td");
    out_ += "</table>\n";
}

void Writer::add(const Part& part)
{
    open_for(part);
    const Block& block = *part.block;
    switch (block.kind) {
    case Block::Kind::rule: out_ += "<hr>\n"; break;
    case Block::Kind::table: add_table(part); break;
    case Block::Kind::code:
        out_.append("<pre").append(kCodeStyle).append(">").append(tpl::escaped(part.text())).append("</pre>\n");
        break;
    case Block::Kind::heading: {
        const std::string tag = "h" + std::to_string(block.level);
        out_ += "<" + tag + ">";
        add_words(block, part.begin, part.end);
        out_ += "</" + tag + ">\n";
        break;
    }
    case Block::Kind::paragraph:
        if (!is_tight_item(block)) out_ += "<p>";
        add_words(block, part.begin, part.end);
        out_ += is_tight_item(block) ? "\n" : "</p>\n";
        break;
    }
}

}  // namespace

std::string mail_html(std::span<const Part> parts, std::string_view indicator)
{
    std::string out(kDocumentHead);
    Writer writer(out);
    for (const Part& part : parts) writer.add(part);
    writer.close_all();
    if (!indicator.empty()) out.append("<p>").append(indicator).append("</p>\n");
    return out.append(kFoot);
}

}  // namespace cadre::text
