#include "server/route_table.hpp"

#include "base/error.hpp"
#include "net/escapes.hpp"
#include "net/http_request_parser.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>

namespace cadre::server {
namespace {

constexpr std::array<std::string_view, 5> kMethods = {"GET", "POST", "PUT", "PATCH", "DELETE"};

[[noreturn]] void refuse_table(const Route& route, const std::string& why)
{
    throw Error(Code::internal, "route " + std::string(route.name) + " " + std::string(route.path) + " " + why);
}

std::vector<std::string_view> segments_of(std::string_view path)
{
    std::vector<std::string_view> segments;
    while (!path.empty()) {
        path.remove_prefix(1);  // the slash before it
        const std::size_t end = std::min(path.find('/'), path.size());
        segments.push_back(path.substr(0, end));
        path.remove_prefix(end);
    }
    return segments;
}

[[noreturn]] void refuse_path()
{
    throw net::HttpRefusal(400, Code::malformed, "the path has an escape or a segment that means nothing here");
}

std::string decoded(std::string_view segment)
{
    std::optional<std::string> out = net::find_unescaped(segment);
    if (!out || *out == "." || *out == ".." || out->find('/') != out->npos || out->find('\0') != out->npos)
        refuse_path();
    return std::move(*out);
}

/// One piece of a path: a word, `{name}`, or `{name*}`.
struct Piece {
    explicit Piece(const Route& route, std::string_view text) : word(text)
    {
        if (!text.starts_with('{')) return;
        if (!text.ends_with('}')) refuse_table(route, "has a parameter without an end");
        name = text.substr(1, text.size() - 2);
        rest = name.ends_with('*');
        if (rest) name.remove_suffix(1);
        if (name.empty()) refuse_table(route, "has a parameter without a name");
    }
    bool is_word() const { return name.empty(); }
    bool takes(const std::string& segment) const { return is_word() ? segment == word : !segment.empty(); }

    std::string_view word;
    std::string_view name{};
    bool rest = false;
};

/// The routes of one path, by method.
struct Methods {
    void add(const Route& route)
    {
        const Route*& place = routes[static_cast<std::size_t>(route.method)];
        if (place) refuse_table(route, "is there twice");
        place = &route;
    }
    bool empty() const
    {
        return std::ranges::all_of(routes, [](const Route* one) { return !one; });
    }
    std::string allow() const
    {
        std::string out;
        for (std::size_t i = 0; i < routes.size(); ++i) {
            if (!routes[i]) continue;
            out += std::string(kMethods[i]) + ", ";
            if (i == 0) out += "HEAD, ";
        }
        return out + "OPTIONS";
    }
    const Route* of(std::string_view method) const
    {
        const auto found = std::ranges::find(kMethods, method == "HEAD" ? "GET" : method);
        return found == kMethods.end() ? nullptr : routes[static_cast<std::size_t>(found - kMethods.begin())];
    }

    std::array<const Route*, kMethods.size()> routes{};
};

/// What may follow a parameter of several segments.
struct Ending {
    std::string_view name;        // of that parameter
    std::vector<Piece> pieces{};  // none: it is the end
    Methods methods{};
};

}  // namespace

std::string_view name_of(Method method)
{
    return kMethods.at(static_cast<std::size_t>(method));
}

struct RouteTable::Node {
    void add(const Route& route, std::span<const Piece> pieces)
    {
        if (pieces.empty()) return methods.add(route);
        const Piece& first = pieces.front();
        if (first.rest) return add_ending(route, first.name, {pieces.begin() + 1, pieces.end()});
        if (!first.is_word() && parameter && parameter_name != first.name)
            refuse_table(route, "calls a parameter {" + std::string(first.name) + "} that is {" +
                                    std::string(parameter_name) + "} elsewhere");
        std::unique_ptr<Node>& next = first.is_word() ? words[first.word] : parameter;
        if (!next) next = std::make_unique<Node>();
        if (!first.is_word()) parameter_name = first.name;
        next->add(route, pieces.subspan(1));
    }
    void add_ending(const Route& route, std::string_view name, std::vector<Piece> pieces)
    {
        if (std::ranges::any_of(pieces, &Piece::rest)) refuse_table(route, "has two parameters of several segments");
        const auto same = [&](const Ending& one) {
            return one.name == name && std::ranges::equal(one.pieces, pieces, {}, &Piece::word, &Piece::word);
        };
        auto found = std::ranges::find_if(endings, same);
        if (found == endings.end()) {
            // the longest first, so that it is found before what it could be taken for
            const auto shorter = [&](const Ending& one) { return one.pieces.size() < pieces.size(); };
            found = endings.insert(std::ranges::find_if(endings, shorter), Ending{name, std::move(pieces)});
        }
        found->methods.add(route);
    }

