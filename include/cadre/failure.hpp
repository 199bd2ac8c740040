// Failure: what the library throws.
#pragma once

#include "cadre/code.hpp"
#include "cadre/export.hpp"

#include <stdexcept>
#include <string>

namespace cadre {

/// What could not be done: `what()` in words for people, `code()` for programs.
class CADRE_API Failure : public std::runtime_error {
public:
    Failure(Code code, const std::string& text) : std::runtime_error(text), code_(code) {}
    Code code() const { return code_; }

private:
    Code code_;
};

}  // namespace cadre
