// Who serves models.
#pragma once

#include <string>
#include <string_view>

namespace cadre::model {

class Path;
class Problems;

/// Those whose address Cadre knows (C-08); any other needs a base_url.
inline constexpr std::string_view kProviders[] = {"deepseek", "openai", "anthropic", "ollama", "scripted", "script"};

/// Reports a provider at `path` that is none of these. `other` says what makes another one right.
void check_provider(std::string_view provider, std::string_view other, const Path& path, Problems& problems);

/// For a JSON Schema: `"enum":["deepseek",…]`, of these or of any other list.
template <class List>
std::string enum_of(const List& words)
{
    std::string text;
    for (const std::string_view word : words) text += (text.empty() ? "\"" : ",\"") + std::string(word) + '"';
    return "\"enum\":[" + text + ']';
}

}  // namespace cadre::model