    const Methods* find(std::span<const std::string> segments, bool raw, PathValues& values) const
    {
        if (segments.empty()) return methods.empty() ? nullptr : &methods;
        const std::string& first = segments.front();
        const auto word = words.find(first);
        if (word != words.end())
            if (const Methods* found = word->second->find(segments.subspan(1), raw, values)) return found;
        if (parameter && !first.empty()) {
            values.emplace_back(parameter_name, first);
            if (const Methods* found = parameter->find(segments.subspan(1), raw, values)) return found;
            values.pop_back();
        }
        for (const Ending& ending : endings)
            if (const Methods* found = end_with(ending, segments, raw, values)) return found;
        return nullptr;
    }
    static const Methods* end_with(const Ending& ending, std::span<const std::string> segments, bool raw,
                                   PathValues& values)
    {
        if (segments.size() <= ending.pieces.size() || (raw && !ending.pieces.empty())) return nullptr;
        const auto rest = segments.first(segments.size() - ending.pieces.size());
        const auto last = segments.last(ending.pieces.size());
        if (std::ranges::find(rest, "") != rest.end()) return nullptr;
        if (!std::ranges::equal(ending.pieces, last, [](const Piece& p, const std::string& s) { return p.takes(s); }))
            return nullptr;
        std::string path;
        for (const std::string& segment : rest) path += (path.empty() ? "" : "/") + segment;
        values.emplace_back(ending.name, std::move(path));
        for (std::size_t i = 0; i < last.size(); ++i)
            if (!ending.pieces[i].is_word()) values.emplace_back(ending.pieces[i].name, last[i]);
        return &ending.methods;
    }

    std::map<std::string_view, std::unique_ptr<Node>, std::less<>> words;
    std::unique_ptr<Node> parameter;
    std::string_view parameter_name;
    std::vector<Ending> endings;
    Methods methods;
};

RouteTable::RouteTable(std::vector<Route> routes) : routes_(std::move(routes)), root_(std::make_unique<Node>())
{
    std::set<std::string_view> names;
    for (const Route& route : routes_) {
        if (!route.path.starts_with('/')) refuse_table(route, "does not begin with a slash");
        if (route.name.empty() || !names.insert(route.name).second) refuse_table(route, "needs a name of its own");
        std::vector<Piece> pieces;
        for (const std::string_view segment : segments_of(route.path)) pieces.emplace_back(route, segment);
        if (pieces.size() == 1 && pieces[0].word.empty()) pieces.clear();  // `/`
        root_->add(route, pieces);
    }
}

RouteTable::~RouteTable() = default;

RouteMatch RouteTable::find(std::string_view method, std::string_view path, bool raw) const
{
    std::vector<std::string> segments;
    if (!path.starts_with('/')) return {};
    for (const std::string_view segment : segments_of(path)) segments.push_back(decoded(segment));
    if (segments.size() == 1 && segments[0].empty()) segments.clear();
    RouteMatch match;
    const Methods* const methods = root_->find(segments, raw, match.values);
    if (!methods) return {};
    match.allow = methods->allow();
    match.route = methods->of(method);
    if (match.route) match.kind = RouteMatch::Kind::found;
    else match.kind = method == "OPTIONS" ? RouteMatch::Kind::options : RouteMatch::Kind::not_allowed;
    return match;
}

}  // namespace cadre::server
