#include "server/problem.hpp"

#include "base/ascii.hpp"
#include "base/json.hpp"
#include "base/json_writer.hpp"
#include "base/redact.hpp"

#include <boost/json.hpp>

#include <algorithm>
#include <array>
#include <utility>

namespace cadre::server {
namespace {

/// In the order of Code.
constexpr std::array<std::string_view, 14> kTitles = {
    "Malformed request",
    "Invalid request",
    "Not signed in",
    "Not allowed",
    "Not found",
    "Conflict with the current state",
    "Too large",
    "A limit of the run was reached",
    "Too many requests",
    "Timed out",
    "A model, tool or peer failed",
    "Unavailable",
    "Cancelled",
    "Internal error",
};
static_assert(kTitles.size() == static_cast<std::size_t>(Code::internal) + 1);

constexpr std::string_view kSystemFolders[] = {"/bin/",   "/boot/", "/dev/", "/etc/",  "/home/", "/lib/", "/lib64/",
                                               "/media/", "/mnt/",  "/opt/", "/proc/", "/root/", "/run/", "/sbin/",
                                               "/srv/",   "/sys/",  "/tmp/", "/usr/",  "/var/",  "~/"};
constexpr std::string_view kHidden = "…";

/// Where a path ends inside a sentence.
bool ends_path(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '"' || c == '\'' || c == ',' || c == ';' || c == ')' || c == ':';
}

bool is_inside_word(char c)
{
    return is_letter(c) || is_digit(c) || c == '_' || c == '-' || c == '.';
}

bool begins_private(std::string_view text, const PrivateFolders& folders)
{
    const auto leads = [&](std::string_view folder) {
        if (folder.empty() || !text.starts_with(folder)) return false;
        return folder.ends_with('/') || text.size() == folder.size() || !is_inside_word(text[folder.size()]);
    };
    return std::ranges::any_of(kSystemFolders, leads) || std::ranges::any_of(folders, leads);
}

std::string without_paths(std::string_view text, const PrivateFolders& folders)
{
    std::string out;
    for (std::size_t at = 0; at < text.size();) {
        const bool could_begin = at == 0 || !is_inside_word(text[at - 1]);
        if (!could_begin || !begins_private(text.substr(at), folders)) {
            out += text[at++];
            continue;
        }
        out += kHidden;
        while (at < text.size() && !ends_path(text[at])) ++at;
    }
    return out;
}

/// What the command line calls `--retention-days` is `retention_days` here. What is quoted stays as it is.
std::string without_flags(std::string_view text)
{
    std::string out;
    bool is_quoted = false;
    for (std::size_t at = 0; at < text.size();) {
        if (text[at] == '"') is_quoted = !is_quoted;
        const bool begins = !is_quoted && text.substr(at).starts_with("--") && at + 2 < text.size() &&
                            is_letter(text[at + 2]) && (at == 0 || !is_inside_word(text[at - 1]));
        if (!begins) {
            out += text[at++];
            continue;
        }
        for (at += 2; at < text.size() && is_inside_word(text[at]) && text[at] != '.'; ++at)
            out += text[at] == '-' ? '_' : text[at];
    }
    return out;
}

std::string pointer_of(const model::PathSteps& steps)
{
    std::string out;
    for (const model::PathStep& step : steps) {
        out += '/';
        if (const auto* index = std::get_if<std::size_t>(&step)) out += std::to_string(*index);
        else
            for (const char c : std::get<std::string>(step))
                out += c == '~' ? "~0" : c == '/' ? "~1" : std::string(1, c);
    }
    return out;
}

}  // namespace

std::string_view title_of(Code code)
{
    return kTitles.at(static_cast<std::size_t>(code));
}

std::string public_text(std::string_view text, const PrivateFolders& folders)
{
    return without_flags(without_paths(redact(text), folders));
}

std::string without_folders(std::string text, const PrivateFolders& folders)
{
    for (const std::string& folder : folders) {
        if (folder.size() <= 1) continue;
        for (std::size_t at = 0; (at = text.find(folder, at)) != text.npos; at += kHidden.size())
            text.replace(at, folder.size(), kHidden);
    }
    return text;
}

BadRequest::BadRequest(model::Problems problems)
    : HttpRefusal(surface(Code::invalid).http, Code::invalid, problems.text()), problems_(std::move(problems))
{}

Problem problem_of(const net::HttpFailure& failure, std::string request_id, const PrivateFolders& folders)
{
    if (const auto* bad = dynamic_cast<const BadRequest*>(failure.error))
        return problem_of(bad->problems(), std::move(request_id), folders);
    Problem problem{.status = failure.status, .code = failure.code, .request_id = std::move(request_id)};
    problem.detail = failure.code == Code::internal ? "the log has it under " + problem.request_id
                                                    : public_text(failure.text, folders);
    if (const auto* refusal = dynamic_cast<const Refusal*>(failure.error)) {
        problem.reason = refusal->reason();
        problem.data = refusal->data();
    }
    return problem;
}

Problem problem_of(const model::Problems& problems, std::string request_id, const PrivateFolders& folders)
{
    Problem problem{.status = surface(Code::invalid).http,
                    .code = Code::invalid,
                    .detail = public_text(problems.text(), folders),
                    .request_id = std::move(request_id)};
    for (const model::Problem& one : problems.list())
        problem.errors.push_back({pointer_of(one.place), public_text(one.text, folders)});
    return problem;
}

net::HttpAnswer answer_of(const Problem& problem)
{
    const std::string_view code = name_of(problem.code);
    net::HttpAnswer answer{.status = problem.status, .headers = {{"Content-Type", "application/problem+json"}}};
    JsonWriter json(answer.body);
    json.begin_object()
        .field("type", "/problems/" + std::string(problem.reason.empty() ? code : problem.reason))
        .field("title", title_of(problem.code))
        .field("status", problem.status)
        .field("detail", problem.detail)
        .field("code", code);
    if (!problem.reason.empty()) json.field("reason", problem.reason);
    if (!problem.errors.empty()) {
        json.key("errors").begin_array();
        for (const ProblemDetail& error : problem.errors)
            json.begin_object().field("pointer", error.pointer).field("detail", error.detail).end_object();
        json.end_array();
    }
    for (const auto& member : problem.data) json.key(member.key()).raw(to_text(member.value()));
    json.field("request_id", problem.request_id).end_object();
    return answer;
}

}  // namespace cadre::server
