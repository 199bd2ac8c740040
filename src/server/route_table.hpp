// Finds the route of a request: a trie of the paths of all tables.
#pragma once

#include "server/route.hpp"

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace cadre::server {

/// Names and values of a path's parameters, decoded: `task_id` → `3f2b…`.
using PathValues = std::vector<std::pair<std::string_view, std::string>>;

struct RouteMatch {
    enum class Kind : std::uint8_t {
        found,        // for HEAD: the route of GET
        options,      // the client asks what it may do there
        not_allowed,  // the path is known, and has other methods
        not_found,
    };
    Kind kind = Kind::not_found;
    const Route* route = nullptr;
    PathValues values{};
    std::string allow{};  // `GET, HEAD, OPTIONS`; of every path that is known
};

/// Lives as long as the matches that it gives.
class RouteTable {
public:
    /// Throws Error(internal) for a table that means two things: a name or a path twice, a path that is malformed, a parameter that is
    /// called differently by two routes.
    explicit RouteTable(std::vector<Route> routes);
    RouteTable(const RouteTable&) = delete;
    RouteTable& operator=(const RouteTable&) = delete;
    ~RouteTable();

    /// `path` as it was sent, without its query. Words win over parameters, and what follows a path of several segments (`/versions`)
    /// over a longer path; `raw`: it does not, so that a file can be called so. Throws HttpRefusal(400) for escapes that are wrong,
    /// and for segments that could mislead: `..`, or with a slash inside.
    RouteMatch find(std::string_view method, std::string_view path, bool raw = false) const;

    const std::vector<Route>& routes() const { return routes_; }

private:
    struct Node;

    std::vector<Route> routes_;
    std::unique_ptr<Node> root_;
};

}  // namespace cadre::server
