// For tests: CHECK(text == Has("part of it")).
#pragma once

#include <ostream>
#include <string>

namespace cadre::mcp::test {

struct Has {
    explicit Has(std::string text) : part(std::move(text)) {}
    friend bool operator==(const std::string& text, const Has& has) { return text.find(has.part) != text.npos; }
    friend std::ostream& operator<<(std::ostream& out, const Has& has) { return out << "… " << has.part << " …"; }

    std::string part;
};

}  // namespace cadre::mcp::test
