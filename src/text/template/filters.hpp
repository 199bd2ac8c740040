// The filters and tests of the language.
#pragma once

#include "text/template/arguments.hpp"
#include "text/template/value.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace cadre::text::tpl {

class Meter;

struct Filter {
    std::string_view name;
    Value (*run)(const Value& value, const Arguments& arguments, Meter& meter);
};

struct Test {
    std::string_view name;
    bool (*run)(const Value& value, const Arguments& arguments, Meter& meter);
};

const Filter* find_filter(std::string_view name);
const Test* find_test(std::string_view name);
const std::vector<std::string>& filter_names();
const std::vector<std::string>& test_names();

// by what they are about; each table is in a file of its own
const std::vector<Filter>& text_filters();
const std::vector<Filter>& number_filters();
const std::vector<Filter>& list_filters();
const std::vector<Filter>& lazy_filters();
const std::vector<Test>& all_tests();

}  // namespace cadre::text::tpl
