// What somebody wrote in a mail, apart from what their program quoted below it.
#pragma once

#include <string>
#include <string_view>

namespace cadre::channels {

struct MailWords {
    std::string own{};
    std::string quoted{};  // with the line that says whose it is

    bool operator==(const MailWords&) const = default;
};

/// Quotes in the middle stay: answers between them mean nothing without. When there is nothing else, all of it is theirs.
MailWords without_quotes(std::string_view text);

}  // namespace cadre::channels
