#include "text/template/parser.hpp"

#include "base/error.hpp"
#include "base/utf8.hpp"
#include "text/template/meter.hpp"
#include "text/template/template_parser.hpp"

#include <fmt/core.h>

namespace cadre::text::tpl {
namespace {

/// Every line end is \n, and one at the very end is left out.
std::string normalised(std::string_view source)
{
    std::string out;
    out.reserve(source.size());
    for (std::size_t at = 0; at < source.size(); ++at) {
        if (source[at] != '\r') {
            out += source[at];
            continue;
        }
        out += '\n';
        if (at + 1 < source.size() && source[at + 1] == '\n') ++at;
    }
    if (out.ends_with('\n')) out.pop_back();
    return out;
}

void check_source(const Unit& unit, std::string_view source)
{
    if (source.size() > kMaxSource)
        throw unit.error(Code::too_large, 0,
                         fmt::format("it has {} bytes, more than {} KiB", source.size(), kMaxSource / 1024));
    for (std::size_t at = 0; at < unit.source.size();) {
        const std::size_t bytes = utf8_length(std::string_view(unit.source).substr(at));
        if (bytes == 0) throw unit.error(Code::malformed, at, "here is a byte that is not UTF-8");
        at += bytes;
    }
}

void note_used_names(Program& program, const Unit& unit, const std::vector<NameAt>& used)
{
    std::vector<bool> seen(program.names.size());
    for (const NameAt& name : used) {
        if (seen[name.id] || program.names[name.id].text == "range") continue;
        seen[name.id] = true;
        program.used.push_back({program.names[name.id].text, place_of(unit.name, unit.source, name.at)});
    }
}

}  // namespace

std::uint32_t Loading::load(std::string name, std::string_view source)
{
    const auto index = static_cast<std::uint32_t>(program->units.size());
    known.emplace(name, index);
    Unit& unit = *program->units.emplace_back(std::make_unique<Unit>());
    unit.name = std::move(name);
    unit.source = normalised(source.substr(0, kMaxSource + 1));
    check_source(unit, source);
    ++depth;
    TemplateParser parser(*this, unit);
    parser.parse();
    --depth;
    if (used.size() <= index) used.resize(index + 1);
    used[index] = parser.take_used();
    return index;
}

std::optional<Included> Loading::find(const std::string& name, const Unit& by) const
{
    return includes ? includes(name, by.name) : std::nullopt;
}

std::uint32_t Loading::include(Included found)
{
    if (const auto place = known.find(found.name); place != known.end()) return place->second;
    return load(std::move(found.name), found.source);
}

std::shared_ptr<const Program> parse_template(std::string name, std::string_view source, const Includes& includes)
{
    Loading loading(includes);
    loading.load(std::move(name), source);
    Program& program = *loading.program;
    program.loop = loading.names.id("loop");
    note_used_names(program, *program.units[0], loading.used[0]);
    return loading.program;
}

std::shared_ptr<const Program> parse_expression(std::string name, std::string_view source)
{
    auto program = std::make_shared<Program>();
    NameTable names(*program);
    program->loop = names.id("loop");
    Unit& unit = *program->units.emplace_back(std::make_unique<Unit>());
    unit.name = std::move(name);
    unit.source = normalised(source.substr(0, kMaxSource + 1));
    check_source(unit, source);
    ExpressionParser parser(unit, names, Lexer::Mode::variable);
    unit.expression.push_back(parser.parse_expression());
    parser.expect_end();
    note_used_names(*program, unit, parser.take_used());
    return program;
}

}  // namespace cadre::text::tpl
