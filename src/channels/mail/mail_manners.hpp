// What the headers of a mail say about answering it, and about who sent it.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace cadre::channels {

/// In order, names as written, values decoded and on one line.
using MailHeaders = std::vector<std::pair<std::string, std::string>>;

/// Empty: it is not there.
std::string_view first_header(const MailHeaders& headers, std::string_view name);
std::size_t count_headers(const MailHeaders& headers, std::string_view name);

/// Why a mail of that sender must not be answered by a machine; empty: it may be.
std::string why_unanswered(const MailHeaders& headers, std::string_view sender);

/// Whether our own mail server, which calls itself `authserv_id`, says that the domain of `sender` vouches for the mail: `dmarc=pass`
/// (RFC 8601). Of what says so, only the topmost counts: what is below may have come with the mail.
bool is_vouched_for(const MailHeaders& headers, std::string_view authserv_id, std::string_view sender);

}  // namespace cadre::channels
