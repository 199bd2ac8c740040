// Golden files that hold a list of JSON texts of one type: each must come back to the letter.
#pragma once

#include "base/json.hpp"
#include "model/read.hpp"
#include "model/write.hpp"
#include "support/golden.hpp"

#include <boost/json.hpp>
#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace cadre::test {

/// Reads every element of tests/golden/`name` as a T and compares what is written. Returns them for more questions.
template <class T>
std::vector<T> read_golden_list(const std::string& name)
{
    std::vector<T> list;
    const json::value file = parse_json(golden(name));
    for (const json::value& element : file.as_array()) {
        const std::string text = to_text(element);
        CAPTURE(text);
        list.push_back(model::from_json<T>(element));
        CHECK(model::to_json_text(list.back()) == text);
        CHECK(model::from_text<T>(text) == list.back());
        CHECK(model::problems_of(list.back()).text() == "");
    }
    return list;
}

}  // namespace cadre::test
