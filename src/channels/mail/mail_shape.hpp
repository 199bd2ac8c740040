// Whether a mail can be taken apart at all: what is small as bytes can be huge as a tree of parts.
#pragma once

#include <string_view>

namespace cadre::channels {

/// Throws Error(too_large).
void check_mail_shape(std::string_view bytes);

}  // namespace cadre::channels
