#include "cli/token_verb.hpp"

#include "base/error.hpp"
#include "base/json_writer.hpp"
#include "base/trim.hpp"
#include "cli/args.hpp"
#include "cli/here.hpp"
#include "cli/output.hpp"
#include "storage/files.hpp"

namespace cadre::cli {
namespace {

int token(const Args&, Output& output)
{
    const auto file = home_here() / "server" / "token";
    const auto text = storage::find_file(file);
    if (!text)
        throw Error(Code::not_found,
                    "there is no token yet: cadre serve makes it at its first start, in " + file.string());
    const std::string token(trimmed(*text));
    if (!output.json) {
        output.print(token + "\n");
        return 0;
    }
    std::string json;
    JsonWriter(json).begin_object().field("token", token).field("file", file.string()).end_object();
    output.print(json + "\n");
    return 0;
}

}  // namespace

Verb token_verb()
{
    return {
        .name = "token",
        .summary = "Print the admin's token of this home's server",
        .text =
            "cadre serve makes it at its first start and keeps it in server/token of the home. With it, a client may "
            "do "
            "everything; give others keys of their own (POST /keys). To have a new one made, remove the file and start "
            "the server again.",
        .examples = {{"curl -H \"Authorization: Bearer $(cadre token)\" $URL/whoami", "Who am I?"}},
        .run = token,
    };
}

}  // namespace cadre::cli
