// From a source to a Program.
#pragma once

#include "text/template/included.hpp"
#include "text/template/syntax.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace cadre::text::tpl {

/// A template that another one, `by`, includes, by the name that it says; nothing when there is none.
using Includes = std::function<std::optional<Included>(std::string_view name, std::string_view by)>;

std::shared_ptr<const Program> parse_template(std::string name, std::string_view source, const Includes& includes);
std::shared_ptr<const Program> parse_expression(std::string name, std::string_view source);

}  // namespace cadre::text::tpl
