#include "text/channel/text_dialects.hpp"

#include "text/channel/mail_html.hpp"
#include "text/channel/whatsapp.hpp"

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

namespace cadre::text {

namespace {

constexpr std::size_t kUnlimited = std::numeric_limits<std::size_t>::max() / 2;
constexpr std::size_t kVendorSms = 1600;       // UTF-16 units
constexpr std::size_t kVendorWhatsapp = 4096;  // the same
constexpr std::string_view kFence = "```";

/// Calls `take(line)` for each line.
template <class Take>
void each_line(std::string_view text, const Take& take)
{
    for (;;) {
        const std::size_t end = text.find('\n');
        take(text.substr(0, end));
        if (end == text.npos) return;
        text.remove_prefix(end + 1);
    }
}

/// Words between blanks, and the blanks around them: marks stand beside words.
struct Core {
    std::string_view before, words, after;
};
Core core_of(std::string_view text)
{
    const std::size_t begin = std::min(text.find_first_not_of(" \t"), text.size());
    const std::size_t end = begin == text.size() ? begin : text.find_last_not_of(" \t") + 1;
    return {text.substr(0, begin), text.substr(begin, end - begin), text.substr(end)};
}

class TextDialect : public Dialect {
public:
    explicit TextDialect(const ChannelRules& rules, std::size_t vendor) : rules_(rules), vendor_(vendor) {}

    Room limit() const override { return {rules_.max_length.value_or(kUnlimited), vendor_}; }
    Room room(const Part& part) const override { return room_of_text(written(part)); }
    Room between(const Part& before, const Part& after) const override
    {
        return is_joined(before, after) ? Room{1, 1} : Room{2, 2};
    }
    Room room_of_indicator(std::string_view indicator) const override
    {
        return {indicator.size() + 1, indicator.size() + 1};
    }
    MessagePiece piece(std::span<const Part> parts, std::string_view indicator) const override
    {
        MessagePiece piece{.continuation_indicator = std::string(indicator)};
        for (const Part& part : parts) {
            if (&part != &parts.front()) piece.content += is_joined(*(&part - 1), part) ? "\n" : "\n\n";
            piece.content += written(part);
        }
        if (!indicator.empty()) piece.content.append(" ").append(indicator);
        return piece;
    }

protected:
    virtual std::string written(const Part& part) const = 0;

    ChannelRules rules_;

private:
    std::size_t vendor_;
};

/// Nothing but words.
class Sms final : public TextDialect {
public:
    explicit Sms(const ChannelRules& rules) : TextDialect(rules, kVendorSms) {}

private:
    std::string written(const Part& part) const override { return item_prefix(part).append(part.text()); }
};

class Whatsapp final : public TextDialect {
public:
    explicit Whatsapp(const ChannelRules& rules) : TextDialect(rules, kVendorWhatsapp) {}

private:
    std::string written(const Part& part) const override
    {
        const bool is_code = part.block->kind == Block::Kind::code;
        if (is_code && rules_.markdown.code) return item_prefix(part) + fenced(part.text());
        std::string out = item_prefix(part);
        const std::string quote = quote_depth(*part.block) > 0 ? "> " : "";
        bool first = true;
        for (std::string& line : is_code ? plain_lines(part.text()) : lines(part)) {
            if (!first) out += '\n';
            out.insert(first ? 0 : out.size(), quote);
            first = false;
            out += line;
        }
        return out;
    }

    static std::string fenced(std::string_view text)
    {
        std::string out(kFence);
        for (std::size_t at = 0; at < text.size(); ++at) {
            const bool is_fence = text[at] == '`';
            if (is_fence) out += "ˋ";
            else out += text[at];
        }
        return out.append(kFence);
    }

    static std::vector<std::string> plain_lines(std::string_view text)
    {
        std::vector<std::string> all;
        each_line(text, [&](std::string_view line) {
            all.push_back(settled_line(with_plain_start(line), std::vector<bool>(line.size() + 8, false)));
        });
        return all;
    }

    /// What would make a list or a quotation of a line is replaced by what looks like it.
    static std::string with_plain_start(std::string_view line)
    {
        const auto [before, words, after] = core_of(line);
        const bool is_mark = words.size() > 1 && words[1] == ' ' && (words[0] == '-' || words[0] == '*');
        if (!is_mark && !words.starts_with('>')) return std::string(line);
        const std::string_view instead = words[0] == '-' ? "‐" : words[0] == '*' ? "∗" : "›";
        return std::string(before).append(instead).append(words.substr(1)).append(after);
    }

    static std::string marks_of(Marks marks)
    {
        if (marks & kCode) return "`";
        std::string out;
        if (marks & kBold) out += '*';
        if (marks & kItalic) out += '_';
        if (marks & kStrike) out += '~';
        return out;
    }

