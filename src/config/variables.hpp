// Environment variables for configuration: the real environment first, then the project's .env, which may set little.
#pragma once

#include "config/finding.hpp"

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace cadre::config {

/// The process's environment, handed in by whoever owns the process. Nothing for a variable that is not set, or empty.
using Environment = std::function<std::optional<std::string>(const std::string& name)>;

/// Variables in which providers' keys are kept by custom: `OPENAI_API_KEY`, …
std::span<const std::string> provider_key_variables();

/// Whether a .env file may never set it: it would change where data go, whom we trust or what is run.
bool is_refused_in_dotenv(std::string_view name);

/// Lives as long as the reading of one project; not for several threads.
class Variables {
public:
    /// `names` are those of all variables of the environment that are set, be it to nothing.
    explicit Variables(Environment environment, std::vector<std::string> names = {})
        : environment_(std::move(environment)), names_(std::move(names))
    {}

    /// Takes the text of a .env file: `NAME=value` lines, `export` before them, quotes, comments. The first value of a name
    /// counts. What cannot be read is an error, a name that may not be set a warning.
    void add_dotenv(const std::string& file, std::string_view text, Findings& findings);

    /// For a ${NAME} in a configuration file; from then on find() may also take it from .env.
    std::optional<std::string> refer(const std::string& name);
    /// For everybody else: .env counts only for what the configuration refers to and for providers' keys.
    std::optional<std::string> find(const std::string& name) const;

    /// Set, but to nothing: in the environment, or in .env for a name that was referred to.
    bool is_empty(const std::string& name) const;

    /// After everything was read: warns of lines in .env that nothing uses and that look like a slip of the pen.
    void warn_of_slips(Findings& findings) const;

private:
    struct Line {
        std::string name, value, file;
        Position at;
    };
    const Line* find_line(std::string_view name) const;
    void add_line(Line line, Findings& findings);

    Environment environment_;
    std::vector<std::string> names_;
    std::vector<Line> lines_;
    std::map<std::string, std::size_t, std::less<>> places_;  // of each name in lines_
    std::set<std::string, std::less<>> referred_;
};

}  // namespace cadre::config
