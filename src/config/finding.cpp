#include "config/finding.hpp"

#include "base/error.hpp"
#include "base/redact.hpp"
#include "base/utf8.hpp"
#include "base/visible.hpp"
#include "config/quotes.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <tuple>

namespace cadre::config {

namespace {

/// A shorter value may be a word of our own sentences; we quote values, and so find the short ones in quotes.
constexpr std::size_t kLeastOutsideQuotes = 8;
/// As much of a value as problems show that do not call in_quotes().
constexpr std::size_t kShown = 80;

/// In a text that quotes nothing, what follows the path is our sentence, not its value: `Authorization: a secret stands …`
std::string without_credentials(const std::string& text)
{
    const std::size_t colon = text.find(": ");
    if (colon == text.npos || text.find('"') != text.npos) return redact(text);
    return redact(text.substr(0, colon)) + ": " + redact(text.substr(colon + 2));
}

void replace_all(std::string& text, std::string_view old, std::string_view by)
{
    for (std::size_t at = text.find(old); at != text.npos; at = text.find(old, at + by.size()))
        text.replace(at, old.size(), by);
}

}  // namespace

std::string Finding::place() const
{
    return at == kNowhere ? visible(file) : fmt::format("{}:{}:{}", visible(file), at.line, at.column);
}

std::string_view name_of(Severity severity)
{
    switch (severity) {
    case Severity::note: return "note";
    case Severity::warning: return "warning";
    case Severity::error: break;
    }
    return "error";
}

std::string Finding::line() const
{
    return severity == Severity::error ? fmt::format("{}: {}", place(), text)
                                       : fmt::format("{}: {}: {}", place(), name_of(severity), text);
}

bool Finding::operator==(const Finding& other) const
{
    return file == other.file && at == other.at && severity == other.severity && text == other.text;
}

void Findings::add(Finding finding)
{
    const bool error = finding.severity == Severity::error;
    errors_ += error;
    Counts& counts = counts_[finding.file];
    if (counts.kept < kMaxFindings) {
        ++counts.kept;
        finding.text = visible(masked(finding.text));
        list_.push_back(std::move(finding));
    } else {
        ++counts.left_out;
        counts.left_out_errors += error;
    }
}

void Findings::hide(std::string_view value, std::string_view written)
{
    if (value.empty()) return;
    if (value.size() >= kLeastOutsideQuotes) hidden_.emplace(value, written);
    hidden_quotes_.emplace(in_quotes(value), in_quotes(written));
    hidden_quotes_.emplace(fmt::format("\"{}\"", utf8_prefix(value, kShown)), in_quotes(written));
}

std::string Findings::masked(const std::string& text) const
{
    std::string shown = with_quotes(text, [this](std::string_view piece) {
        const auto found = hidden_quotes_.find(piece);
        return found == hidden_quotes_.end() ? std::string(piece) : found->second;
    });
    for (const auto& [value, written] : hidden_) replace_all(shown, value, written);
    return without_credentials(shown);
}

void Findings::add_left_out(const Findings& other, const std::string& file)
{
    const auto counts = other.counts_.find(file);
    if (counts == other.counts_.end()) return;
    counts_[file].left_out += counts->second.left_out;
    counts_[file].left_out_errors += counts->second.left_out_errors;
    errors_ += counts->second.left_out_errors;
}

std::size_t Findings::left_out() const
{
    std::size_t count = 0;
    for (const auto& [file, counts] : counts_) count += counts.left_out;
    return count;
}

std::size_t Findings::count(Severity severity) const
{
    return static_cast<std::size_t>(std::ranges::count(list_, severity, &Finding::severity));
}

bool Findings::has_error_at(std::string_view file, Position at) const
{
    return std::ranges::any_of(list_, [&](const Finding& finding) {
        return finding.severity == Severity::error && finding.at == at && finding.file == file;
    });
}

void Findings::sort()
{
    std::map<std::string, std::size_t> order;
    for (const Finding& finding : list_) order.emplace(finding.file, order.size());
    std::ranges::sort(list_, [&](const Finding& a, const Finding& b) {
        return std::tie(order.at(a.file), a.at, a.text) < std::tie(order.at(b.file), b.at, b.text);
    });
    const std::size_t before = count(Severity::error);
    const auto twins = std::ranges::unique(list_);
    list_.erase(twins.begin(), twins.end());
    errors_ -= before - count(Severity::error);  // not what stood in `twins`: that is whatever was moved from there
}

std::string Findings::text() const
{
    std::string text;
    for (const Finding& finding : list_) text += (text.empty() ? "" : "\n") + finding.line();
    if (left_out() > 0) text += fmt::format("\nand {} more", left_out());
    return text;
}

void Findings::raise() const
{
    if (errors_ == 0) return;
    const auto hinted = std::ranges::find_if(list_, [](const Finding& one) { return !one.hint.verb.empty(); });
    throw Error(Code::invalid, text(), hinted == list_.end() ? Hint{} : hinted->hint);
}

}  // namespace cadre::config
