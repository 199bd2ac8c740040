// Who deals with a request: one entry, several where it asks for several things, or nobody.
#pragma once

#include "text/route/classifier.hpp"

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace cadre::text::route {

struct Terms {
    double threshold = 0.7;  // surer than this: it is so
    std::size_t most = 3;    // entries that are named
};

struct Part {
    std::string text{};
    std::size_t entry = 0;
    double confidence = 0;
};

struct Choice {
    std::vector<Part> parts{};     // in the order in which the request names them; one, unless it is compound
    double confidence = 0;         // of the least sure part
    std::vector<Standing> next{};  // who else might, of a request that is not compound
    bool ambiguous = false;        // the second one is about as likely as the first
    bool out_of_scope = false;     // it belongs to none of them; the part names the closest
    std::string nearest{};         // the example that is most like it

    bool is_compound() const { return parts.size() > 1; }
};

/// How far apart the best two are at least, where one of them is clearly meant.
inline constexpr double kAmbiguousWithin = 0.15;

Choice choose(const Classifier& classifier, std::string_view text, const Terms& terms = {});

/// Where a text may be cut in two: the end of the first half and the start of the second.
struct Cut {
    std::size_t end = 0;
    std::size_t start = 0;

    bool operator==(const Cut&) const = default;
};
/// At ends of sentences, semicolons, and words such as "and" and "then".
std::vector<Cut> cuts_of(std::string_view text);

}  // namespace cadre::text::route
