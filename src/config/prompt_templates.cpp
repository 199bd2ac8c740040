#include "config/prompt_templates.hpp"

#include "base/error.hpp"
#include "config/named_files.hpp"
#include "config/project.hpp"
#include "text/template_names.hpp"

#include <boost/json.hpp>
#include <fmt/core.h>

#include <map>
#include <set>

namespace cadre::config {

namespace {

namespace fs = std::filesystem;

/// As people are told it: relative to where `file`, which names it, is shown from.
std::string shown_beside(const File& file, const fs::path& path)
{
    const std::string whole = file.path.string();
    if (!whole.ends_with('/' + file.shown)) return path.string();
    const fs::path from = whole.substr(0, whole.size() - file.shown.size() - 1);
    const fs::path relative = path.lexically_relative(from);
    return relative.empty() || *relative.begin() == ".." ? path.string() : relative.string();
}

class TemplateFiles {
public:
    TemplateFiles(const File& file, Findings& findings) : file_(file), findings_(findings) {}

    /// Parses the template, so that all that it includes is read too.
    void take(const fs::path& path)
    {
        const std::string name = key_of(path);
        if (!seen_.insert(name).second) return;
        const std::string* text = read(path, findings_);
        if (!text) return;
        text::TemplateOptions options{.name = name};
        options.includes = [this](std::string_view wanted, std::string_view by) { return include(wanted, by); };
        try {
            text::expect_known(text::Template::parse(*text, options), text::prompt_names());
        } catch (const text::TemplateError& error) {
            const auto& [where, line, column] = error.place();
            findings_.error(shown_beside(file_, file_.root / where), {line, column}, error.reason());
        }
    }

    const std::map<std::string, std::string>& texts() const { return texts_; }
    std::string key_of(const fs::path& path) const { return path.lexically_relative(file_.root).string(); }

private:
    std::optional<text::Included> include(std::string_view name, std::string_view by)
    {
        const NamedFile found = find_named(name, file_.root / by, file_.root);
        if (found.missing) return std::nullopt;
        if (!found.fault.empty()) return text::Included{.fault = found.fault};
        Findings problems;
        const std::string* text = read(found.path, problems);
        if (!text) return text::Included{.fault = problems.list().front().text};
        return text::Included{.name = key_of(found.path), .source = *text};
    }

    /// Null: `findings` say why not. What was read stays where it is.
    const std::string* read(const fs::path& path, Findings& findings)
    {
        const std::string name = key_of(path), shown = shown_beside(file_, path);
        if (const auto known = texts_.find(name); known != texts_.end()) return &known->second;
        auto text = read_file(path, shown, findings, kMaxTemplateBytes);
        if (!text) return nullptr;
        bytes_ += text->size();
        if (bytes_ > kMaxTemplateBytes) {
            findings.error(shown, {}, "with it the templates of this team have more than 1 MiB together; shorten them");
            return nullptr;
        }
        return &(texts_[name] = std::move(*text));
    }

    const File& file_;
    Findings& findings_;
    std::map<std::string, std::string> texts_;
    std::set<std::string> seen_;
    std::size_t bytes_ = 0;
};

}  // namespace

void take_templates(model::Team& team, const File& file, Findings& findings)
{
    TemplateFiles files(file, findings);
    for (model::Agent& agent : team.agents) {
        if (!agent.prompt_template) continue;
        const NamedFile named = find_named(*agent.prompt_template, file.path, file.root);
        if (!named.fault.empty()) continue;  // which was told
        files.take(named.path);
        agent.prompt_template = files.key_of(named.path);
    }
    for (const auto& [path, text] : files.texts()) team.templates[path] = text;
}

}  // namespace cadre::config
