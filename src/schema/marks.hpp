// Which members or elements of one value have been looked at, for `unevaluatedProperties` and `unevaluatedItems`.
#pragma once

#include <boost/json/value.hpp>

#include <cstddef>
#include <vector>

namespace cadre::schema {

class Marks {
public:
    explicit Marks(const boost::json::value& value) : marks_(parts_of(value)) {}

    static std::size_t parts_of(const boost::json::value& value)
    {
        if (const auto* object = value.if_object()) return object->size();
        const auto* array = value.if_array();
        return array ? array->size() : 0;
    }

    void mark(std::size_t index) { marks_[index] = true; }
    void mark_all() { marks_.assign(marks_.size(), true); }
    void merge(const Marks& other)
    {
        for (std::size_t i = 0; i < marks_.size(); ++i)
            if (other.marks_[i]) marks_[i] = true;
    }
    bool has(std::size_t index) const { return marks_[index]; }

private:
    std::vector<bool> marks_;
};

}  // namespace cadre::schema
