#include "channels/mail/mail_manners.hpp"

#include "base/ascii.hpp"

#include <algorithm>
#include <array>

namespace cadre::channels {
namespace {

constexpr std::string_view kSpace = " \t\r\n";

std::string_view without_spaces(std::string_view text)
{
    const std::size_t begin = text.find_first_not_of(kSpace);
    if (begin == text.npos) return {};
    return text.substr(begin, text.find_last_not_of(kSpace) - begin + 1);
}

/// `a; b (comment) = "c;d"` as `a`, `b = c;d`: parts at semicolons, without comments and quotes.
std::vector<std::string> parts_of_results(std::string_view text)
{
    std::vector<std::string> parts(1);
    int comment = 0;
    bool is_quoted = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (c == '\\' && (comment > 0 || is_quoted) && i + 1 < text.size()) {
            ++i;
            if (is_quoted) parts.back() += text[i];
        } else if (is_quoted) {
            if (c == '"') is_quoted = false;
            else parts.back() += c;
        } else if (c == '(') {
            ++comment;
        } else if (c == ')' && comment > 0) {
            --comment;
        } else if (comment > 0) {
            continue;
        } else if (c == '"') {
            is_quoted = true;
        } else if (c == ';') {
            parts.emplace_back();
        } else {
            parts.back() += c;
        }
    }
    return parts;
}

/// `dmarc = pass header.from=x` as {dmarc, pass}, {header.from, x}.
std::vector<std::pair<std::string, std::string>> pairs_in(std::string_view text)
{
    std::vector<std::pair<std::string, std::string>> pairs;
    while (true) {
        const std::size_t equal = text.find('=');
        if (equal == text.npos) return pairs;
        std::string_view name = without_spaces(text.substr(0, equal));
        name = name.substr(std::min(name.find_last_of(kSpace) + 1, name.size()));
        text = text.substr(equal + 1);
        text.remove_prefix(std::min(text.find_first_not_of(kSpace), text.size()));
        const std::string_view value = text.substr(0, text.find_first_of(kSpace));
        text.remove_prefix(value.size());
        pairs.emplace_back(lower(name), lower(value));
    }
}

}  // namespace

std::string_view first_header(const MailHeaders& headers, std::string_view name)
{
    const auto found =
        std::ranges::find_if(headers, [&](const auto& one) { return same_in_any_case(one.first, name); });
    return found == headers.end() ? std::string_view() : without_spaces(found->second);
}

std::size_t count_headers(const MailHeaders& headers, std::string_view name)
{
    return static_cast<std::size_t>(
        std::ranges::count_if(headers, [&](const auto& one) { return same_in_any_case(one.first, name); }));
}

std::string why_unanswered(const MailHeaders& headers, std::string_view sender)
{
    const auto word = [&](std::string_view name) { return lower(first_header(headers, name)); };
    const std::string submitted = word("Auto-Submitted");
    if (!submitted.empty() && without_spaces(std::string_view(submitted).substr(0, submitted.find(';'))) != "no")
        return "Auto-Submitted: " + submitted;
    const std::string precedence = word("Precedence");
    if (precedence == "bulk" || precedence == "list" || precedence == "junk") return "Precedence: " + precedence;
    if (count_headers(headers, "List-Id") > 0) return "List-Id";
    const std::string suppress = word("X-Auto-Response-Suppress");
    for (const std::string_view what : {"all", "autoreply"})
        if (suppress.find(what) != suppress.npos) return "X-Auto-Response-Suppress: " + suppress;
    if (first_header(headers, "Return-Path") == "<>") return "an empty Return-Path";
    if (word("Content-Type").starts_with("multipart/report")) return "a report";
    const std::string who = lower(sender.substr(0, sender.find('@')));
    constexpr std::array<std::string_view, 8> kMachines = {"mailer-daemon", "postmaster", "no-reply", "noreply",
                                                           "do-not-reply",  "donotreply", "no_reply", "do_not_reply"};
    if (std::ranges::find(kMachines, who) != kMachines.end()) return "it is from " + who;
    return {};
}

bool is_vouched_for(const MailHeaders& headers, std::string_view authserv_id, std::string_view sender)
{
    if (authserv_id.empty() || count_headers(headers, "From") != 1) return false;
    const std::string domain = lower(sender.substr(std::min(sender.rfind('@') + 1, sender.size())));
    for (const auto& [name, value] : headers) {
        if (!same_in_any_case(name, "Authentication-Results")) continue;
        const std::vector<std::string> parts = parts_of_results(value);
        const std::string_view server = without_spaces(parts[0]);  // perhaps with a version
        if (!same_in_any_case(server.substr(0, server.find_first_of(kSpace)), authserv_id)) continue;
        for (std::size_t i = 1; i < parts.size(); ++i) {
            const auto pairs = pairs_in(parts[i]);
            if (pairs.empty() || pairs[0].first != "dmarc") continue;
            const auto from = std::ranges::find(pairs, "header.from", [](const auto& one) { return one.first; });
            return pairs[0].second == "pass" && (from == pairs.end() || from->second == domain);
        }
        return false;
    }
    return false;
}

}  // namespace cadre::channels
