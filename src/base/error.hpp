// The one failure type. Throw it when an operation cannot go on; its text is for the person who reads it. Its codes are in
// include/cadre/code.hpp, because those who embed us see them.
#pragma once

#include "cadre/code.hpp"

#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

namespace cadre {

/// What an error code looks like from outside.
struct Surface {
    int http = 500;
    int exit = 1;
};

/// The only place where an error becomes a number.
Surface surface(Code code);

/// The code of that name; Code::internal for a name that no release ever had.
Code code_of(std::string_view name);

/// What to do about an error, where that is a verb of ours: each door words it in its own way.
struct Hint {
    std::string purpose{};  // "to watch it"
    std::string verb{};     // with its arguments: "tail -f 3f2b8c1e"
};

class Error : public std::runtime_error {
public:
    Error(Code code, const std::string& text, Hint hint = {})
        : std::runtime_error(text), code_(code), hint_(std::move(hint))
    {}

    Code code() const { return code_; }
    /// Without a verb: there is none.
    const Hint& hint() const { return hint_; }

private:
    Code code_;
    Hint hint_;
};

/// Foreign text inside an error's text: in quotes, escaped as in JSON, and cut when long.
std::string in_quotes(std::string_view text);

}  // namespace cadre
