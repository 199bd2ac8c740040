// Where schemas stand, for messages: a tree of pointer tokens, cheap to keep, put together when somebody asks.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace cadre::schema {

using PlaceId = std::uint32_t;

class Places {
public:
    /// A document: "" for the main one, "https://example.com/a#" for others.
    PlaceId add_root(std::string text) { return add(0, std::move(text), true); }
    PlaceId add_child(PlaceId parent, std::string token) { return add(parent, std::move(token), false); }

    /// "/properties/a", or "https://example.com/a#/properties/a"
    std::string path(PlaceId place) const;

private:
    struct Place {
        PlaceId parent;
        bool root;
        std::string token;
    };

    PlaceId add(PlaceId parent, std::string token, bool root)
    {
        places_.push_back({parent, root, std::move(token)});
        return static_cast<PlaceId>(places_.size() - 1);
    }

    std::vector<Place> places_;
};

}  // namespace cadre::schema
