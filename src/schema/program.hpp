// A compiled schema: what to check, in the order in which it is cheap, with every reference resolved.
#pragma once

#include "schema/equal.hpp"
#include "schema/formats.hpp"
#include "schema/number.hpp"
#include "schema/pattern.hpp"
#include "schema/places.hpp"
#include "schema/schema.hpp"
#include "schema/types.hpp"

#include <cstdint>
#include <deque>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace cadre::schema {

using NodeId = std::uint32_t;
using ResourceId = std::uint32_t;

inline constexpr std::size_t kNoLimit = std::numeric_limits<std::size_t>::max();

struct Range {
    std::size_t min = 0;
    std::size_t max = kNoLimit;

    bool contains(std::size_t count) const { return min <= count && count <= max; }
};

struct NumberRules {
    std::optional<Number> minimum{}, maximum{}, exclusive_minimum{}, exclusive_maximum{}, multiple_of{};
};

struct StringRules {
    Range length{};  // in characters
    const Pattern* pattern = nullptr;
    const Format* format = nullptr;
};

struct ArrayRules {
    Range size{};
    Range contained{.min = 1};  // how many elements match `contains`
    bool unique = false;
    std::vector<NodeId> prefix{};
    std::optional<NodeId> items{}, contains{}, unevaluated{};
};

/// A property that a schema mentions.
struct Member {
    std::string name{};
    std::optional<NodeId> schema{};
    bool required = false;
};

/// Rules that apply when a property is there.
struct Dependent {
    std::string property{};
    std::vector<std::string> required{};
    std::optional<NodeId> schema{};
    std::string_view keyword{};
};

struct ObjectRules {
    Range size{};
    std::vector<Member> members{};  // shorter names first
    std::size_t required = 0;       // how many of them
    std::vector<std::pair<const Pattern*, NodeId>> patterns{};
    std::optional<NodeId> additional{}, names{}, unevaluated{};
    std::vector<Dependent> dependents{};

    const Member* find_member(std::string_view name) const;
    /// Says something of a property; find_member() knows it after join_members().
    Member& add_member(std::string_view name) { return members.emplace_back(Member{.name = std::string(name)}); }
    void join_members();
};

struct DynamicRef {
    NodeId target = 0;
    std::optional<std::uint32_t> anchor{};  // looked for in the dynamic scope, from the outside in
};

/// Further schemas for the value itself.
struct Applicators {
    std::optional<NodeId> ref{};
    std::vector<DynamicRef> dynamic_refs{};
    std::vector<NodeId> all_of{}, any_of{}, one_of{};
    std::optional<NodeId> not_{}, if_{}, then_{}, else_{};
};

struct Node {
    Types types = kAnyType;
    bool never = false;  // the schema `false`
    PlaceId place = 0;
    ResourceId resource = 0;
    std::unique_ptr<NumberRules> number{};
    std::unique_ptr<StringRules> string{};
    std::unique_ptr<ArrayRules> array{};
    std::unique_ptr<ObjectRules> object{};
    std::unique_ptr<ValueSet> enumerated{};
    std::unique_ptr<json::value> constant{};
    std::unique_ptr<Applicators> applicators{};
};

struct Program {
    std::vector<Node> nodes{};  // the first is the root
    std::deque<Pattern> patterns{};
    Places places{};
    std::map<std::pair<ResourceId, std::uint32_t>, NodeId> dynamic_anchors{};
    std::size_t max_depth = 0, max_steps = 0, max_findings = 0;
};

}  // namespace cadre::schema
