// From a source to a Program.
#pragma once

#include "text/template/syntax.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace cadre::text::tpl {

/// The source of a template that another one includes, by the name that it says; nothing when there is none.
using Includes = std::function<std::optional<std::string>(std::string_view name)>;

std::shared_ptr<const Program> parse_template(std::string name, std::string_view source, const Includes& includes);
std::shared_ptr<const Program> parse_expression(std::string name, std::string_view source);

}  // namespace cadre::text::tpl
