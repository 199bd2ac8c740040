// Rendezvous: branches that wait for each other at named points. A point opens when all who can still come are there; who has
// left, because its branch has ended, cannot. So who meets whom follows from what the branches do, and never from time.
#pragma once

#include "base/async_fwd.hpp"
#include "engine/run.hpp"

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace cadre::engine {

/// Who is where.
class Meeting {
public:
    /// `names` in the order in which they are listed; unique.
    Meeting(Run& run, std::vector<std::string> names);
    Meeting(const Meeting&) = delete;
    Meeting& operator=(const Meeting&) = delete;
    ~Meeting();

    /// Waits at the point, once, until all who can still come are there.
    Async<> arrive(std::string name, std::string point);
    /// Does not come any more.
    void leave(std::string_view name) noexcept;
    /// Who is at the point, or has been, as listed.
    std::vector<std::string> there(std::string_view point) const;
    /// Who can still come to it, as listed.
    std::vector<std::string> awaited(std::string_view point) const;

private:
    class UntilAllThere;
    struct Member {
        std::string name;
        bool left = false;
        std::vector<std::string> points{};  // where it has been
    };

    std::size_t place_of(std::string_view name) const;
    bool is_open(std::string_view point) const;
    void look_again() noexcept;

    Run& run_;
    std::vector<Member> members_;
    std::vector<UntilAllThere*> waiting_;
};

/// A meeting to which everybody brings something.
template <class T>
class Rendezvous : public Meeting {
public:
    using Meeting::Meeting;

    Async<> arrive(std::string name, std::string point, T said)
    {
        said_.insert_or_assign(std::pair(point, name), std::move(said));
        return Meeting::arrive(std::move(name), std::move(point));
    }
    /// What the others brought to the point, as they are listed.
    std::vector<std::pair<std::string, T>> others(const std::string& point, std::string_view name) const
    {
        std::vector<std::pair<std::string, T>> others;
        for (std::string& other : there(point))
            if (other != name) {
                const T& said = said_.at(std::pair(point, other));
                others.emplace_back(std::move(other), said);
            }
        return others;
    }

private:
    std::map<std::pair<std::string, std::string>, T> said_;  // by point and name
};

/// Leaves the meeting when its branch ends, however it does.
class Leaving {
public:
    Leaving(Meeting& meeting, std::string name) : meeting_(meeting), name_(std::move(name)) {}
    Leaving(const Leaving&) = delete;
    Leaving& operator=(const Leaving&) = delete;
    ~Leaving() { meeting_.leave(name_); }

private:
    Meeting& meeting_;
    std::string name_;
};

}  // namespace cadre::engine
