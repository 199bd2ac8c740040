// Arguments for a tool, of what a request names: nothing is made up, so what is not found is left out, or missing.
#pragma once

#include <boost/json/object.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace cadre::llm::local {

struct Missing {
    std::string name{};         // `city`, or `address.city`
    std::string description{};  // what its schema says of it
};

struct Filled {
    boost::json::object arguments{};
    std::vector<Missing> missing{};  // required, and not found
    int found = 0;                   // arguments that the request named
    bool found_form = false;         // one of them by its form: a sum, an address, a file

    bool is_whole() const { return missing.empty(); }
};

/// `schema`: the JSON Schema of an object. `verb`: what the tool is called, whose words are no argument.
Filled fill(const boost::json::object& schema, std::string_view request, std::string_view verb);

/// The request without what leads in to it: "search for tea in china" is "tea in china".
std::string_view without_lead(std::string_view request, std::string_view verb);

/// Whether the schema has a text argument that takes a question as it is: `query`, `question`.
std::string question_argument(const boost::json::object& schema);

}  // namespace cadre::llm::local
