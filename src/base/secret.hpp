// A value that cannot be printed by accident.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace cadre {

/// Holds a key, token or password. It has no operator<<, no JSON and no fmt form; who needs the text says `reveal()`.
/// While it or a copy lives, the redactor masks its text wherever it turns up; its memory is wiped when the last one
/// dies. Copies are cheap and share the text.
class Secret {
public:
    Secret() = default;
    explicit Secret(std::string text);

    std::string_view reveal() const;
    bool empty() const { return reveal().empty(); }

    /// For people: `…wxyz`; short secrets show nothing of themselves.
    std::string masked() const;

    /// Texts of one length take the same time wherever they differ.
    friend bool operator==(const Secret& a, const Secret& b);

private:
    class Held;
    std::shared_ptr<const Held> held_;
};

/// `text` with every living Secret masked; nothing when there is none in it. redact() does this, and more.
std::optional<std::string> find_masked_secrets(std::string_view text);

}  // namespace cadre
