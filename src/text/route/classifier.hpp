// Which entry of a catalogue a request belongs to, how sure that is, and whether it belongs to any.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace cadre::text {
class Encoder;
}

namespace cadre::text::route {

struct Entry {
    std::string name{};
    std::string description{};
    std::vector<std::string> examples{};  // requests that belong to it
};

struct Standing {
    std::size_t entry = 0;
    double probability = 0;
};

struct Verdict {
    std::vector<Standing> best{};  // the most probable first; empty: there are no entries
    double confidence = 0;         // that the first one is right
    double in_scope = 0;           // that the request belongs to any of them
    std::string nearest{};         // the example that is most like it, of whichever entry; empty: nothing is

    bool is_out_of_scope() const { return in_scope < 0.5; }
};

inline constexpr std::size_t kUsualStandings = 5;

/// Learns from the entries when it is made: their examples, names and descriptions. How much words and meaning count, and how sure
/// it is of what, it finds by trying itself on examples that it has put aside. Often and from any thread.
class Classifier {
public:
    /// Without an encoder, words and pieces of words are all that counts.
    explicit Classifier(std::span<const Entry> entries, std::shared_ptr<const Encoder> encoder = nullptr);
    Classifier(Classifier&&) noexcept;
    Classifier& operator=(Classifier&&) noexcept;
    ~Classifier();

    Verdict classify(std::string_view text, std::size_t standings = kUsualStandings) const;
    std::vector<Verdict> classify(std::span<const std::string_view> texts,
                                  std::size_t standings = kUsualStandings) const;
    /// Which encoder's vectors it compares: its id, or `words`.
    std::string encoder() const;
    bool has_encoder() const;

private:
    class Impl;
    std::unique_ptr<const Impl> impl_;
};

}  // namespace cadre::text::route
