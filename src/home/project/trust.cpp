#include "home/project/trust.hpp"

#include "base/json.hpp"
#include "base/redact.hpp"
#include "base/sha256.hpp"
#include "base/visible.hpp"
#include "home/place.hpp"
#include "home/project/project.hpp"
#include "storage/files.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <fcntl.h>
#include <sys/stat.h>
#include <system_error>

namespace cadre::home {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostKept = 100'000;  // digests; nobody trusts that many

/// As it is whichever way leads to it.
std::string name_of(const fs::path& folder)
{
    std::error_code error;
    fs::path whole = fs::weakly_canonical(folder, error);
    if (error) whole = folder.lexically_normal();
    std::string name = whole.string();
    while (name.size() > 1 && name.ends_with('/')) name.pop_back();
    return name;
}

/// What tells a folder from another one that takes its name later.
std::string mark_of(const fs::path& folder)
{
    struct statx facts{};
    if (::statx(AT_FDCWD, folder.c_str(), 0, STATX_INO | STATX_BTIME, &facts) != 0) return "";
    const bool has_birth = (facts.stx_mask & STATX_BTIME) != 0;
    return fmt::format("{}:{}:{}.{}", (std::uint64_t{facts.stx_dev_major} << 32) | facts.stx_dev_minor, facts.stx_ino,
                       has_birth ? facts.stx_btime.tv_sec : 0, has_birth ? facts.stx_btime.tv_nsec : 0);
}

std::string digest_of(const Want& want)
{
    return to_hex(sha256(want.text));
}

bool trusts_everything(const Place& place)
{
    return place.trusted || place.environment("CADRE_TRUST").value_or("") == "1";
}

/// {"projects": {"/a": {"made_here": "mark"}, "/b": {"wants": ["digest"]}}}. One that cannot be read has nothing in it.
json::object read_book(const Place& place)
{
    const fs::path file = trust_file(place);
    const auto text = file.empty() ? std::nullopt : storage::find_file(file);
    if (!text) return {};
    try {
        json::value value = parse_json(*text);
        auto* projects = value.is_object() ? value.get_object().if_contains("projects") : nullptr;
        if (projects && projects->is_object()) return std::move(projects->get_object());
    } catch (const Error&) {
        // somebody's editor; whoever trusts again puts it right
    }
    return {};
}

void write_book(const Place& place, json::object projects)
{
    const fs::path file = trust_file(place);
    if (file.empty())
        throw Error(Code::unavailable, "neither XDG_CONFIG_HOME nor HOME is set, so there is nowhere to remember what "
                                       "is trusted; CADRE_TRUST=1 trusts a project for one command");
    storage::make_private_folder(file.parent_path());
    storage::write_private_file(file, to_text(json::object{{"version", 1}, {"projects", std::move(projects)}}) + "\n");
}

const json::object* find_entry(const json::object& book, const fs::path& folder)
{
    const auto* entry = book.if_contains(name_of(folder));
    return entry ? entry->if_object() : nullptr;
}

bool is_made_here(const json::object& entry, const fs::path& folder)
{
    const auto* mark = entry.if_contains("made_here");
    return mark && mark->is_string() && !mark->get_string().empty() && mark->get_string() == mark_of(folder);
}

bool has_digest(const json::object& entry, const std::string& digest)
{
    const auto* wants = entry.if_contains("wants");
    return wants && wants->is_array() && std::ranges::any_of(wants->get_array(), [&](const json::value& one) {
               return one.is_string() && one.get_string() == digest;
           });
}

std::string text_of(const fs::path& folder, const std::vector<Want>& wants)
{
    std::string text = fmt::format("the project {} was not made here, and you have not trusted it yet. It wants this:",
                                   folder.string());
    for (const Want& want : wants)
        text += fmt::format("\n  - {}{}", visible(redact(want.text)), want.file.empty() ? "" : ", says " + want.file);
    return text;
}

/// For a shell; most folders are words.
std::string as_word(const fs::path& folder)
{
    const std::string text = folder.string();
    const bool plain = std::ranges::all_of(text, [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               std::string_view("/._-+@%:,").find(c) != std::string_view::npos;
    });
    if (plain) return text;
    std::string quoted = "'";
    for (const char c : text) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return quoted + "'";
}

}  // namespace

