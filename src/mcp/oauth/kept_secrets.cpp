#include "mcp/oauth/kept_secrets.hpp"

#include "base/async.hpp"
#include "base/error.hpp"
#include "base/json.hpp"
#include "base/pool.hpp"
#include "mcp/members.hpp"
#include "storage/files.hpp"

#include <boost/json.hpp>
#include <fmt/core.h>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

namespace cadre::mcp::oauth {

namespace {

namespace fs = std::filesystem;

constexpr JsonLimits kSecretsLimits{.bytes = 16 << 20};

/// One program at a time changes the file; the file itself is replaced, so the lock is beside it.
class Lock {
public:
    explicit Lock(const fs::path& file) : opened_(::open(name(file).c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600))
    {
        if (!opened_) storage::throw_errno("lock", name(file));
        while (::flock(opened_.get(), LOCK_EX) != 0)
            if (errno != EINTR) storage::throw_errno("lock", name(file));
    }

private:
    static fs::path name(const fs::path& file) { return file.string() + ".lock"; }

    storage::Descriptor opened_;
};

void expect_private(const fs::path& file)
{
    struct stat facts{};
    if (::stat(file.c_str(), &facts) != 0) return;
    if (facts.st_uid != ::geteuid() && ::geteuid() != 0)
        throw Error(Code::forbidden, fmt::format("{} belongs to somebody else; it is not used", file.string()));
    if ((facts.st_mode & 077) != 0)
        throw Error(Code::forbidden,
                    fmt::format("others may read {}, which holds secrets: chmod 600 {}, and replace what it holds "
                                "if they may have read it",
                                file.string(), file.string()));
}

Secret secret_in(const json::object& object, std::string_view name)
{
    return Secret(std::string(text_in(object, name)));
}

std::vector<Record> read(const fs::path& file)
{
    std::vector<Record> all;
    expect_private(file);
    const auto text = storage::find_file(file);
    if (!text) return all;
    try {
        const json::value whole = parse_json(*text, kSecretsLimits);
        for (const json::value& value : whole.as_object().at("kept").as_array()) {
            const json::object& one = value.as_object();
            const auto word = [&](std::string_view name) { return std::string(text_in(one, name)); };
            Record record{
                .whom = {word("server"), word("url"), word("token_url"), word("client_id")},
                .kept = {.bearer = secret_in(one, "bearer"),
                         .client_secret = secret_in(one, "client_secret"),
                         .private_key = secret_in(one, "private_key"),
                         .issuer = word("issuer"),
                         .access_token = secret_in(one, "access_token"),
                         .scope = word("scope")},
            };
            if (const std::string until = word("expires"); !until.empty()) record.kept.expires = time_from_iso(until);
            all.push_back(std::move(record));
        }
    } catch (const std::exception&) {  // whose own words may show what stands there
        throw Error(Code::malformed, fmt::format("{} cannot be read; remove it", file.string()),
                    {"then sign in again", "mcp login SERVER"});
    }
    return all;
}

void write(const fs::path& file, const std::vector<Record>& all)
{
    json::array records;
    for (const Record& record : all) {
        json::object one;
        const auto add = [&](std::string_view name, std::string_view value) {
            if (!value.empty()) one[name] = value;
        };
        add("server", record.whom.server);
        add("url", record.whom.url);
        add("token_url", record.whom.token_url);
        add("client_id", record.whom.client_id);
        add("bearer", record.kept.bearer.reveal());
        add("client_secret", record.kept.client_secret.reveal());
        add("private_key", record.kept.private_key.reveal());
        add("issuer", record.kept.issuer);
        add("access_token", record.kept.access_token.reveal());
        add("scope", record.kept.scope);
        if (!record.kept.access_token.empty()) add("expires", to_iso(record.kept.expires));
        records.push_back(std::move(one));
    }
    const json::value whole = json::object{{"kept", std::move(records)}};
    storage::write_private_file(file, to_pretty_text(whole));
}

}  // namespace

KeptSecrets::KeptSecrets(const fs::path& home) : file_(home / "mcp_secrets.json")
{}

KeptSecrets::~KeptSecrets() = default;

ThreadPool& KeptSecrets::pool()
{
    if (!pool_) pool_ = std::make_unique<ThreadPool>(1);
    return *pool_;
}

Async<std::optional<Kept>> KeptSecrets::find(KeptFor whom)
{
    auto work = [file = file_, whom = std::move(whom)]() -> std::optional<Kept> {
        for (Record& record : read(file))
            if (record.whom == whom) return std::move(record.kept);
        return std::nullopt;
    };
    co_return co_await on(pool(), std::move(work));
}

Async<> KeptSecrets::change(std::function<void(std::vector<Record>&)> change)
{
    auto work = [file = file_, change = std::move(change)] {
        storage::make_private_folder(file.parent_path());
        const Lock lock(file);
        std::vector<Record> all = read(file);
        change(all);
        write(file, all);
    };
    co_await on(pool(), std::move(work));
}

Async<> KeptSecrets::keep(KeptFor whom, Kept kept)
{
    auto replace = [record = Record{std::move(whom), std::move(kept)}](std::vector<Record>& all) {
        std::erase_if(all, [&](const Record& one) {
            return one.whom.server == record.whom.server && one.whom.url == record.whom.url;
        });
        all.push_back(record);
    };
    co_await change(std::move(replace));
}

Async<> KeptSecrets::keep_grant(KeptFor whom, Kept granted)
{
    auto note = [whom = std::move(whom), granted = std::move(granted)](std::vector<Record>& all) {
        auto place = std::ranges::find(all, whom, &Record::whom);
        if (place == all.end()) place = all.insert(all.end(), {.whom = whom});
        place->kept.issuer = granted.issuer;
        place->kept.access_token = granted.access_token;
        place->kept.scope = granted.scope;
        place->kept.expires = granted.expires;
    };
    co_await change(std::move(note));
}

Async<bool> KeptSecrets::forget(std::string server)
{
    const auto any = std::make_shared<bool>(false);
    auto drop = [any, server = std::move(server)](std::vector<Record>& all) {
        *any = std::erase_if(all, [&](const Record& one) { return one.whom.server == server; }) > 0;
    };
    co_await change(std::move(drop));
    co_return *any;
}

}  // namespace cadre::mcp::oauth
