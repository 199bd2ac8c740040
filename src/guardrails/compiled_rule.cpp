#include "guardrails/compiled_rule.hpp"

#include "base/error.hpp"
#include "base/json.hpp"
#include "base/redact.hpp"
#include "guardrails/injection.hpp"
#include "guardrails/nfa.hpp"
#include "guardrails/urls.hpp"
#include "text/fold.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace cadre::guardrails {

namespace {

constexpr std::size_t kLongestPattern = 64 << 10;
constexpr std::size_t kMostWords = 100'000;
constexpr std::size_t kMostSteps = 20'000;
constexpr JsonLimits kAnswerLimits{.bytes = std::size_t{16} << 20, .depth = 128, .nodes = 1'000'000};

[[noreturn]] void refuse(const std::string& why)
{
    throw Error(Code::invalid, why);
}

std::unique_ptr<re2::RE2> compiled(const std::string& pattern)
{
    re2::RE2::Options options(re2::RE2::Quiet);
    options.set_case_sensitive(false);
    options.set_longest_match(true);  // so that a mask covers all of it
    auto regex = std::make_unique<re2::RE2>(pattern, options);
    if (!regex->ok())
        refuse(fmt::format("is not a pattern: {}; mend it (patterns are RE2's: no look-around, no back references)",
                           regex->error()));
    return regex;
}

double fraction_of(const boost::json::value& value, double otherwise)
{
    if (value.is_null()) return otherwise;
    const double number = value.is_number() ? value.to_number<double>() : -1;
    if (!(number > 0 && number <= 1)) refuse("must be a number above 0 and up to 1");
    return number;
}

std::vector<std::string> texts_of(const boost::json::value& value, std::string_view what)
{
    const auto* list = value.if_array();
    if (!list || list->empty()) refuse(fmt::format("must be a list of {}", what));
    if (list->size() > kMostWords) refuse(fmt::format("has {} {}, more than {}", list->size(), what, kMostWords));
    std::vector<std::string> texts;
    for (const boost::json::value& one : *list) {
        if (!one.is_string() || one.get_string().empty()) refuse(fmt::format("must be a list of {}", what));
        texts.emplace_back(one.get_string());
    }
    return texts;
}

std::size_t length_of(const boost::json::value& value)
{
    const double number = value.is_number() ? value.to_number<double>() : -1;
    if (!(number >= 0 && number == std::trunc(number) && number < 1e15)) refuse("must be a whole number of at least 0");
    return static_cast<std::size_t>(number);
}

void add_tree(CompiledRule& out, const std::string& pattern)
{
    ParsedPattern parsed = parse_pattern(pattern);
    if (parsed.unsupported.empty() && parsed.root.shortest() == 0)
        refuse("matches where nothing is, and so everywhere: demand at least one character");
    if (!parsed.unsupported.empty()) out.whole = fmt::format("its pattern uses {}", parsed.unsupported);
    else if (holds_over_blanks(parsed.root)) out.whole = "its pattern can stay open over any number of blanks";
    else if (parsed.root.steps() > kMostSteps) out.whole = "its pattern is too large to be followed step by step";
    if (out.whole.empty()) out.trees.push_back(std::move(parsed.root));
}

void compile_regex(const boost::json::value& value, CompiledRule& out)
{
    if (!value.is_string() || value.get_string().empty()) refuse("must be a pattern, as text");
    const std::string source(value.get_string());
    if (source.size() > kLongestPattern)
        refuse(fmt::format("is a pattern of {} bytes, more than {}", source.size(), kLongestPattern));
    compiled(source);  // the error, if any, is about what was written
    const std::string usual = usual_pattern(source);
    out.pattern = compiled(usual);
    if (re2::RE2::FullMatch("", *out.pattern))
        refuse("matches where nothing is, and so everywhere: demand at least one character");
    add_tree(out, usual);
}

void compile_keywords(const boost::json::value& value, CompiledRule& out)
{
    std::string all;
    for (const std::string& word : texts_of(value, "words")) {
        const std::string pattern = keyword_pattern(word);
        if (pattern.empty()) refuse(fmt::format("has a word of invisible characters: {}", in_quotes(word)));
        add_tree(out, pattern);
        all.append(all.empty() ? "" : "|").append(pattern);
    }
    out.pattern = compiled(all);
}

void compile_pii(const boost::json::value& value, CompiledRule& out)
{
    out.pii = value.is_null() ? text::PiiKinds::all() : text::PiiKinds();
    if (value.is_null()) return;
    for (const std::string& name : texts_of(value, "kinds")) {
        const auto kind = text::find_pii_kind(name);
        if (!kind)
            refuse(
                fmt::format("names {}, which is not one of email, phone, ssn, card, iban, ip, mac", in_quotes(name)));
        out.pii.add(*kind);
    }
}

void compile_similar(const boost::json::value& value, const text::Encoder* encoder, CompiledRule& out)
{
    const auto* object = value.if_object();
    if (!object) refuse(R"(must be {"phrases": [...], "at": 0.8})");
    if (!encoder) refuse("needs an encoder, and none is configured: configure one, or use keywords");
    const auto* phrases = object->if_contains("phrases");
    const std::vector<std::string> texts = texts_of(phrases ? *phrases : boost::json::value(), "phrases");
    const auto* at = object->if_contains("at");
    out.at = fraction_of(at ? *at : boost::json::value(), 0.8);
    out.encoder = encoder;
    out.phrases = encoder->encode(std::vector<std::string_view>(texts.begin(), texts.end()));
    out.whole = "it is about the meaning of the whole text";
}

void compile_urls(const boost::json::value& value, CompiledRule& out)
{
    const auto* object = value.if_object();
    const auto* hosts = object ? object->if_contains("hosts") : nullptr;
    for (const std::string& host : texts_of(hosts ? *hosts : value, "hosts"))
        out.hosts.push_back(text::fold(host).text);
}

std::optional<std::string> schema_fault(const CompiledRule& rule, std::string_view text)
{
    try {
        const schema::Findings findings = rule.schema->validate(parse_json(text, kAnswerLimits));
        if (findings.empty()) return std::nullopt;
        std::string places;
        for (const schema::Finding& finding : findings) {
            const std::string place = finding.value_path.empty() ? "its root" : finding.value_path;
            if (places.find(place) == places.npos) places.append(places.empty() ? "" : ", ").append(place);
        }
        return fmt::format("is not as its schema says, at {}", places);
    } catch (const Error& error) {
        if (error.code() == Code::malformed) return "is not JSON";
        throw;
    }
}

}  // namespace

