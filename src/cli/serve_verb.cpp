#include "cli/serve_verb.hpp"

#include "base/async.hpp"
#include "base/error.hpp"
#include "base/json_writer.hpp"
#include "base/plural.hpp"
#include "base/race.hpp"
#include "base/run.hpp"
#include "base/timeout.hpp"
#include "cli/args.hpp"
#include "cli/console.hpp"
#include "cli/environment.hpp"
#include "cli/here.hpp"
#include "cli/interrupts.hpp"
#include "cli/output.hpp"
#include "cli/project_watch.hpp"
#include "cli/systemd.hpp"
#include "cli/trust_verb.hpp"
#include "cli/verb_context.hpp"
#include "cli/version.hpp"
#include "config/project.hpp"
#include "home/home_owner.hpp"
#include "home/project/project.hpp"
#include "home/project/resolve.hpp"
#include "model/task.hpp"
#include "model/wire_name.hpp"
#include "net/inherited.hpp"
#include "net/signals.hpp"
#include "server/auth/jwt_settings.hpp"
#include "server/server.hpp"
#include "server/sign_in.hpp"
#include "storage/home.hpp"

#include <fmt/format.h>

#include <csignal>
#include <fcntl.h>
#include <optional>
#include <unistd.h>
#include <vector>

namespace cadre::cli {
namespace {

/// What the project says, and what the command line and the supervisor say instead. Throws Error(invalid) with all that is wrong with it.
config::ServerSettings settings_of(const Args& args, const home::Project& project, const std::vector<int>& sockets)
{
    config::ServerSettings settings = project.settings().server;
    if (args.has("listen")) settings.listen = args.all("listen");
    if (!sockets.empty()) settings.listen.clear();
    for (const int socket : sockets) settings.listen.push_back(net::listening_name(socket));
    if (const auto url = args.find("public-url")) settings.public_url = *url;
    if (const auto file = args.find("tls-cert")) settings.tls_cert = *file;
    if (const auto file = args.find("tls-key")) settings.tls_key = *file;
    if (args.has("behind-proxy")) settings.behind_proxy = true;
    if (args.has("no-auth")) settings.auth = false;
    if (args.has("allow-root")) settings.allow_root = true;
    if (const auto time = args.find("drain"))
        settings.drain_seconds = static_cast<int>(duration_from(*time).count() / 1000);
    if (const auto faults = server::faults_of(settings, ::geteuid() == 0, server::jwt_secret(environment));
        !faults.empty())
        throw Error(Code::invalid, fmt::format("{}", fmt::join(faults, "\n")));
    return settings;
}

storage::HomeLock lock_of(const std::filesystem::path& home)
{
    if (auto lock = storage::HomeLock::try_acquire(home)) return std::move(*lock);
    const auto pid = storage::owner_pid(home);
    throw Error(Code::conflict,
                fmt::format("{} works with the home {}; let it finish, or end it, and start the server again",
                            pid ? fmt::format("process {}", *pid) : "another process", home.string()));
}

/// Whether the terminal that this process was started in is still there.
bool has_terminal()
{
    const int terminal = ::open("/dev/tty", O_RDONLY | O_CLOEXEC | O_NOCTTY);
    if (terminal >= 0) ::close(terminal);
    return terminal >= 0;
}

/// What is wrong with what can be run, as `check` says it; empty: nothing.
std::string problems_of(const home::Project& project)
{
    std::string text;
    for (const std::filesystem::path& file : config::files_of(project.folder())) {
        const auto kind = config::kind_by_name(file);
        if (kind != config::FileKind::team && kind != config::FileKind::agent && kind != config::FileKind::workflow)
            continue;
        try {
            home::resolve(project, file).findings.raise();
        } catch (const Error& error) {
            text += std::string(error.what()) + "\n";
        }
    }
    return text;
}

/// Lives on its loop.
class ServeCommand {
public:
    /// `develops`: for whoever writes the project, on this machine.
    ServeCommand(const Args& args, const Output& output, bool develops = false)
        : args_(args),
          develops_(develops),
          console_(output),
          sockets_(inherited_sockets()),
          settings_(settings_of(args, *project_here(), sockets_)),
          options_(runtime_here()),
          interrupts_(loop_, false),
          hang_ups_(loop_, {SIGHUP}),
          owner_(loop_, options_, lock_of(options_.home),
                 [&output](const std::exception_ptr& failure) { end_without_journal(output, failure); })
    {
        if (settings_.auth) token_ = server::admin_token(options_.home);
        server_.emplace(loop_, owner_, settings_, token_ ? std::optional(token_->key) : std::nullopt,
                        Log(options_.log, options_.log_level), std::string(build_info().version), sockets_);
    }

