#include "text/template/scope.hpp"

namespace cadre::text {

Scope& Scope::set(std::string_view name, Value value)
{
    for (Named& known : values_) {
        if (known.name != name) continue;
        known.value = std::move(value);
        return *this;
    }
    values_.push_back({std::string(name), std::move(value)});
    return *this;
}

const Value* Scope::find(std::string_view name) const
{
    for (const Named& known : values_)
        if (known.name == name) return &known.value;
    return outer_ ? outer_->find(name) : nullptr;
}

std::vector<std::string> Scope::names() const
{
    std::vector<std::string> all = outer_ ? outer_->names() : std::vector<std::string>();
    for (const Named& known : values_) all.push_back(known.name);
    return all;
}

}  // namespace cadre::text
