#include "schema/formats.hpp"

#include "schema/pattern.hpp"
#include "schema/scanner.hpp"

namespace cadre::schema {

namespace {

bool is_uuid(std::string_view text)
{
    if (text.size() != 36) return false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const bool hyphen = i == 8 || i == 13 || i == 18 || i == 23;
        if (hyphen ? text[i] != '-' : !is_hex(text[i])) return false;
    }
    return true;
}

bool is_json_pointer(std::string_view text)
{
    if (text.empty()) return true;
    if (text.front() != '/') return false;
    for (std::size_t i = 0; i < text.size(); ++i)
        if (text[i] == '~' && (i + 1 == text.size() || (text[i + 1] != '0' && text[i + 1] != '1'))) return false;
    return true;
}

bool is_relative_json_pointer(std::string_view text)
{
    Scanner scan(text);
    const bool zero = text.starts_with('0');
    const std::size_t digits = scan.take_while(is_digit);
    if (digits == 0 || (zero && digits > 1)) return false;
    return scan.rest() == "#" || is_json_pointer(scan.rest());
}

constexpr Format kFormats[] = {
    {"date-time", is_date_time, "a date and time like 2025-01-31T10:30:00Z"},
    {"date", is_date, "a date like 2025-01-31"},
    {"time", is_time, "a time like 10:30:00Z"},
    {"duration", is_duration, "a duration like P1DT2H"},
    {"email", is_email, "an e-mail address"},
    {"idn-email", is_idn_email, "an e-mail address"},
    {"hostname", is_hostname, "a host name"},
    {"ipv4", is_ipv4, "an IPv4 address"},
    {"ipv6", is_ipv6, "an IPv6 address"},
    {"uri", is_uri, "a URI with a scheme"},
    {"uri-reference", is_uri_reference, "a URI or a relative reference"},
    {"iri", is_iri, "an IRI with a scheme"},
    {"iri-reference", is_iri_reference, "an IRI or a relative reference"},
    {"uri-template", is_uri_template, "a URI template"},
    {"uuid", is_uuid, "a UUID"},
    {"json-pointer", is_json_pointer, "a JSON pointer"},
    {"relative-json-pointer", is_relative_json_pointer, "a relative JSON pointer"},
    {"regex", is_pattern, "a regular expression"},
};

}  // namespace

const Format* find_format(std::string_view name)
{
    for (const Format& format : kFormats)
        if (format.name == name) return &format;
    return nullptr;
}

}  // namespace cadre::schema
