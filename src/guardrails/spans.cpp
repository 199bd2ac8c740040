#include "guardrails/spans.hpp"

#include <algorithm>

namespace cadre::guardrails {

std::string masked(std::string_view text, const text::Folded& folded, std::size_t from, std::vector<Span> spans)
{
    std::ranges::sort(spans, [](const Span& a, const Span& b) {
        return a.begin != b.begin ? a.begin < b.begin : a.end != b.end ? a.end > b.end : a.mask < b.mask;
    });
    std::string out;
    std::size_t done = 0;
    for (std::size_t i = 0; i < spans.size();) {
        std::size_t end = spans[i].end, next = i + 1;
        for (; next < spans.size() && spans[next].begin < end; ++next) end = std::max(end, spans[next].end);
        const std::size_t begin_here = folded.place(spans[i].begin - from);
        out.append(text.substr(done, begin_here - done)).append(spans[i].mask);
        done = folded.end_place(end - from, text);
        i = next;
    }
    return out.append(text.substr(done));
}

}  // namespace cadre::guardrails