    int run() { return cadre::run(loop_, finally(serve(), interrupts_.close())); }

private:
    Async<int> serve()
    {
        const Interrupts::GoodOrder order(interrupts_);
        co_await owner_.drive_all_by_itself();
        co_await owner_.open_channels();
        server_->open();
        co_await greet(co_await resumed());
        tell_supervisor("READY=1");
        co_await until_the_end();
        tell_supervisor("STOPPING=1");
        if (!console_.output().quiet && !console_.output().json)
            co_await console_.err("finishing what is running; Ctrl-C quits now, and no work is lost\n");
        co_await server_->drain();
        server_.reset();
        Race race(co_await this_context());
        race.beside(cut_off_models());
        race.add(owner_.leave());
        co_await race.over();
        co_return 0;
    }

    /// Tasks that do something again; others wait for a person, or to be started.
    Async<std::size_t> resumed()
    {
        storage::Store& store = owner_.runtime().store();
        const std::string running(model::wire_name(model::TaskStatus::running));
        co_return (co_await store.tasks({.statuses = {running}, .limit = SIZE_MAX})).size();
    }

    Async<> until_the_end()
    {
        Race race(co_await this_context());
        race.add(interrupts_.came());
        race.add(heed_hang_ups());
        race.beside(show_life());
        if (develops_) race.beside(watch_project());
        co_await race.over();
    }

    /// SIGHUP reads settings and keys again. Ends when it meant that the terminal is gone.
    Async<> heed_hang_ups()
    {
        const bool had_terminal = has_terminal();
        while (true) {
            co_await hang_ups_.next();
            if (had_terminal && !has_terminal()) co_return;
            tell_supervisor("RELOADING=1");
            co_await console_.err(reload());
            tell_supervisor("READY=1");
        }
    }

    /// What came of it. Tasks that run keep what they began with.
    std::string reload()
    {
        const Log log(options_.log, options_.log_level);
        try {
            const auto project = owner_.runtime().projects().open(options_.place.folder);
            config::ServerSettings settings = settings_of(args_, *project, sockets_);
            std::optional<server::ApiKey> admin;
            if (settings_.auth) admin = server::admin_token(options_.home).key;
            auto later = server_->reload(settings, std::move(admin));
            if (project->settings().redis != project_here()->settings().redis) later.emplace_back("redis");
            log.info("settings were read again");
            if (later.empty()) return "settings were read again\n";
            return fmt::format("settings were read again; these need another start: {}\n", fmt::join(later, ", "));
        } catch (const Error& error) {
            log.warning("settings could not be read again; all stays as it was", {{"what", error.what()}});
            return fmt::format("settings could not be read again, so all stays as it was:\n{}\n", error.what());
        }
    }

    /// Tells at once what was broken or mended; tasks that begin have what the files say then.
    Async<> watch_project()
    {
        ProjectWatch watch(loop_, project_here()->folder());
        while (true) {
            co_await watch.changed();
            std::string text = reload();
            try {
                const auto project = owner_.runtime().projects().open(options_.place.folder);
                const std::string problems = problems_of(*project);
                text = problems.empty() ? "files have changed, and all is well\n" : problems;
            } catch (const Error&) {
                // told by reload()
            }
            co_await console_.err(text);
        }
    }

    /// For a supervisor that wants to hear so now and then. Whose journal cannot be written is not alive.
    Async<> show_life()
    {
        const auto patience = supervisor_patience();
        while (patience && !owner_.runtime().host().store_failure()) {
            tell_supervisor("WATCHDOG=1");
            co_await sleep_for(*patience / 2);
        }
    }

    /// Who leaves waits for steps under way, and not for ever for a model: it is asked again later.
    Async<> cut_off_models()
    {
        co_await sleep_for(std::chrono::seconds(settings_.drain_seconds));
        home::Runtime& home = owner_.runtime();
        for (const storage::TaskEntry& entry : co_await home.store().tasks({.open_only = true, .limit = SIZE_MAX}))
            co_await home.host().park_at_once(entry.task);
    }

