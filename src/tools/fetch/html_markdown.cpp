#include "tools/fetch/html_markdown.hpp"

#include "base/utf8.hpp"
#include "tools/fetch/html_entities.hpp"
#include "tools/fetch/html_scanner.hpp"
#include "tools/fetch/url_reference.hpp"

#include <algorithm>
#include <array>
#include <vector>

namespace cadre::tools {

namespace {

/// What is deeper is shown as if it were not.
constexpr std::size_t kMaxNesting = 16;
constexpr std::size_t kLongestLink = 500;

/// Elements that stand for themselves, with an empty line around them or without.
constexpr std::array<std::string_view, 16> kParagraphs = {"p",    "div",      "section", "article", "header", "footer",
                                                          "main", "nav",      "aside",   "figure",  "form",   "table",
                                                          "dl",   "fieldset", "address", "details"};
constexpr std::array<std::string_view, 6> kLines = {"dt", "dd", "figcaption", "summary", "caption", "option"};

bool is_one_of(std::string_view name, const auto& names)
{
    return std::ranges::find(names, name) != names.end();
}

int heading_level(std::string_view name)
{
    return name.size() == 2 && name[0] == 'h' && name[1] >= '1' && name[1] <= '6' ? name[1] - '0' : 0;
}

class Writer {
public:
    Writer(std::string_view url, std::size_t most) : url_(url), most_(most) {}

    bool is_full() const { return out_.size() > most_; }

    void piece(const HtmlPiece& piece)
    {
        if (piece.kind == HtmlPiece::Kind::text) {
            if (title_open_) title(piece.text);
            else text(piece.text);
        } else if (piece.kind == HtmlPiece::Kind::open) {
            open(piece);
        } else {
            close(piece.name);
        }
    }

    MarkdownText finish()
    {
        end_link();
        MarkdownText result{.text = std::move(out_)};
        if (!title_.empty()) result.text = "# " + title_ + "\n\n" + result.text;
        if (result.text.size() > most_) {
            result.is_cut = true;
            result.text.resize(utf8_prefix(result.text, most_).size());
        }
        while (!result.text.empty() && (result.text.back() == '\n' || result.text.back() == ' '))
            result.text.pop_back();
        return result;
    }

private:
    struct List {
        bool is_ordered = false;
        int number = 0;
    };

    void open(const HtmlPiece& tag)
    {
        const std::string& name = tag.name;
        if (name == "title") title_open_ = title_.empty();
        else if (name == "br") line_break();
        else if (name == "hr") rule();
        else if (const int level = heading_level(name)) heading(level);
        else if (name == "ul" || name == "ol") open_list(name == "ol");
        else if (name == "li") item();
        else if (name == "blockquote") quote(+1);
        else if (name == "pre") open_code();
        else if (name == "code" && !in_pre_) inline_mark("`");
        else if (name == "strong" || name == "b") inline_mark("**");
        else if (name == "em" || name == "i") inline_mark("*");
        else if (name == "a") begin_link(tag.href);
        else if (name == "img" && !tag.alt.empty()) word("[image: " + tag.alt.substr(0, kLongestLink) + "]");
        else if (name == "tr") open_row();
        else if (name == "td" || name == "th") open_cell();
        else block(name);
    }

    void close(std::string_view name)
    {
        if (name == "title") title_open_ = false;
        else if (heading_level(name)) gap(2);
        else if (name == "ul" || name == "ol") close_list();
        else if (name == "blockquote") quote(-1);
        else if (name == "pre") close_code();
        else if (name == "code" && !in_pre_) inline_mark("`");
        else if (name == "strong" || name == "b") inline_mark("**");
        else if (name == "em" || name == "i") inline_mark("*");
        else if (name == "a") end_link();
        else if (name == "tr") close_row();
        else block(name);
    }

    void block(std::string_view name)
    {
        if (is_one_of(name, kParagraphs)) gap(2);
        else if (is_one_of(name, kLines)) gap(1);
    }

    /// Text with its entities and spaces as HTML means them.
    void text(std::string_view raw)
    {
        std::string plain;
        plain.reserve(raw.size());
        while (!raw.empty()) {
            if (raw[0] == '&') {
                raw.remove_prefix(append_entity(plain, raw));
                continue;
            }
            const std::size_t end = std::min(raw.find('&'), raw.size());
            plain += raw.substr(0, end);
            raw.remove_prefix(end);
        }
        for (const char c : plain) character(c);
    }

    void character(char c)
    {
        if (in_pre_ && c == '\n') {
            out_ += '\n';
            at_line_start_ = true;
            return;
        }
        if (c == ' ' || c == '\n' || c == '\t' || c == '\r' || c == '\f') {
            if (in_pre_ && c != '\r') put(' ');
            else space_ = true;
            return;
        }
        if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) return;
        put(c);
    }

    void put(char c)
    {
        if (at_line_start_) begin_line();
        else if (space_) out_ += ' ';
        space_ = false;
        out_ += c;
    }

    void word(std::string_view text)
    {
        for (const char c : text) put(c);
    }

