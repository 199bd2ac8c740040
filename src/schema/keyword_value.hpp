// The value of one keyword of one schema, read as what it must be. Every reader throws Error(invalid) that names the place.
#pragma once

#include "schema/documents.hpp"
#include "schema/number.hpp"
#include "schema/types.hpp"

#include <boost/json/value.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace cadre::schema {

struct KeywordValue {
    const Documents& documents;
    const Site& site;
    std::string_view keyword;
    const json::value& value;

    std::string_view text() const;
    bool flag() const;
    Number number() const;
    Number positive_number() const;
    std::size_t count() const;
    const json::array& list() const;
    const json::object& map() const;
    std::vector<std::string> names() const;
    Types types() const;

    [[noreturn]] void fail(const std::string& text) const { documents.fail(site, keyword, text); }
};

}  // namespace cadre::schema
