// Why a text is refused as JSON, and where.
#pragma once

#include "base/error.hpp"

#include <cstddef>
#include <string>

namespace cadre {

/// Both count from 1; a column is a character, not a byte.
struct JsonPlace {
    std::size_t line = 1;
    std::size_t column = 1;
};

enum class JsonFlaw { syntax, duplicate_key, limit };

/// Its text is the place and the reason: `line 3, column 14: the text ends too early`.
class JsonError : public Error {
public:
    JsonError(JsonFlaw flaw, JsonPlace at, std::string reason);

    JsonFlaw flaw() const { return flaw_; }
    JsonPlace at() const { return at_; }
    const std::string& reason() const { return reason_; }

private:
    JsonFlaw flaw_;
    JsonPlace at_;
    std::string reason_;
};

}  // namespace cadre
