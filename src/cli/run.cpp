#include "cli/run.hpp"

#include "base/cancel.hpp"
#include "base/error.hpp"
#include "base/id.hpp"
#include "base/json_writer.hpp"
#include "base/log.hpp"
#include "base/redact.hpp"
#include "cli/args.hpp"
#include "cli/environment.hpp"
#include "cli/help.hpp"
#include "cli/layout.hpp"
#include "cli/remote_verbs.hpp"
#include "cli/trust_verb.hpp"

#include <fmt/core.h>

#include <exception>
#include <memory>

namespace cadre::cli {
namespace {

class ErrorStream final : public LogSink {
public:
    explicit ErrorStream(const Output& output) : output_(output) {}
    void write(Level, std::string_view line) override { output_.complain(line); }

private:
    const Output& output_;
};

int report(const Output& output, Code code, std::string_view what, const UsageError* typed = nullptr,
           const Hint& hint = {})
{
    std::string message = redact(what);
    const std::string next =
        hint.verb.empty() ? "" : fmt::format("{}: {}", hint.purpose, as_typed("cadre " + hint.verb));
    const bool is_wrapped = output.wraps && !output.json;
    if (!next.empty() && !is_wrapped) message += "; " + next;
    std::string text;
    if (output.json) {
        JsonWriter json(text);
        json.begin_object().key("error").begin_object();
        json.field("code", name_of(code)).field("message", message);
        if (typed) json.field("usage", typed->usage).field("help", typed->help);
        json.end_object().end_object();
    } else {
        constexpr std::string_view kWho = "cadre:";
        text = fmt::format("{} {}", kWho, printable(message));
        if (is_wrapped) {
            text = wrapped(text);
            text.pop_back();
            if (!next.empty()) text += "\n" + printable(next);  // in one piece, so that it can be copied
        }
        text.replace(0, kWho.size(), output.err.paint(Tone::red, kWho));
        if (typed) text += fmt::format("\nUsage: {}\nHelp:  {}", typed->usage, typed->help);
    }
    output.complain(text + "\n");
    return surface(code).exit;
}

Log log_of_bugs(const Output& output)
{
    try {
        if (output.log) return output.log();
    } catch (const Error&) {
        // there is no home to write to
    }
    return {std::make_shared<ErrorStream>(output), Level::error};
}

/// Its text may say anything, so it goes to the log, which is redacted; the person gets the id that finds it there.
int report_bug(const Output& output, std::string_view what)
{
    const std::string id = to_string(new_id());
    log_of_bugs(output).error("internal error", {{"id", id}, {"what", what}});
    return report(output, Code::internal, fmt::format("internal error {}; please report it", id));
}

int run_verb(const Program& program, std::span<const std::string> words, Output& output)
{
    const Command command = parse_command(program, words);
    output.quiet = command.args.has("quiet");
    if (command.args.has("trust")) set_environment("CADRE_TRUST", "1");  // for what this process starts, too
    if (!command.args.has("help")) {
        if (const auto server = server_for(*command.verb, command.args))
            return find_remote(command.verb->name)(command.args, output, *server);
        return command.verb->run(command.args, output);
    }
    explain(program, *command.verb, output);
    return 0;
}

}  // namespace

int report(const Output& output, const Error& error)
{
    return report(output, error.code(), error.what(), nullptr, error.hint());
}

int run(const Program& program, std::span<const std::string> words, Output& output)
{
    // before anything can fail: these two say what a failure looks like
    output.json = asks_for("json", words);
    if (asks_for("no-color", words)) output.out.paint.on = output.err.paint.on = false;
    try {
        return run_verb(program, words, output);
    } catch (const ReaderGone& gone) {
        return surface(gone.code()).exit;
    } catch (const UsageError& error) {
        return report(output, error.code(), error.what(), &error);
    } catch (const home::NotTrusted& refused) {
        if (ask_for_trust(refused, output)) begin_again();
        return report(output, refused);
    } catch (const Error& error) {
        return report(output, error);
    } catch (const Cancelled&) {
        return report(output, Code::cancelled, "cancelled");
    } catch (const std::exception& bug) {
        return report_bug(output, bug.what());
    } catch (...) {
        return report_bug(output, "something that is not a std::exception");
    }
}

}  // namespace cadre::cli
