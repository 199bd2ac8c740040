// The forms of strings that `format` names.
#pragma once

#include <string_view>

namespace cadre::schema {

struct Format {
    std::string_view name;
    bool (*matches)(std::string_view text);
    std::string_view text;  // for people: "a date like 2025-01-31"
};

/// Null for a format that we do not know: it is a remark then.
const Format* find_format(std::string_view name);

// formats_time.cpp: RFC 3339 and its ISO 8601 durations
bool is_date(std::string_view text);
bool is_time(std::string_view text);
bool is_date_time(std::string_view text);
bool is_duration(std::string_view text);

// formats_net.cpp: RFC 3986, 3987, 5321, 1123, 4291, 6570
bool is_ipv4(std::string_view text);
bool is_ipv6(std::string_view text);
bool is_hostname(std::string_view text);
bool is_email(std::string_view text);
bool is_idn_email(std::string_view text);
bool is_uri(std::string_view text);
bool is_uri_reference(std::string_view text);
bool is_iri(std::string_view text);
bool is_iri_reference(std::string_view text);
bool is_uri_template(std::string_view text);

}  // namespace cadre::schema
