// Statements: what stands in `{% … %}`, and the text around it.
#pragma once

#include "text/template/expression_parser.hpp"
#include "text/template/parser.hpp"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace cadre::text::tpl {

/// A template and all that it includes.
struct Loading {
    explicit Loading(const Includes& resolver) : includes(resolver) {}

    std::uint32_t load(std::string name, std::string_view source);
    std::optional<Included> find(const std::string& name, const Unit& by) const;
    std::uint32_t include(Included found);

    const Includes& includes;
    std::shared_ptr<Program> program = std::make_shared<Program>();
    NameTable names{*program};
    std::map<std::string, std::uint32_t> known{};
    std::vector<std::vector<NameAt>> used{};  // by unit; empty while it is being read
    std::size_t depth = 0;
};

class TemplateParser : public ExpressionParser {
public:
    TemplateParser(Loading& loading, Unit& unit);
    void parse();

private:
    std::vector<Node> parse_body(std::initializer_list<std::string_view> ends);
    std::vector<Node> parse_block(std::initializer_list<std::string_view> ends);
    Node parse_statement();
    Node parse_if();
    Node parse_for();
    Node parse_set();
    Node parse_with();
    Node parse_filter_block();
    Node parse_include();
    [[noreturn]] void fail_tag(const Token& tag);
    void expect_block_end() { expect(Type::block_end, "%}"); }

    Target parse_target();
    Target target_of(const Expr& expr, bool may_be_loop);
    void assign(const Target& target);
    void note_included(std::uint32_t unit, std::size_t at);

    Loading& loading_;
    Unit& own_;
    std::vector<std::string_view> open_tags_{};
    std::size_t loops_ = 0;  // how many of the open tags are loops
    NameId loop_;
};

}  // namespace cadre::text::tpl
