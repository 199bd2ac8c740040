// A file descriptor that closes itself.
#pragma once

#include <utility>

namespace cadre::tools {

class Descriptor {
public:
    Descriptor() = default;
    explicit Descriptor(int number) : number_(number) {}
    Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
    Descriptor& operator=(Descriptor&& other) noexcept
    {
        std::swap(number_, other.number_);
        return *this;
    }
    ~Descriptor();

    int number() const { return number_; }
    explicit operator bool() const { return number_ >= 0; }
    /// Hands it over to somebody who closes it.
    int release() { return std::exchange(number_, -1); }

private:
    int number_ = -1;
};

}  // namespace cadre::tools
