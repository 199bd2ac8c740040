#include "text/template/template_parser.hpp"

#include "base/error.hpp"
#include "base/suggest.hpp"
#include "text/template/bodies.hpp"
#include "text/template/meter.hpp"

#include <fmt/core.h>

#include <algorithm>

namespace cadre::text::tpl {
namespace {

constexpr std::size_t kMaxUnits = 64;

}  // namespace

TemplateParser::TemplateParser(Loading& loading, Unit& unit)
    : ExpressionParser(unit, loading.names, Lexer::Mode::text),
      loading_(loading),
      own_(unit),
      loop_(loading.names.id("loop"))
{}

void TemplateParser::parse()
{
    own_.body = parse_body({});
}

/// Up to one of the tags that end it, whose name is current then; without any, up to the end.
std::vector<Node> TemplateParser::parse_body(std::initializer_list<std::string_view> ends)
{
    const Level level(*this);
    std::vector<Node> body;
    for (;;) {
        if (current().is(Type::data)) {
            Node node(Node::Kind::text, current().at);
            node.text = advance().text;
            body.push_back(std::move(node));
        } else if (skip(Type::variable_begin)) {
            Node node(Node::Kind::output, current().at);
            node.exprs.push_back(parse_tuple());
            expect(Type::variable_end, "}}");
            body.push_back(std::move(node));
        } else if (skip(Type::block_begin)) {
            if (current().is(Type::name) && std::ranges::find(ends, current().text) != ends.end()) return body;
            body.push_back(parse_statement());
            expect_block_end();
        } else {
            if (!current().is(Type::end))
                fail(current().at, fmt::format("{} is not expected here", described(current())));
            if (ends.size() == 0) return body;
            fail(current().at, fmt::format("{{% {} %}} is missing: {} is not closed", *(ends.end() - 1),
                                           in_quotes(open_tags_.back())));
        }
    }
}

std::vector<Node> TemplateParser::parse_block(std::initializer_list<std::string_view> ends)
{
    skip(Type::colon);
    expect_block_end();
    return parse_body(ends);
}

Node TemplateParser::parse_statement()
{
    const Token tag = expect(Type::name, "the name of a tag");
    static const std::map<std::string_view, Node (TemplateParser::*)()> kTags = {
        {"if", &TemplateParser::parse_if},
        {"for", &TemplateParser::parse_for},
        {"set", &TemplateParser::parse_set},
        {"with", &TemplateParser::parse_with},
        {"filter", &TemplateParser::parse_filter_block},
        {"include", &TemplateParser::parse_include},
    };
    const auto found = kTags.find(tag.text);
    if (found == kTags.end()) fail_tag(tag);
    open_tags_.push_back(tag.text);
    Node node = (this->*found->second)();
    node.at = static_cast<std::uint32_t>(tag.at);
    open_tags_.pop_back();
    return node;
}

void TemplateParser::fail_tag(const Token& tag)
{
    static const std::vector<std::string> kKnown = {"if",     "elif",      "else",    "endif", "for",
                                                    "endfor", "set",       "endset",  "with",  "endwith",
                                                    "filter", "endfilter", "include", "raw"};
    static constexpr std::string_view kJinjas[] = {"macro", "block", "extends",    "import", "from",     "call", "do",
                                                   "print", "trans", "autoescape", "break",  "continue", "debug"};
    if (std::ranges::find(kJinjas, tag.text) != std::end(kJinjas))
        fail(tag.at, fmt::format("{} is a tag of Jinja that is not part of this language", in_quotes(tag.text)));
    if (std::ranges::find(kKnown, tag.text) != kKnown.end())
        fail(tag.at, fmt::format("{} does not belong here{}", in_quotes(tag.text),
                                 open_tags_.empty() ? "" : ": " + in_quotes(open_tags_.back()) + " is still open"));
    const auto near = nearest(tag.text, kKnown);
    fail(tag.at,
         fmt::format("unknown tag {}{}", in_quotes(tag.text), near ? ", did you mean " + in_quotes(*near) + "?" : ""));
}

Node TemplateParser::parse_if()
{
    Node node(Node::Kind::condition, 0);
    for (;;) {
        node.exprs.push_back(parse_tuple(false));
        node.bodies.push_back(parse_block({"elif", "else", "endif"}));
        const Token tag = advance();
        if (tag.text == "elif") continue;
        if (tag.text == "else") {
            node.bodies.push_back(parse_block({"endif"}));
            advance();
        }
        return node;
    }
}

Node TemplateParser::parse_for()
{
    Node node(Node::Kind::loop, 0);
    ++loops_;
    scopes_.emplace_back();
    const Target target = parse_target();
    const std::vector<NameId> own = std::exchange(scopes_.back(), {});  // not yet set in what it goes over
    if (!skip_word("in")) fail(current().at, fmt::format("`in` is expected here, not {}", described(current())));
    node.exprs.push_back(parse_tuple(false));
    scopes_.back() = own;
    if (skip_word("if")) node.exprs.push_back(parse_expression());
    if (current().is_name("recursive")) fail(current().at, "recursive loops are not part of this language");
    scopes_.back().push_back(loop_);
    names_.assigned(loop_);
    node.targets.push_back(target);
    const std::size_t mentions = loop_mentions_;
    node.bodies.push_back(parse_block({"endfor", "else"}));
    node.uses_loop = loop_mentions_ > mentions;
    scopes_.pop_back();
    const bool has_else = advance().text == "else";
    if (has_else) {
        scopes_.emplace_back();
        node.bodies.push_back(parse_block({"endfor"}));
        scopes_.pop_back();
        advance();
    }
    --loops_;
    return node;
}

Node TemplateParser::parse_set()
{
    if (ahead().is(Type::dot)) fail(current().at, "only names can be set: namespaces are not part of this language");
    scopes_.emplace_back();
    const Target target = parse_target();
    const std::vector<NameId> own = std::move(scopes_.back());
    scopes_.pop_back();
    Node node(skip(Type::assign) ? Node::Kind::set : Node::Kind::set_block, 0);
    if (node.kind == Node::Kind::set) {
        node.exprs.push_back(parse_tuple());
    } else {
        if (current().is(Type::pipe)) node.exprs.push_back(parse_filters(false));
        scopes_.emplace_back();
        node.bodies.push_back(parse_block({"endset"}));
        scopes_.pop_back();
        advance();
    }
    scopes_.back().insert(scopes_.back().end(), own.begin(), own.end());
    node.targets.push_back(target);
    return node;
}

Node TemplateParser::parse_with()
{
    Node node(Node::Kind::with, 0);
    std::vector<NameId> own;
    while (!current().is(Type::block_end)) {
        if (!node.targets.empty()) expect(Type::comma, "a comma");
        scopes_.emplace_back();
        node.targets.push_back(parse_target());
        own.insert(own.end(), scopes_.back().begin(), scopes_.back().end());
        scopes_.pop_back();
        expect(Type::assign, "=");
        node.exprs.push_back(parse_expression());
    }
    scopes_.push_back(own);
    node.bodies.push_back(parse_block({"endwith"}));
    scopes_.pop_back();
    advance();
    return node;
}

Node TemplateParser::parse_filter_block()
{
    Node node(Node::Kind::filter_block, 0);
    node.exprs.push_back(parse_filters(true));
    scopes_.emplace_back();
    node.bodies.push_back(parse_block({"endfilter"}));
    scopes_.pop_back();
    advance();
    return node;
}

Node TemplateParser::parse_include()
{
    Node node(Node::Kind::include, 0);
    const Expr name = parse_expression();
    if (name.kind != Expr::Kind::constant || !is_text(name.constant))
        fail(name.at, "include takes a name in quotes, so that everything it needs is known beforehand");
    node.text = name.constant.text();
    bool may_be_missing = false;
    if (current().is_name("ignore") && ahead().is_name("missing")) {
        advance();
        advance();
        may_be_missing = true;
    }
    if ((current().is_name("with") || current().is_name("without")) && ahead().is_name("context")) {
        node.with_context = advance().text == "with";
        advance();
    }
    if (loading_.depth > kMaxIncludeDepth)
        fail(name.at, fmt::format("includes are more than {} deep", kMaxIncludeDepth));
    if (loading_.program->units.size() >= kMaxUnits)
        fail(name.at, fmt::format("this includes {} templates or more", kMaxUnits));
    auto found = loading_.find(node.text, own_);
    if (!found && !may_be_missing)
        fail(name.at, fmt::format("there is no template {} to include", in_quotes(node.text)));
    if (!found) return Node(Node::Kind::text, 0);
    if (!found->fault.empty()) fail(name.at, fmt::format("the template {} {}", in_quotes(node.text), found->fault));
    node.unit = loading_.include(std::move(*found));
    if (node.with_context) note_included(node.unit, name.at);
    return node;
}

/// What an included template uses and is not set here, this one uses, too.
void TemplateParser::note_included(std::uint32_t unit, std::size_t at)
{
    if (unit >= loading_.used.size()) return;  // it is being read: it includes itself
    for (const NameAt& name : loading_.used[unit])
        if (!is_set_here(name.id)) used_.push_back({name.id, static_cast<std::uint32_t>(at)});
}

Target TemplateParser::parse_target()
{
    Expr tuple(Expr::Kind::tuple, current().at);
    bool is_tuple = false;
    const std::size_t used_before = used_.size();
    while (!current().is(Type::block_end)) {
        tuple.items.push_back(parse_primary());
        if (!skip(Type::comma)) break;
        is_tuple = true;
    }
    used_.resize(used_before);  // they are set, not used
    if (tuple.items.empty()) fail(current().at, fmt::format("a name is expected here, not {}", described(current())));
    const Target target = target_of(is_tuple ? tuple : tuple.items[0], open_tags_.back() == "with");
    assign(target);
    return target;
}

Target TemplateParser::target_of(const Expr& expr, bool may_be_loop)
{
    Target target{.at = expr.at};
    if (expr.kind == Expr::Kind::name) {
        if (expr.id == loop_ && loops_ > 0 && !may_be_loop)
            fail(expr.at, "loop is the loop's own name and cannot be set");
        target.id = expr.id;
        return target;
    }
    if (expr.kind != Expr::Kind::tuple) fail(expr.at, "only names can be set");
    target.spread = true;
    for (const Expr& item : expr.items) target.parts.push_back(target_of(item, may_be_loop));
    return target;
}

void TemplateParser::assign(const Target& target)
{
    if (target.spread) {
        for (const Target& part : target.parts) assign(part);
        return;
    }
    scopes_.back().push_back(target.id);
    names_.assigned(target.id);
}

}  // namespace cadre::text::tpl
