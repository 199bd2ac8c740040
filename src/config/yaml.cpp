#include "config/yaml.hpp"

#include "base/error.hpp"
#include "base/json.hpp"
#include "base/utf8.hpp"
#include "config/scalar.hpp"
#include "config/yaml_text.hpp"

#include <boost/json.hpp>
#include <fmt/core.h>
#include <yaml-cpp/depthguard.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <map>
#include <sstream>

namespace cadre::config {

namespace {

/// Thrown out of the parser when going on makes no sense; its finding is already made.
struct Stop {};

struct Node {
    json::value value;
    Place place;
    std::size_t nodes = 1;   // values and keys in it
    std::size_t bytes = 0;   // of text in it
    std::size_t height = 0;  // levels of lists and maps
};

/// Builds JSON from the parser's events.
class Builder : public YAML::EventHandler {
public:
    Builder(const std::string& file, std::string_view text, Findings& findings, const Limits& limits)
        : file_(file), text_(text), positions_(text), findings_(findings), limits_(limits)
    {}

    static std::size_t offset(const YAML::Mark& mark) { return mark.pos < 0 ? 0 : static_cast<std::size_t>(mark.pos); }
    Position position(const YAML::Mark& mark) const { return positions_.at(offset(mark)); }
    Node& root() { return root_; }
    /// What is known of where the parser gave up.
    YamlTrouble trouble(const YAML::Exception& error) const
    {
        const std::size_t noticed = std::min(offset(error.mark), text_.size());  // what follows is ours: load_yaml()
        YamlTrouble trouble{.message = error.msg, .offset = noticed, .last = last_};
        for (const Frame& frame : frames_)
            if (frame.bracket) trouble.bracket = frame.bracket;
        return trouble;
    }

    void OnDocumentStart(const YAML::Mark& mark) override
    {
        if (documents_++ > 0) stop(position(mark), "a second document begins here; write one document per file");
    }
    void OnDocumentEnd() override {}

    void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override
    {
        Position at = position(mark);
        if (wants_key()) {
            const auto bracket = frames_.back().bracket;
            if (const auto open = bracket ? find_open_bracket(text_, *bracket) : std::nullopt)
                stop(positions_.at(open->offset), open->text);
            stop(at, "a key must be text");
        }
        // for a value that was left out the parser names the next token, which may be lines away
        if (!frames_.empty() && frames_.back().key && at.line != frames_.back().key_at.line) at = frames_.back().key_at;
        finish({.value = nullptr, .place = {.at = at, .key = at}}, anchor);
    }

    void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override
    {
        const Position at = position(mark);
        const auto found = anchors_.find(anchor);
        if (found == anchors_.end()) stop(at, "the alias stands inside what it refers to; write the value out");
        Node node = found->second;
        if (wants_key()) {
            if (const auto* text = node.value.if_string()) return key(std::string(*text), at);
            stop(at, "a key must be text");
        }
        alias_bytes_ += node.bytes;
        if (alias_bytes_ > limits_.alias_bytes)
            stop(at, fmt::format("aliases add more than {} bytes; write fewer of them", limits_.alias_bytes));
        if (frames_.size() + node.height > limits_.depth) too_deep(at);
        count(node.nodes, at);
        node.place.at = node.place.key = at;
        place(std::move(node));
    }

    void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  const std::string& written) override
    {
        last_ = offset(mark);
        const std::string text = repaired(written);
        const Position at = position(mark);
        const bool reported = check_tag(tag, at);
        const bool plain = tag == "?";
        if (wants_key()) {
            if (plain && text == "<<") merge_key(at);
            else key(text, at);
            if (anchor != YAML::NullAnchor)
                keep(anchor, {.value = json::value(text), .place = {.at = at, .key = at}, .bytes = text.size()}, at);
            return;
        }
        Node node{
            .value = json::value(text), .place = {.at = at, .key = at, .reported = reported}, .bytes = text.size()};
        if (plain && resolve_plain(text, node.value) == Resolved::not_finite) {
            problem(at,
                    fmt::format("{} is not a number that can be used here; quote it if it is text", in_quotes(text)));
            node.place.reported = true;
        }
        finish(std::move(node), anchor);
    }

    void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                         YAML::EmitterStyle::value style) override
    {
        begin(mark, tag, anchor, style, json::array());
    }
    void OnSequenceEnd() override { end(); }
    void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                    YAML::EmitterStyle::value style) override
    {
        begin(mark, tag, anchor, style, json::object());
    }
    void OnMapEnd() override { end(); }

    [[noreturn]] void stop(Position at, std::string text)
    {
        problem(at, std::move(text));
        throw Stop();
    }

