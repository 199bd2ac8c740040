#include "guardrails/injection.hpp"

#include "base/ascii.hpp"
#include "text/code_point.hpp"
#include "text/fold.hpp"

#include <re2/re2.h>

#include <memory>

namespace cadre::guardrails {

namespace {

struct Sign {
    std::string_view reason;
    double weight;
    std::string_view pattern;  // over folded text
};

// Weights: how sure one is on seeing only this.
constexpr Sign kSigns[] = {
    {"orders to ignore instructions", 0.7,
     R"(\b(?:ignore|disregard|forget|override|bypass)\b[^.\n]{0,40}\b(?:previous|prior|above|earlier|all|any|your|the|system)\b)"
     R"([^.\n]{0,30}\b(?:instructions?|prompts?|rules?|directions?|guidelines?|guardrails?|context|orders)\b)"},
    {"orders to ignore instructions", 0.7,
     R"(\b(?:ignoriere|vergiss|missachte)\b[^.\n]{0,40}\b(?:anweisungen|regeln|vorgaben|befehle)\b)"},
    {"orders to ignore instructions", 0.7,
     R"(\b(?:ignora|olvida|ignorez|oubliez)\b[^.\n]{0,40}\b(?:instrucciones|reglas|instructions|consignes)\b)"},
    {"asks for the instructions", 0.5,
     R"(\b(?:reveal|print|show|repeat|output|leak|tell me)\b[^.\n]{0,40}\b(?:system prompt|hidden prompt|initial instructions|)"
     R"(your instructions|your prompt|the prompt above)\b)"},
    {"gives the model another role", 0.4,
     R"(\b(?:you are now|from now on you|act as (?:an? )?(?:unrestricted|jailbroken|dan)|pretend (?:to be|you are)|)"
     R"(developer mode|jailbreak|do anything now)\b)"},
    {"asks for secrecy", 0.4,
     R"(\b(?:do not|don't|never) (?:tell|inform|mention|reveal|alert)\b[^.\n]{0,30}\b(?:user|human|anyone|operator)\b)"},
    {"sends data elsewhere", 0.4,
     R"(\b(?:send|post|forward|upload|exfiltrate|email)\b[^.\n]{0,60}\b(?:to )?(?:https?://|[a-z0-9._-]{1,64}@[a-z0-9-]{1,63}\.))"},
    {"orders to the model", 0.3,
     R"(\b(?:new|updated|important) (?:system )?(?:instructions?|directives?|prompt)\s{0,3}:|\bai (?:assistant|model|agent)\b)"
     R"([^.\n]{0,20}\b(?:must|should|please)\b)"},
    {"markers of a role", 0.6,
     R"(<\|(?:im_start|im_end|system|user|assistant|endoftext|start_header_id|end_header_id|eot_id)\|>|\[/?inst\]|<</?sys>>|)"
     R"(</?(?:system|assistant|tool_result|function_results?)>)"},
    {"markers of a role", 0.35, R"((?m)^[#*\s]{0,4}(?:system|assistant|developer)\s{0,2}(?:prompt|message)?\s{0,2}:)"},
    {"an image whose address carries data", 0.5, R"(!\[[^\]\n]{0,200}\]\(\s{0,4}https?://[^)\s]{1,500}\?[^)\s]+)"},
    {"an image whose address carries data", 0.5,
     R"(<img\b[^>\n]{0,200}src\s{0,3}=\s{0,3}["']?https?://[^"'>\s]{1,500}\?)"},
};

constexpr std::size_t kLongBase64 = 120;
constexpr std::size_t kManyHidden = 4;

struct CompiledSign {
    const Sign* sign;
    std::unique_ptr<re2::RE2> pattern;
};

const std::vector<CompiledSign>& compiled_signs()
{
    static const auto* all = [] {
        auto* compiled = new std::vector<CompiledSign>;
        re2::RE2::Options options(re2::RE2::Quiet);
        options.set_never_capture(true);
        for (const Sign& sign : kSigns)
            compiled->push_back({&sign, std::make_unique<re2::RE2>(
                                            re2::StringPiece(sign.pattern.data(), sign.pattern.size()), options)});
        return compiled;
    }();
    return *all;
}

/// Unseen characters that text of no language needs in a row: tags, zero-width ones, direction marks. Joiners and the selectors
/// of emoji (U+200D, U+FE00 to U+FE0F) are taken for what they usually are.
bool has_hidden_characters(std::string_view text)
{
    std::size_t hidden = 0, tags = 0;
    text::each_code_point(text, [&](char32_t c, std::size_t) {
        if (c < 0x80 || text::folded(c) != text::kNotSeen || c == 0xAD || c == 0x200C || c == 0x200D) return;
        if (c >= 0xFE00 && c <= 0xFE0F) return;
        ++hidden;
        tags += c >= 0xE0020 && c <= 0xE007E;
    });
    return hidden >= kManyHidden || tags > 0;
}

/// One that mixes cases and digits: a long word, a path or hex does not.
bool has_long_base64(std::string_view text)
{
    std::size_t run = 0;
    bool upper = false, small = false, digit = false;
    for (const char c : text) {
        if (!is_letter(c) && !is_digit(c) && c != '+' && c != '/' && c != '=' && c != '-' && c != '_') {
            run = 0;
            upper = small = digit = false;
            continue;
        }
        upper |= c >= 'A' && c <= 'Z';
        small |= c >= 'a' && c <= 'z';
        digit |= is_digit(c);
        if (++run >= kLongBase64 && upper && small && digit) return true;
    }
    return false;
}

}  // namespace

InjectionScore injection_score(std::string_view text)
{
    InjectionScore found;
    double harmless = 1;
    const auto add = [&](std::string_view reason, double weight) {
        harmless *= 1 - weight;
        if (found.reasons.empty() || found.reasons.back() != reason) found.reasons.push_back(reason);
    };
    const std::string folded = text::fold(text).text;
    for (const CompiledSign& one : compiled_signs())
        if (re2::RE2::PartialMatch(folded, *one.pattern)) add(one.sign->reason, one.sign->weight);
    if (has_hidden_characters(text)) add("hidden characters", 0.5);
    if (has_long_base64(text)) add("long base64", 0.3);
    found.score = 1 - harmless;
    return found;
}

}  // namespace cadre::guardrails
