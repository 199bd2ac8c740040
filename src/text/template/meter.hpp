// How much a template has done, and how much it may: whatever it says, it ends soon and in little memory.
#pragma once

#include <cstddef>
#include <cstdint>

namespace cadre::text::tpl {

inline constexpr std::size_t kMaxSource = 256 * 1024;
inline constexpr std::size_t kMaxIncludeDepth = 8;
inline constexpr std::size_t kMaxNesting = 64;
inline constexpr std::size_t kMaxOperations = 1'000'000;
inline constexpr std::size_t kMaxTurns = 100'000;
inline constexpr std::size_t kMaxText = 1024 * 1024;  // the output, and any text on the way to it

/// Counts for one rendering. Who walks over a text or a list charges for it: an operation is about an item, or 64 bytes.
class Meter {
public:
    void charge(std::size_t operations = 1)
    {
        if (operations > left_) exhausted();
        left_ -= operations;
    }
    void charge_bytes(std::size_t bytes) { charge(bytes / 64 + 1); }

    void turn()
    {
        if (turns_-- == 0) too_many_turns();
        charge();
    }

    /// Before a text of this size is made.
    static void check_text(std::size_t bytes)
    {
        if (bytes > kMaxText) text_too_long();
    }

private:
    [[noreturn]] static void exhausted();
    [[noreturn]] static void too_many_turns();
    [[noreturn]] static void text_too_long();

    std::size_t left_ = kMaxOperations;
    std::size_t turns_ = kMaxTurns;
};

}  // namespace cadre::text::tpl
