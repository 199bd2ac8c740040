// The names that a template or an expression may use, and their values.
#pragma once

#include "text/template/value.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace cadre::text {

/// A few names; those of `outer`, which must outlive it, are visible unless they are set here, too.
class Scope {
public:
    explicit Scope(const Scope* outer = nullptr) : outer_(outer) {}

    Scope& set(std::string_view name, Value value);
    /// Null when there is none.
    const Value* find(std::string_view name) const;
    std::vector<std::string> names() const;

private:
    struct Named {
        std::string name;
        Value value;
    };

    const Scope* outer_;
    std::vector<Named> values_{};
};

}  // namespace cadre::text