    Async<> greet(std::size_t tasks)
    {
        const std::vector<std::string> urls = server_->urls();
        if (console_.output().json) {
            std::string text;
            JsonWriter json(text);
            json.begin_object().key("urls").begin_array();
            for (const std::string& url : urls) json.value(url);
            json.end_array().field("url", urls.front()).field("tasks", std::uint64_t{tasks}).field("pid", ::getpid());
            if (token_) json.field("token_file", token_->file.string());
            json.end_object();
            co_return co_await console_.out(text + "\n");
        }
        if (console_.output().quiet) co_return;
        if (develops_) {
            const std::string token = token_ ? "#" + std::string(token_->key.text().reveal()) : "";
            co_return co_await console_.err(
                fmt::format("open {}/{}\nfiles of the project are watched; Ctrl-C ends it\n", urls.front(), token));
        }
        std::string text;
        for (const std::string& url : urls) text += fmt::format("listening on {}\n", url);
        text += fmt::format("docs         {}/docs\n", urls.front());
        if (tasks > 0) text += fmt::format("resumed      {}\n", plural(tasks, "unfinished task"));
        if (!token_) text += "token        none: everybody on this machine may do everything\n";
        else if (token_->is_new && ::isatty(STDERR_FILENO) == 1)
            text += fmt::format("token        {}  (also in {})\n", token_->key.text().reveal(), token_->file.string());
        else text += fmt::format("token        in {}\n", token_->file.string());
        co_await console_.err(text + "Ctrl-C ends it\n");
    }

    const Args& args_;
    bool develops_;
    net::Loop loop_;
    Console console_;
    std::vector<int> sockets_;  // that were opened for this process
    config::ServerSettings settings_;
    home::RuntimeOptions options_;
    std::optional<server::AdminToken> token_;
    Interrupts interrupts_;
    net::Signals hang_ups_;
    home::HomeOwner owner_;
    std::optional<server::Server> server_;
};

int serve(const Args& args, Output& output)
{
    const auto project = project_here();
    home::expect_trusted(*project, all_wants(project->folder()));  // nobody can be asked later
    project->accounts();  // what is wrong with them is said now, and not to the first webhook
    return ServeCommand(args, output).run();
}

int develop(const Args& args, Output& output)
{
    return ServeCommand(args, output, true).run();
}

}  // namespace

Verb dev_verb()
{
    return {
        .name = "dev",
        .summary = "Serve this project, with a page, while you write it",
        .flags = {{.name = "listen", .value = "ADDRESS", .help = "ADDRESS:PORT; 127.0.0.1:8080 without it"}},
        .text =
            "Prints one link. The page behind it lists the tasks, starts one, and leads to the API. Files of the "
            "project "
            "are watched: what is wrong with them is told when they are saved, and the next task has what they say.\n\n"
            "It is cadre serve with the admin's token in the link, behind the #, which browsers do not send.",
        .examples = {{"cadre dev", "Then open the link"}},
        .run = develop,
    };
}

Verb serve_verb()
{
    return {
        .name = "serve",
        .summary = "Serve this project's teams and tasks over HTTP",
        .flags = {{.name = "listen",
                   .value = "ADDRESS",
                   .help = "ADDRESS:PORT or unix:PATH; may be given several times"},
                  {.name = "public-url", .value = "URL", .help = "What clients call it, behind a proxy"},
                  {.name = "tls-cert", .value = "FILE", .help = "Certificate, for https"},
                  {.name = "tls-key", .value = "FILE", .help = "Its key"},
                  {.name = "behind-proxy", .help = "A proxy in front speaks TLS"},
                  {.name = "no-auth", .help = "Require no token; on addresses of this machine only"},
                  {.name = "trust", .help = "Trust the project for this once, as CADRE_TRUST=1 does"},
                  {.name = "allow-root", .help = "Run as root although other machines can connect"},
                  {.name = "drain", .value = "TIME", .help = "How long running requests have at the end; 10s"}},
        .text = "Tasks are created, watched, answered and stopped over HTTP; /docs lists the routes, /openapi.json "
                "describes them. "
                "All unfinished tasks of the home continue. The other verbs work beside it as ever.\n\n"
                "Every request needs a token: Authorization: Bearer TOKEN. The admin's is made at the first start and "
                "kept in "
                "server/token of the home.\n\n"
                "SIGHUP reads settings, keys and certificates again; running tasks and streams stay as they are. "
                "Under systemd "
                "it takes the sockets that are handed to it, and says when it is ready.\n\n"
                "Without --listen it is http://127.0.0.1:8080. Addresses that other machines can reach need TLS, here "
                "or in a "
                "proxy in front.",
        .examples = {{"cadre serve", "on 127.0.0.1:8080, with a token"},
                     {"cadre serve --no-auth --listen 127.0.0.1:9000", "for trying it out"}},
        .run = serve,
    };
}

}  // namespace cadre::cli
