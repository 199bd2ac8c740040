// Where the frames of coroutines come from: each thread keeps some of those that have ended.
#include "cadre/async.hpp"

#include <array>
#include <cstdint>
#include <new>

namespace cadre {

namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kKeeps = false;  // so that a use after the end is seen
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
constexpr bool kKeeps = false;
#else
constexpr bool kKeeps = true;
#endif
#else
constexpr bool kKeeps = true;
#endif

constexpr std::size_t kStep = 64;       // sizes are rounded up to a multiple of it
constexpr std::size_t kLargest = 4096;  // that is kept
constexpr std::uint16_t kMost = 64;     // of each size

struct Kept {
    struct Frame {
        Frame* next;
    };
    std::array<Frame*, kLargest / kStep> frames;
    std::array<std::uint16_t, kLargest / kStep> counts;
    bool closed;
};
constinit thread_local Kept kept{};  // trivial, so that frames can end when nearly all of the thread is gone

/// Gives everything back when its thread ends.
struct Cleaner {
    ~Cleaner()
    {
        kept.closed = true;
        for (Kept::Frame*& first : kept.frames)
            while (Kept::Frame* frame = first) {
                first = frame->next;
                ::operator delete(frame);
            }
    }
    void touch() {}
};
thread_local Cleaner cleaner;

std::size_t place_of(std::size_t size)
{
    return (size + kStep - 1) / kStep - 1;
}

}  // namespace

void* PromiseBase::operator new(std::size_t size)
{
    if (!kKeeps || size > kLargest) return ::operator new(size);
    const std::size_t place = place_of(size);
    Kept::Frame* const frame = kept.frames[place];
    if (!frame) {
        cleaner.touch();
        return ::operator new((place + 1) * kStep);
    }
    kept.frames[place] = frame->next;
    --kept.counts[place];
    return frame;
}

void PromiseBase::operator delete(void* frame, std::size_t size) noexcept
{
    const std::size_t place = place_of(size);
    if (!kKeeps || size > kLargest || kept.counts[place] == kMost || kept.closed) return ::operator delete(frame);
    kept.frames[place] = new (frame) Kept::Frame{kept.frames[place]};
    ++kept.counts[place];
}

}  // namespace cadre