private:
    /// A list or map that is not closed yet.
    struct Frame {
        Node node;
        YAML::anchor_t anchor = YAML::NullAnchor;
        std::optional<std::string> key{};  // of the value that comes next
        Position key_at{};
        bool drop = false;                     // that value has no name to live under
        std::optional<std::size_t> bracket{};  // where it begins, if with one
    };

    void problem(Position at, std::string text) { findings_.error(file_, at, std::move(text)); }

    [[noreturn]] void too_deep(Position at) { stop(at, fmt::format("nested more than {} deep", limits_.depth)); }

    bool wants_key() const
    {
        return !frames_.empty() && frames_.back().node.value.is_object() && !frames_.back().key && !frames_.back().drop;
    }

    void count(std::size_t nodes, Position at)
    {
        nodes_ += nodes;
        if (nodes_ > limits_.nodes)
            stop(at, fmt::format("more than {} values and keys, aliases included; split the file", limits_.nodes));
    }

    /// Whether there is one to complain about.
    bool check_tag(const std::string& tag, Position at)
    {
        if (tag.empty() || tag == "?" || tag == "!") return false;
        problem(at, fmt::format("the tag {} is not read; leave it out, and quote the value if it is text",
                                in_quotes(utf8_prefix(tag, 80))));
        return true;
    }

    void merge_key(Position at)
    {
        problem(at, "merge keys (<<) are not read; write the fields out, or use an alias for the whole value");
        frames_.back().drop = true;
    }

    void key(std::string text, Position at)
    {
        count(1, at);
        Frame& frame = frames_.back();
        const auto& object = frame.node.value.get_object();
        if (const auto there = object.find(text); there != object.end()) {
            const Position first = frame.node.place.items[static_cast<std::size_t>(there - object.begin())].key;
            problem(at, fmt::format("{} is already there at {}:{}; remove one of them", in_quotes(text), first.line,
                                    first.column));
            frame.drop = true;
            return;
        }
        frame.key = std::move(text);
        frame.key_at = at;
    }

    void begin(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor, YAML::EmitterStyle::value style,
               json::value empty)
    {
        last_ = offset(mark);
        const Position at = position(mark);
        if (wants_key()) stop(at, "a key must be text, not a list or map; quote it if it begins with { or [");
        check_tag(tag, at);
        if (frames_.size() >= limits_.depth) too_deep(at);
        frames_.push_back({.node = {.value = std::move(empty), .place = {.at = at, .key = at}}, .anchor = anchor});
        if (style == YAML::EmitterStyle::Flow) frames_.back().bracket = bracket_at(last_);
    }

    /// Of `[a: b]` the inner map has a flow's style and no bracket of its own; an anchor or a tag stands before the bracket.
    std::optional<std::size_t> bracket_at(std::size_t start) const
    {
        const std::size_t bracket = text_.find_first_of("[{", start);
        if (bracket == start) return bracket;
        const bool has_more = bracket != text_.npos && (text_[start] == '&' || text_[start] == '!');
        return has_more ? std::optional(bracket) : std::nullopt;
    }

    void end()
    {
        Frame frame = std::move(frames_.back());
        frames_.pop_back();
        ++frame.node.height;
        finish(std::move(frame.node), frame.anchor);
    }

    void finish(Node node, YAML::anchor_t anchor)
    {
        count(1, node.place.at);
        if (anchor != YAML::NullAnchor) keep(anchor, node, node.place.at);
        place(std::move(node));
    }

    /// Copies for anchors count as nodes too: anchors inside of anchors would else multiply the work.
    void keep(YAML::anchor_t anchor, Node node, Position at)
    {
        count(node.nodes, at);
        anchors_[anchor] = std::move(node);
    }

    void place(Node node)
    {
        if (frames_.empty()) {
            root_ = std::move(node);
            return;
        }
        Frame& frame = frames_.back();
        if (std::exchange(frame.drop, false)) return;
        Node& into = frame.node;
        into.nodes += node.nodes;
        into.bytes += node.bytes;
        into.height = std::max(into.height, node.height);
        if (auto* array = into.value.if_array()) {
            array->push_back(std::move(node.value));
        } else {
            node.place.key = frame.key_at;
            ++into.nodes;
            into.bytes += frame.key->size();
            into.value.get_object().emplace(*std::exchange(frame.key, std::nullopt), std::move(node.value));
        }
        into.place.items.push_back(std::move(node.place));
    }

    const std::string& file_;
    std::string_view text_;
    Positions positions_;
    Findings& findings_;
    const Limits& limits_;
    std::vector<Frame> frames_;
    std::map<YAML::anchor_t, Node> anchors_;
    Node root_;
    std::size_t last_ = 0;  // where the last value or name begins
    std::size_t documents_ = 0;
    std::size_t nodes_ = 0;
    std::size_t alias_bytes_ = 0;
};

}  // namespace

std::optional<Document> load_yaml(std::string file, std::string_view text, Findings& findings, const Limits& limits)
{
    if (const std::size_t bad = find_control(text); bad != text.npos) {
        findings.error(std::move(file), Positions(text).at(bad),
                       "a control character; in double quotes write it as \\xNN");
        return std::nullopt;
    }
    Builder builder(file, text, findings, limits);
    try {
        // at the end of the text the parser closes quotes by itself; before a marker it complains
        std::istringstream stream(std::string(text) + (text.ends_with('\n') ? "...\n" : "\n...\n"));
        YAML::Parser parser(stream);
        while (parser.HandleNextDocument(builder)) {}
        if (builder.root().value.is_null()) builder.stop({}, "the file is empty");
    } catch (const YAML::Exception& error) {
        const YamlFault fault = fault_in(text, builder.trouble(error));
        findings.error(std::move(file), Positions(text).at(fault.offset), fault.text);
        return std::nullopt;
    } catch (const Stop&) {
        return std::nullopt;
    }
    return Document{
        .file = std::move(file), .value = std::move(builder.root().value), .root = std::move(builder.root().place)};
}

}  // namespace cadre::config
