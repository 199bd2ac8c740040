#include "schema/pattern.hpp"

#include "base/error.hpp"
#include "schema/budget.hpp"
#include "schema/ecma_pattern.hpp"
#include "schema/quote.hpp"

#include <fmt/core.h>
#include <re2/re2.h>

namespace cadre::schema {

namespace {

constexpr std::size_t kWorkAStep = 16;  // bytes of text times instructions of the pattern

std::unique_ptr<re2::RE2> compiled(const std::string& re2_text, std::size_t memory)
{
    re2::RE2::Options options(re2::RE2::Quiet);
    options.set_never_capture(true);
    options.set_max_mem(static_cast<std::int64_t>(memory));
    return std::make_unique<re2::RE2>(re2_text, options);
}

}  // namespace

Pattern::Pattern(std::string_view ecma, std::size_t memory) : text_(ecma)
{
    const Translation translation = to_re2(ecma);
    if (!translation.unsupported.empty())
        throw Error(Code::invalid, fmt::format("the pattern {} uses {}, which cannot be matched in linear time",
                                               quoted_whole(ecma), translation.unsupported));
    regex_ = compiled(translation.re2, memory);
    if (!regex_->ok())
        throw Error(Code::invalid, fmt::format("the pattern {} is refused: {}", quoted_whole(ecma), regex_->error()));
    size_ = static_cast<std::size_t>(regex_->ProgramSize());
}

Pattern::Pattern(Pattern&&) noexcept = default;
Pattern::~Pattern() = default;

bool Pattern::found_in(std::string_view text, Budget& budget) const
{
    budget.spend(1 + text.size() * size_ / kWorkAStep);
    return re2::RE2::PartialMatch(re2::StringPiece(text.data(), text.size()), *regex_);
}

bool is_pattern(std::string_view ecma)
{
    try {
        return compiled(to_re2(ecma).re2, 1 << 20)->ok();
    } catch (const Error&) {
        return false;
    }
}

}  // namespace cadre::schema
