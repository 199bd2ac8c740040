// main(): sets up the process and runs the verb.
#include "base/crash_at.hpp"
#include "base/error.hpp"
#include "cli/environment.hpp"
#include "cli/here.hpp"
#include "cli/output.hpp"
#include "cli/run.hpp"
#include "net/descriptor_limit.hpp"

#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <string>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

namespace {

/// A file opened while standard output is closed would become standard output. What stands in its place fails on use, as a
/// closed one does: it cannot be read where it should be, and not be written.
void occupy_standard_descriptors()
{
    for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
        if (::fcntl(descriptor, F_GETFD) != -1) continue;
        if (::open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY) == -1)
            std::_Exit(cadre::surface(cadre::Code::unavailable).exit);
    }
}

void set_up_process()
{
    occupy_standard_descriptors();
    ::umask(077);                // what we write is for its owner
    ::signal(SIGPIPE, SIG_IGN);  // a closed pipe is an error of the write,
    ::signal(SIGXFSZ, SIG_IGN);  // and so is a file that may not grow
    const rlimit none{};
    ::setrlimit(RLIMIT_CORE, &none);  // memory holds keys,
#if !defined(__SANITIZE_ADDRESS__) && !(defined(__has_feature) && __has_feature(address_sanitizer))
    ::prctl(PR_SET_DUMPABLE, 0);  // which other programs of this user must not read; the leak checker has to
#endif
    cadre::net::raise_descriptor_limit();
}

}  // namespace

int main(int argc, char** argv)
{
    set_up_process();
    const std::vector<std::string> words(argv + (argc > 0), argv + argc);
    cadre::cli::Output output = cadre::cli::standard_output();
    output.log = cadre::cli::log_here;
    try {
        if (const auto place = cadre::cli::environment("CADRE_CRASH_AT")) cadre::crash_at(*place);
    } catch (const cadre::Error& error) {
        return cadre::cli::report(output, error);
    }
    return cadre::cli::run(cadre::cli::program(), words, output);
}