    void begin_line()
    {
        at_line_start_ = false;
        space_ = false;
        for (int i = 0; i < quotes_; ++i) out_ += "> ";
        if (lists_.size() > 1) out_.append(2 * (std::min(lists_.size(), kMaxNesting) - 1), ' ');
        if (!marker_.empty()) out_ += std::exchange(marker_, {});
        else if (!lists_.empty() && !in_pre_) out_ += "  ";
    }

    /// At least so many line breaks before what comes.
    void gap(std::size_t breaks)
    {
        if (in_cell_) {
            space_ = true;
            return;
        }
        if (in_pre_ || out_.empty()) return;
        while (out_.ends_with(' ')) out_.pop_back();
        end_marks();
        std::size_t have = 0;
        while (have < out_.size() && out_[out_.size() - 1 - have] == '\n') ++have;
        for (; have < breaks; ++have) out_ += '\n';
        at_line_start_ = true;
        space_ = false;
    }

    void line_break()
    {
        if (in_pre_) character('\n');
        else gap(1);
    }

    void rule()
    {
        gap(2);
        word("---");
        gap(2);
    }

    void heading(int level)
    {
        gap(2);
        word(std::string(static_cast<std::size_t>(level), '#'));
        space_ = true;
    }

    void open_list(bool is_ordered)
    {
        gap(lists_.empty() ? 2 : 1);
        if (lists_.size() < kMaxNesting) lists_.push_back({.is_ordered = is_ordered});
    }
    void close_list()
    {
        if (!lists_.empty()) lists_.pop_back();
        marker_.clear();
        gap(lists_.empty() ? 2 : 1);
    }
    void item()
    {
        gap(1);
        if (lists_.empty()) marker_ = "- ";
        else marker_ = lists_.back().is_ordered ? std::to_string(++lists_.back().number) + ". " : "- ";
    }

    void quote(int change)
    {
        gap(2);
        quotes_ = std::clamp(quotes_ + change, 0, static_cast<int>(kMaxNesting));
    }

    void open_code()
    {
        if (in_pre_ || in_cell_) return;
        gap(2);
        out_ += "```\n";
        in_pre_ = true;
    }
    void close_code()
    {
        if (!in_pre_) return;
        in_pre_ = false;
        out_ += out_.ends_with('\n') ? "```\n\n" : "\n```\n\n";
        at_line_start_ = true;
    }

    /// Opens and closes; never left open over the end of a block.
    void inline_mark(std::string_view mark)
    {
        if (in_pre_) return;
        const auto open = std::ranges::find(marks_, mark);
        if (open == marks_.end()) {
            word(mark);
            marks_.push_back(mark);
            return;
        }
        marks_.erase(open);
        const bool is_empty = out_.ends_with(mark);
        if (is_empty) out_.resize(out_.size() - mark.size());
        else out_ += mark;
    }
    void end_marks()
    {
        while (!marks_.empty()) inline_mark(std::string_view(marks_.back()));
    }

    void begin_link(std::string_view href)
    {
        end_link();
        if (in_pre_ || href.empty() || href.starts_with('#')) return;
        const auto target = resolve_reference(url_, href);
        if (!target || target->size() > kLongestLink || target->find_first_of(" ()<>") != std::string::npos) return;
        if (at_line_start_) begin_line();
        else if (std::exchange(space_, false)) out_ += ' ';
        link_ = *target;
        link_start_ = out_.size();
    }
    void end_link()
    {
        if (link_.empty()) return;
        const std::string target = std::exchange(link_, {});
        if (link_start_ >= out_.size()) return;
        const std::string label = out_.substr(link_start_);
        if (label.find('\n') != std::string::npos) return;  // a whole block of the page: its words are enough
        out_.resize(link_start_);
        out_ += "[" + label + "](" + target + ")";
    }

    void open_row()
    {
        gap(1);
        cells_ = 0;
        in_row_ = true;
    }
    void open_cell()
    {
        if (!in_row_) open_row();
        in_cell_ = true;
        word(cells_ == 0 ? "|" : " |");
        ++cells_;
        space_ = true;
    }
    void close_row()
    {
        if (!in_row_) return;
        in_row_ = in_cell_ = false;
        end_link();
        end_marks();
        if (cells_ > 0) out_ += " |";
        gap(1);
    }

    void title(std::string_view raw)
    {
        Writer plain("", kLongestLink);
        plain.text(raw);
        title_ += plain.out_;
        title_.resize(utf8_prefix(title_, kLongestLink).size());
    }

    std::string_view url_;
    std::size_t most_;
    std::string out_;
    std::string title_;
    bool title_open_ = false;
    bool at_line_start_ = true;
    bool space_ = false;  // owed before the next word
    bool in_pre_ = false;
    bool in_row_ = false, in_cell_ = false;
    int cells_ = 0;
    int quotes_ = 0;
    std::vector<List> lists_;
    std::string marker_;  // of the item whose first word is still to come
    std::vector<std::string_view> marks_;
    std::string link_;
    std::size_t link_start_ = 0;
};

}  // namespace

MarkdownText markdown_from_html(std::string_view html, std::string_view url, std::size_t most)
{
    Writer writer(url, most);
    HtmlScanner scanner(html);
    while (!writer.is_full()) {
        const auto piece = scanner.next();
        if (!piece) break;
        writer.piece(*piece);
    }
    return writer.finish();
}

}  // namespace cadre::tools
