// calculator: arithmetic, exact where whole numbers allow it.
#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace cadre::tools {

class Tool;

/// The value of `+ - * / % ^`, parentheses, sqrt abs min max round floor ceil, pi and e. Whole numbers of up to 36 digits are
/// exact; everything else is a double, shown with 15 digits. Throws Error(invalid) that says what is wrong and where.
std::string calculate(std::string_view expression);

std::shared_ptr<Tool> calculator_tool();

}  // namespace cadre::tools