    static std::vector<std::string> lines(const Part& part)
    {
        struct Line {
            std::string text{};
            std::vector<bool> is_meant{};

            void add(std::string_view more, bool meant)
            {
                text += more;
                is_meant.insert(is_meant.end(), more.size(), meant);
            }
        };
        std::vector<Line> all(1);
        each_words(*part.block, part.begin, part.end, [&](std::string_view words, Marks marks, int) {
            bool first = true;
            each_line(words, [&](std::string_view text) {
                if (!first) all.emplace_back();
                first = false;
                const bool begins_line = all.back().text.empty();
                const std::string open = marks_of(marks);
                const std::string plain = begins_line && open.empty() ? with_plain_start(text) : std::string(text);
                const auto [before, core, after] = core_of(plain);
                all.back().add(before, false);
                if (core.empty()) return;
                all.back().add(open, true);
                all.back().add(core, false);
                all.back().add(std::string(open.rbegin(), open.rend()), true);
                all.back().add(after, false);
            });
        });
        std::vector<std::string> out;
        for (Line& line : all) out.push_back(settled_line(std::move(line.text), std::move(line.is_meant)));
        return out;
    }
};

/// Markdown, as people write it in mail.
class Mail final : public TextDialect {
public:
    explicit Mail(const ChannelRules& rules) : TextDialect(rules, kUnlimited) {}

    MessagePiece piece(std::span<const Part> parts, std::string_view indicator) const override
    {
        MessagePiece piece = TextDialect::piece(parts, indicator);
        piece.alternative = mail_html(parts, indicator);
        return piece;
    }

private:
    std::string written(const Part& part) const override
    {
        const Block& block = *part.block;
        const std::string prefix = item_prefix(part);
        std::string body;
        switch (block.kind) {
        case Block::Kind::rule: body = "---"; break;
        case Block::Kind::table: body = table(part); break;
        case Block::Kind::heading:
            body = std::string(block.level, '#') + " " + words(block, part.begin, part.end);
            break;
        case Block::Kind::code: body = rules_.markdown.code ? fenced(part.text()) : std::string(part.text()); break;
        case Block::Kind::paragraph: body = words(block, part.begin, part.end); break;
        }
        const std::string quote = quotes(block);
        std::string out = quote + prefix;
        const std::string more = "\n" + quote + std::string(prefix.size(), ' ');
        for (const char c : body)
            if (c == '\n') out += more;
            else out += c;
        return out;
    }

    static std::string fenced(std::string_view text)
    {
        std::string fence(kFence);
        while (text.find(fence) != text.npos) fence += '`';
        return fence + "\n" + std::string(text) + "\n" + fence;
    }

    static std::string quotes(const Block& block)
    {
        std::string out;
        for (std::size_t i = quote_depth(block); i > 0; --i) out += "> ";
        return out;
    }

    static std::string marks_of(Marks marks)
    {
        if (marks & kCode) return "`";
        std::string out;
        if (marks & kBold) out += "**";
        if (marks & kItalic) out += "_";
        if (marks & kStrike) out += "~~";
        return out;
    }

    static std::string words(const Block& block, std::size_t begin, std::size_t end)
    {
        std::string out;
        int link = -1;
        std::string linked;
        const auto close = [&] {
            if (link < 0) return;
            const std::string& address = block.links[static_cast<std::size_t>(link)];
            out += is_bare_link(linked, address) ? linked : "[" + linked + "](" + link_address(address) + ")";
            linked.clear();
        };
        each_words(block, begin, end, [&](std::string_view text, Marks marks, int to) {
            if (to != link) close(), link = to;
            const auto [before, core, after] = core_of(text);
            const std::string open = core.empty() ? "" : marks_of(marks);
            (link < 0 ? out : linked)
                .append(before)
                .append(open)
                .append(core)
                .append(open.rbegin(), open.rend())
                .append(after);
        });
        close();
        return out;
    }

    static std::string table(const Part& part)
    {
        const Block& block = *part.block;
        std::string out;
        const auto add_row = [&](std::size_t row) {
            out += '|';
            for (std::size_t column = 0; column < block.columns; ++column) {
                const CellRange cell = cell_of(block, row, column);
                out.append(" ").append(words(block, cell.begin, cell.end)).append(" |");
            }
        };
        add_row(0);
        out += "\n|";
        for (std::size_t column = 0; column < block.columns; ++column) out += "---|";
        for (std::size_t row = part.begin; row < part.end; ++row) {
            out += '\n';
            add_row(row + 1);
        }
        return out;
    }
};

}  // namespace

std::unique_ptr<Dialect> make_sms(const ChannelRules& rules)
{
    return std::make_unique<Sms>(rules);
}

std::unique_ptr<Dialect> make_whatsapp(const ChannelRules& rules)
{
    return std::make_unique<Whatsapp>(rules);
}

std::unique_ptr<Dialect> make_mail(const ChannelRules& rules)
{
    return std::make_unique<Mail>(rules);
}

}  // namespace cadre::text
