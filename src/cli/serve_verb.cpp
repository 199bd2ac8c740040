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
#include "cli/verb_context.hpp"
#include "cli/version.hpp"
#include "home/home_owner.hpp"
#include "home/project/project.hpp"
#include "server/auth/jwt_settings.hpp"
#include "server/server.hpp"
#include "server/sign_in.hpp"
#include "storage/home.hpp"

#include <fmt/format.h>

#include <optional>
#include <unistd.h>

namespace cadre::cli {
namespace {

/// The project's settings, and what the command line says instead.
config::ServerSettings settings_of(const Args& args)
{
    config::ServerSettings settings = project_here()->settings().server;
    if (args.has("listen")) settings.listen = args.all("listen");
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

/// Lives on its loop.
class ServeCommand {
public:
    ServeCommand(const Args& args, const Output& output)
        : console_(output),
          settings_(settings_of(args)),
          options_(runtime_here()),
          interrupts_(loop_),
          owner_(loop_, options_, lock_of(options_.home),
                 [&output](const std::exception_ptr& failure) { end_without_journal(output, failure); })
    {
        if (settings_.auth) token_ = server::admin_token(options_.home);
        server_.emplace(loop_, owner_, settings_, token_ ? std::optional(token_->key) : std::nullopt,
                        Log(options_.log, Level::warning), std::string(build_info().version));
    }

    int run() { return cadre::run(loop_, finally(serve(), interrupts_.close())); }

private:
    Async<int> serve()
    {
        const Interrupts::GoodOrder order(interrupts_);
        const std::size_t tasks = co_await owner_.drive_all_by_itself();
        server_->open();
        co_await greet(tasks);
        co_await interrupts_.came();
        if (!console_.output().quiet && !console_.output().json)
            co_await console_.err("finishing what is under way; Ctrl-C quits now, and no work is lost\n");
        co_await server_->drain();
        server_.reset();
        Race race(co_await this_context());
        race.beside(cut_off_models());
        race.add(owner_.leave());
        co_await race.over();
        co_return 0;
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

    net::Loop loop_;
    Console console_;
    config::ServerSettings settings_;
    home::RuntimeOptions options_;
    std::optional<server::AdminToken> token_;
    Interrupts interrupts_;
    home::HomeOwner owner_;
    std::optional<server::Server> server_;
};

int serve(const Args& args, Output& output)
{
    return ServeCommand(args, output).run();
}

}  // namespace

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
                  {.name = "allow-root", .help = "Run as root although other machines can connect"},
                  {.name = "drain", .value = "TIME", .help = "How long requests under way have at the end; 10s"}},
        .text = "Tasks are created, watched, answered and stopped over HTTP; /docs lists the routes, /openapi.json "
                "describes them. "
                "All unfinished tasks of the home continue. The other verbs work beside it as ever.\n\n"
                "Every request needs a token: Authorization: Bearer TOKEN. The admin's is made at the first start and "
                "kept in "
                "server/token of the home.\n\n"
                "Without --listen it is http://127.0.0.1:8080. Addresses that other machines can reach need TLS, here "
                "or in a "
                "proxy in front.",
        .examples = {{"cadre serve", "on 127.0.0.1:8080, with a token"},
                     {"cadre serve --no-auth --listen 127.0.0.1:9000", "for trying it out"}},
        .run = serve,
    };
}

}  // namespace cadre::cli