CompiledRule::CompiledRule() = default;
CompiledRule::CompiledRule(CompiledRule&&) noexcept = default;
CompiledRule& CompiledRule::operator=(CompiledRule&&) noexcept = default;
CompiledRule::~CompiledRule() = default;

CompiledRule compile_rule(const Rule& rule, Action action, const text::Encoder* encoder)
{
    CompiledRule out;
    out.kind = rule.kind;
    out.action = action;
    out.on = rule.on;
    switch (rule.kind) {
    case Kind::max_length:
    case Kind::min_length:
    case Kind::max_calls: out.length = length_of(rule.value); break;
    case Kind::regex: compile_regex(rule.value, out); break;
    case Kind::keywords: compile_keywords(rule.value, out); break;
    case Kind::pii: compile_pii(rule.value, out); break;
    case Kind::schema:
        out.schema = schema::Schema::compile(rule.value);
        out.whole = "a schema is about whole answers";
        break;
    case Kind::injection:
        out.at = fraction_of(rule.value, 0.5);
        out.whole = "its score is of the whole text";
        break;
    case Kind::similar: compile_similar(rule.value, encoder, out); break;
    case Kind::urls: compile_urls(rule.value, out); break;
    }
    if (rule.kind == Kind::max_calls) {
        if (action == Action::ask)
            refuse("counts calls, and there is no call to approve yet: use block, warn or log instead of ask");
        if (rule.on == model::RulePlace::output || rule.on == model::RulePlace::tool_result)
            refuse("counts calls, and none begins there: say on: input or on: tool_call");
    }
    const bool masks = out.finds() || out.kind == Kind::max_length;
    if (action == Action::rewrite && !masks)
        refuse("finds nothing that could be masked: use block, ask, warn or log instead of rewrite");
    return out;
}

void find_spans(const CompiledRule& rule, const std::string& folded, std::size_t from, std::vector<Span>& spans)
{
    if (rule.pattern) {
        re2::StringPiece match;
        for (std::size_t at = from; at < folded.size();) {
            if (!rule.pattern->Match(folded, at, folded.size(), re2::RE2::UNANCHORED, &match, 1)) break;
            const auto begin = static_cast<std::size_t>(match.data() - folded.data());
            spans.push_back({begin, begin + match.size(), kMasked});
            at = begin + std::max<std::size_t>(match.size(), 1);
        }
    }
    if (!rule.pii.empty())
        for (const text::PiiMatch& match : text::find_pii(folded, rule.pii, from))
            spans.push_back({match.begin, match.end, text::mask_of(match.kind)});
    if (rule.kind == Kind::urls)
        for (const UrlMatch& url : find_urls(folded, from))
            if (!is_allowed(url.host, rule.hosts)) spans.push_back({url.begin, url.end, "[URL]"});
}

std::optional<std::string> broken_by(const CompiledRule& rule, std::string_view text)
{
    if (rule.kind == Kind::schema) return schema_fault(rule, text);
    if (rule.kind == Kind::injection) {
        const InjectionScore found = injection_score(text);
        if (found.score < rule.at) return std::nullopt;
        return fmt::format("scores {:.2f} of {:.2f}: {}", found.score, rule.at, fmt::join(found.reasons, ", "));
    }
    if (rule.kind == Kind::similar) {
        const std::string_view texts[] = {text};
        const auto vectors = rule.encoder->encode(texts);
        double best = -1;
        for (const auto& phrase : rule.phrases) {
            if (phrase.size() != vectors.at(0).size())
                throw Error(Code::internal, fmt::format("encoder {} gave vectors of two lengths", rule.encoder->id()));
            best = std::max<double>(best, std::inner_product(phrase.begin(), phrase.end(), vectors.at(0).begin(), 0.0));
        }
        if (best < rule.at) return std::nullopt;
        return fmt::format("is {:.2f} alike to what is not wanted, of {:.2f}", best, rule.at);
    }
    return std::nullopt;
}

}  // namespace cadre::guardrails
