// Reads JSON texts, one a line, and writes the canonical text of each, or "error: …", for json_judge_test.mjs.
#include "base/error.hpp"
#include "base/json.hpp"

#include <boost/json.hpp>

#include <iostream>
#include <string>

int main()
{
    std::ios::sync_with_stdio(false);
    for (std::string line; std::getline(std::cin, line);) {
        try {
            std::cout << cadre::to_canonical_text(cadre::parse_json(line)) << '\n';
        } catch (const cadre::Error& error) {
            std::cout << "error: " << error.what() << '\n';
        }
    }
}
