// One rule, ready to be asked. Immutable; from any thread.
#pragma once

#include "guardrails/pattern_syntax.hpp"
#include "guardrails/policy.hpp"
#include "schema/schema.hpp"
#include "text/encoder.hpp"
#include "text/pii.hpp"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace re2 {
class RE2;
}

namespace cadre::guardrails {

/// Something that a rule is about, in folded text.
struct Span {
    std::size_t begin = 0;
    std::size_t end = 0;
    std::string_view mask{};
};

struct CompiledRule {
    std::size_t policy = 0;  // of the set
    std::size_t number = 0;  // of the policy's rules
    Kind kind = Kind::max_length;
    Action action = Action::warn;
    std::optional<model::RulePlace> on{};

    std::size_t length = 0;               // lengths
    std::unique_ptr<re2::RE2> pattern{};  // regex, keywords
    std::vector<PatternNode> trees{};     // the same for the automaton; none: it cannot know it
    text::PiiKinds pii{};
    std::vector<std::string> hosts{};
    double at = 0;  // injection, similar
    std::optional<schema::Schema> schema{};
    const text::Encoder* encoder = nullptr;
    std::vector<std::vector<float>> phrases{};  // similar
    /// Why it cannot be decided while text streams; empty: it can.
    std::string whole{};

    CompiledRule();
    CompiledRule(CompiledRule&&) noexcept;
    CompiledRule& operator=(CompiledRule&&) noexcept;
    ~CompiledRule();

    /// Whether it is about places in the text: regex, keywords, pii, urls.
    bool finds() const { return pattern != nullptr || !pii.empty() || kind == Kind::urls; }
};

/// Throws Error(invalid) that says what is wrong with the rule and how to mend it.
CompiledRule compile_rule(const Rule& rule, Action action, const text::Encoder* encoder);

/// What it finds in `folded` from `from` on; what stands before is only looked back at.
void find_spans(const CompiledRule& rule, const std::string& folded, std::size_t from, std::vector<Span>& spans);

/// Of rules that are about the text as a whole (schema, injection, similar): what is wrong with it, without quoting it, or nothing.
/// Throws where it cannot tell.
std::optional<std::string> broken_by(const CompiledRule& rule, std::string_view text);

}  // namespace cadre::guardrails
