// The streams of a task: which paths there are, and what each of them tells. The routes, the filter and the AsyncAPI document are made of
// this one table.
#pragma once

#include <span>
#include <string_view>
#include <vector>

namespace cadre::server {

struct StreamKind {
    std::string_view name{};    // last part of its path
    std::string_view events{};  // how the types of its events begin; empty: it has none
    bool has_text = false;      // what models write
    std::string_view doc{};
    std::string_view requirements{};
};

/// What a reader wants to hear: one kind of stream, or several at once.
struct StreamFilter {
    bool has_text = false;
    std::vector<std::string_view> events{};  // how types begin

    void add(const StreamKind& kind);
    bool tells(std::string_view type) const;
};

std::span<const StreamKind> stream_kinds();
/// Null: there is none of that name.
const StreamKind* find_stream_kind(std::string_view name);

}  // namespace cadre::server
