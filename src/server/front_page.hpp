// The page at `/`: the tasks there are, a field to start one, and where to read on. It uses the same API as everybody.
#pragma once

#include <string>

namespace cadre::server {

struct FrontPage {
    std::string text{};
    std::string policy{};  // its Content-Security-Policy: its own script, and nothing of anybody else
};
FrontPage front_page_for(const std::string& version);

}  // namespace cadre::server
