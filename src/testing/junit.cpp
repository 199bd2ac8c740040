#include "testing/junit.hpp"

#include "base/utf8.hpp"

#include <fmt/core.h>

#include <algorithm>

namespace cadre::testing {
namespace {

/// What XML 1.0 does not allow, not even as a reference, becomes a question mark.
std::string xml_text(std::string_view text)
{
    std::string out;
    while (!text.empty()) {
        const std::size_t length = utf8_length(text);
        const std::string_view character = text.substr(0, std::max<std::size_t>(1, length));
        const auto byte = static_cast<unsigned char>(text[0]);
        const bool is_control = byte < 0x20 && text[0] != '\n' && text[0] != '\t';
        const bool is_none = length == 0 || character == "\xef\xbf\xbe" || character == "\xef\xbf\xbf";
        if (character == "&") out += "&amp;";
        else if (character == "<") out += "&lt;";
        else if (character == ">") out += "&gt;";
        else if (character == "\"") out += "&quot;";
        else if (character == "\n") out += "&#10;";  // in attributes a bare one is a space
        else if (is_control || is_none) out += '?';
        else out += character;
        text.remove_prefix(character.size());
    }
    return out;
}

std::string seconds_text(Millis time)
{
    return fmt::format("{}.{:03}", time.count() / 1000, time.count() % 1000);
}

struct Counts {
    std::size_t failed = 0;
    Millis time{0};
};

Counts counts_of(std::span<const CaseResult> results)
{
    Counts counts;
    for (const CaseResult& result : results) {
        counts.failed += result.passed() ? 0 : 1;
        counts.time += result.took;
    }
    return counts;
}

std::string attributes_of(std::span<const CaseResult> results)
{
    const Counts counts = counts_of(results);
    return fmt::format("tests=\"{}\" failures=\"{}\" errors=\"0\" time=\"{}\"", results.size(), counts.failed,
                       seconds_text(counts.time));
}

std::string case_text(const CaseResult& result)
{
    std::string text = fmt::format("    <testcase name=\"{}\" classname=\"{}\" file=\"{}\" line=\"{}\" time=\"{}\"",
                                   xml_text(result.name), xml_text(result.suite), xml_text(result.file), result.at.line,
                                   seconds_text(result.took));
    if (result.passed()) return text + "/>\n";
    std::string what, all;
    for (const Difference& difference : result.differences) {
        what += (what.empty() ? "" : ", ") + difference.what;
        all += fmt::format("{}:\n{}\n", difference.what, difference.text);
    }
    return text + fmt::format(">\n      <failure message=\"{}\">{}</failure>\n    </testcase>\n", xml_text(what),
                              xml_text(all));
}

}  // namespace

std::string junit_text(std::span<const CaseResult> results)
{
    std::string text =
        fmt::format("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites {}>\n", attributes_of(results));
    for (auto rest = results; !rest.empty();) {
        const auto end = std::ranges::find_if(rest, [&](const CaseResult& one) { return one.file != rest[0].file; });
        const auto suite = rest.first(static_cast<std::size_t>(end - rest.begin()));
        text += fmt::format("  <testsuite name=\"{}\" {}>\n", xml_text(suite[0].suite), attributes_of(suite));
        for (const CaseResult& result : suite) text += case_text(result);
        text += "  </testsuite>\n";
        rest = rest.subspan(suite.size());
    }
    return text + "</testsuites>\n";
}

}  // namespace cadre::testing