NotTrusted::NotTrusted(fs::path folder, std::vector<Want> wants)
    : Error(Code::forbidden, text_of(folder, wants), {"to look at it and trust it", "trust " + as_word(folder)}),
      folder_(std::move(folder)),
      wants_(std::move(wants))
{}

fs::path trust_file(const Place& place)
{
    fs::path folder;
    if (const auto config = place.environment("XDG_CONFIG_HOME"); config && fs::path(*config).is_absolute())
        folder = *config;
    else if (const auto home = place.environment("HOME"); home && fs::path(*home).is_absolute())
        folder = fs::path(*home) / ".config";
    return folder.empty() ? folder : folder / "cadre" / "trusted.json";
}

std::vector<Want> not_trusted(const Project& project, std::vector<Want> wants)
{
    if (wants.empty() || trusts_everything(project.place())) return {};
    const json::object book = read_book(project.place());
    const json::object* entry = find_entry(book, project.folder());
    if (!entry) return wants;
    if (is_made_here(*entry, project.folder())) return {};
    std::erase_if(wants, [&](const Want& want) { return has_digest(*entry, digest_of(want)); });
    return wants;
}

void expect_trusted(const Project& project, std::vector<Want> wants)
{
    std::vector<Want> missing = not_trusted(project, std::move(wants));
    if (!missing.empty()) throw NotTrusted(project.folder(), std::move(missing));
}

std::string rule_want(std::string_view rule)
{
    return fmt::format("allows without asking: {}", rule);
}

std::vector<Want> home_wants(const Project& project, const fs::path& home)
{
    if (!project.chooses_home()) return {};
    std::error_code error;
    const fs::path there = fs::weakly_canonical(home, error);
    const fs::path inside = fs::weakly_canonical(project.folder(), error).lexically_normal();
    const fs::path relative = there.lexically_relative(inside);
    if (!error && !relative.empty() && *relative.begin() != "..") return {};
    return {
        {.text = fmt::format("keeps its tasks in {}, outside of the project", there.string()), .file = "cadre.yaml"}};
}

void expect_own_home(const Project& project, const fs::path& home)
{
    if (project.settings().home->starts_with('~'))
        throw Error(Code::invalid,
                    fmt::format("`home` in cadre.yaml is {}, and ~ is not replaced there; leave it out, or "
                                "set the variable CADRE_HOME",
                                in_quotes(*project.settings().home)));
    expect_trusted(project, home_wants(project, home));
}

void trust(const Place& place, const fs::path& folder, const std::vector<Want>& wants)
{
    json::object book = read_book(place);
    json::value& entry = book[name_of(folder)];
    if (!entry.is_object()) entry = json::object{};
    json::value& kept = entry.get_object()["wants"];
    if (!kept.is_array()) kept = json::array{};
    for (const Want& want : wants) {
        const std::string digest = digest_of(want);
        if (!has_digest(entry.get_object(), digest) && kept.get_array().size() < kMostKept)
            kept.get_array().emplace_back(digest);
    }
    write_book(place, std::move(book));
}

void adopt(const Place& place, const fs::path& folder)
{
    if (trust_file(place).empty()) return;
    json::object book = read_book(place);
    book[name_of(folder)] = json::object{{"made_here", mark_of(folder)}};
    try {
        write_book(place, std::move(book));
    } catch (const Error&) {
        // nowhere to write: then its maker is asked, should it come to want something
    }
}

bool forget_trust(const Place& place, const fs::path& folder)
{
    json::object book = read_book(place);
    if (book.erase(name_of(folder)) == 0) return false;
    write_book(place, std::move(book));
    return true;
}

}  // namespace cadre::home
