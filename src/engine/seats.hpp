// Seats: how many scopes of one task are at work at once, as an agent or as branches of a map. A seat is taken with the first live
// effect of a scope and given back with the scope; what lies inside sits on it too. Decides only: the waiting is in Run::perform.
#pragma once

#include <deque>
#include <map>
#include <string>
#include <string_view>

namespace cadre::engine {

class Seats {
public:
    struct Claim {
        std::string group{};  // whose seats they are: an agent, a map
        int most = 1;         // of the group, at once
        bool sits = false;
        bool sat = false;  // in an earlier process: its records say so
    };

    /// The scope needs a seat before it does anything; a second claim for the same is the first.
    void claim(const std::string& scope, std::string group, int most);
    bool empty() const { return claims_.empty(); }
    /// The seat that is missing before something at `path` may be done; null: none. The outermost scope sits first.
    Claim* missing(std::string_view path);
    /// Whether the seat is its own now. Claims stay where they are until their scope is left.
    bool take(Claim& claim) noexcept;
    void leave(const std::string& scope) noexcept;

    /// The journal has something of `path`, so its scopes sat when it was written.
    void remember(std::string_view path);
    /// The replay is over: they sit down before anybody else does.
    void seat_those_who_sat() noexcept;

private:
    /// Calls `visit` with every claim of the scopes around `path`, outermost first, until it returns true.
    template <class Visit>
    void around(std::string_view path, Visit visit);

    std::map<std::string, std::deque<Claim>, std::less<>> claims_;  // by scope, with its last slash
    std::map<std::string, int, std::less<>> taken_;                 // by group
};

}  // namespace cadre::engine
