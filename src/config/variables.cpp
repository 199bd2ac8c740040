#include "config/variables.hpp"

#include "base/error.hpp"
#include "base/suggest.hpp"
#include "base/trim.hpp"
#include "config/variable_name.hpp"
#include "model/providers.hpp"

#include <fmt/core.h>

#include <algorithm>

namespace cadre::config {

namespace {

/// Of a service that has no chat models.
constexpr std::string_view kOtherKeys[] = {"VOYAGE_API_KEY"};

bool is_provider_key(std::string_view name)
{
    return std::ranges::find(provider_key_variables(), name) != provider_key_variables().end();
}

constexpr std::string_view kRefusedStarts[] = {"CADRE_", "LD_", "DYLD_", "SSL_", "GCONV_", "MALLOC_", "GLIBC_"};
constexpr std::string_view kRefusedEnds[] = {"_PROXY",     "_URL",      "_API_BASE", "_HOST",    "_ENDPOINT",
                                             "_CA_BUNDLE", "_CA_CERTS", "PATH",      "_OPTIONS", "_COMMAND"};
constexpr std::string_view kRefusedParts[] = {"SSL", "TLS"};  // OPENSSL_CONF, SSLKEYLOGFILE, PGSSLROOTCERT, NODE_TLS_…
constexpr std::string_view kRefusedNames[] = {"HOME", "SHELL", "IFS", "ENV", "BASH_ENV", "TMPDIR"};

/// Lines of one file for which a likely name is looked for; people write fewer.
constexpr std::size_t kMaxSearches = 500;

std::string upper(std::string_view text)
{
    std::string result(text);
    for (char& c : result)
        if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
    return result;
}

/// The value after `=`: single quotes keep everything, double quotes know \n \t \" \\ \$, a comment needs a space before its #.
/// Nothing when a quote is not closed or something follows it.
std::optional<std::string> dotenv_value(std::string_view text)
{
    if (text.starts_with('\'') || text.starts_with('"')) {
        const char quote = text[0];
        std::string value;
        std::size_t i = 1;
        for (; i < text.size() && text[i] != quote; ++i) {
            if (quote == '"' && text[i] == '\\' && i + 1 < text.size()) {
                ++i;
                value += text[i] == 'n' ? '\n' : text[i] == 't' ? '\t' : text[i];
            } else {
                value += text[i];
            }
        }
        if (i >= text.size()) return std::nullopt;
        const std::string_view rest = trimmed(text.substr(i + 1), " \t\r");
        if (!rest.empty() && !rest.starts_with('#')) return std::nullopt;
        return value;
    }
    std::size_t end = text.size();
    for (std::size_t i = 0; i < text.size(); ++i)
        if (text[i] == '#' && (i == 0 || text[i - 1] == ' ' || text[i - 1] == '\t')) {
            end = i;
            break;
        }
    return std::string(trimmed(text.substr(0, end), " \t\r"));
}

}  // namespace

std::span<const std::string> provider_key_variables()
{
    static const std::vector<std::string> all = [] {
        std::vector<std::string> list(std::begin(kOtherKeys), std::end(kOtherKeys));
        for (const auto& [name, provider] : model::built_in_providers().providers)
            list.insert(list.end(), provider.key_variables.begin(), provider.key_variables.end());
        std::ranges::sort(list);
        return list;
    }();
    return all;
}

bool is_refused_in_dotenv(std::string_view name)
{
    const std::string text = upper(name);  // http_proxy is a proxy too
    return std::ranges::any_of(kRefusedStarts, [&](std::string_view start) { return text.starts_with(start); }) ||
           std::ranges::any_of(kRefusedEnds, [&](std::string_view end) { return text.ends_with(end); }) ||
           std::ranges::any_of(kRefusedParts, [&](std::string_view part) { return text.find(part) != text.npos; }) ||
           std::ranges::find(kRefusedNames, text) != std::end(kRefusedNames);
}

void Variables::add_dotenv(const std::string& file, std::string_view text, Findings& findings)
{
    for (std::size_t number = 1; !text.empty(); ++number) {
        const std::size_t end = text.find('\n');
        const std::string_view whole = text.substr(0, end);
        text.remove_prefix(end == text.npos ? text.size() : end + 1);

        std::string_view line = trimmed(whole, " \t\r");
        if (line.empty() || line.starts_with('#')) continue;
        if (line.starts_with("export ")) line = trimmed(line.substr(7), " \t\r");
        const std::size_t equals = line.find('=');
        const std::string_view name = trimmed(line.substr(0, equals), " \t\r");
        const Position at{number, static_cast<std::size_t>(name.data() - whole.data()) + 1};
        if (equals == line.npos || !is_variable_name(name)) {
            findings.error(file, at, "must be NAME=value, with letters, digits and _ in the name");
            continue;
        }
        const std::string_view written = trimmed(line.substr(equals + 1), " \t\r");
        auto value = dotenv_value(written);
        if (!value) {
            const auto column = static_cast<std::size_t>(written.data() - whole.data()) + 1;
            findings.error(file, {number, column}, "the quote is not closed, or text follows it");
            continue;
        }
        add_line({std::string(name), std::move(*value), file, at}, findings);
    }
}

void Variables::add_line(Line line, Findings& findings)
{
    if (is_refused_in_dotenv(line.name)) {
        findings.warn(line.file, line.at,
                      fmt::format("{} is not read from .env, because it would change more than this project; set it in "
                                  "the environment instead",
                                  line.name));
        return;
    }
    if (const Line* first = find_line(line.name)) {
        findings.error(line.file, line.at,
                       fmt::format("{} is already there on line {}; remove one of them", line.name, first->at.line));
        return;
    }
    places_.emplace(line.name, lines_.size());
    lines_.push_back(std::move(line));
}

const Variables::Line* Variables::find_line(std::string_view name) const
{
    const auto place = places_.find(name);
    return place == places_.end() ? nullptr : &lines_[place->second];
}

std::optional<std::string> Variables::refer(const std::string& name)
{
    referred_.insert(name);
    return find(name);
}

std::optional<std::string> Variables::find(const std::string& name) const
{
    if (auto real = environment_(name)) return real;
    if (!referred_.contains(name) && !is_provider_key(name)) return std::nullopt;
    const Line* line = find_line(name);
    return line && !line->value.empty() ? std::optional(line->value) : std::nullopt;
}

bool Variables::is_empty(const std::string& name) const
{
    if (find(name)) return false;
    return std::ranges::find(names_, name) != names_.end() || find_line(name);
}

void Variables::warn_of_slips(Findings& findings) const
{
    std::vector<std::string> known(referred_.begin(), referred_.end());
    known.insert(known.end(), provider_key_variables().begin(), provider_key_variables().end());
    const std::set<std::string> used(known.begin(), known.end());
    std::size_t searches = 0;
    for (const Line& line : lines_) {
        if (used.contains(line.name)) continue;
        if (++searches > kMaxSearches) return;
        const auto near = nearest(line.name, known);
        if (!near || find_line(*near)) continue;
        findings.warn(line.file, line.at,
                      fmt::format("nothing uses {}, did you mean \"{}\"?", in_quotes(line.name), *near));
    }
}

}  // namespace cadre::config
