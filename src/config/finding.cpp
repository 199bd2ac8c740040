#include "config/finding.hpp"

#include "base/error.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <tuple>

namespace cadre::config {

std::string Finding::line() const
{
    return fmt::format("{}:{}:{}: {}{}", file, at.line, at.column, severity == Severity::warning ? "warning: " : "",
                       text);
}

void Findings::add(Finding finding)
{
    if (finding.severity == Severity::error) ++errors_;
    if (list_.size() < kMaxFindings) list_.push_back(std::move(finding));
    else ++left_out_;
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
    const auto twins = std::ranges::unique(list_);
    for (const Finding& twin : twins)
        if (twin.severity == Severity::error) --errors_;
    list_.erase(twins.begin(), twins.end());
}

std::string Findings::text() const
{
    std::string text;
    for (const Finding& finding : list_) text += (text.empty() ? "" : "\n") + finding.line();
    if (left_out_ > 0) text += fmt::format("\nand {} more", left_out_);
    return text;
}

void Findings::raise() const
{
    if (errors_ > 0) throw Error(Code::invalid, text());
}

}  // namespace cadre::config
