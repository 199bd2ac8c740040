// The server over TLS and on sockets of the file system; the client is OpenSSL's own, or ours.
#include "net/http_fetch_fixture.hpp"
#include "net/http_server.hpp"
#include "net/test_certificates.hpp"
#include "support/http_world.hpp"

#include <boost/asio/local/stream_protocol.hpp>
#include <doctest/doctest.h>

#include <atomic>
#include <cstdio>
#include <fstream>
#include <thread>

using namespace cadre;
using namespace cadre::test;

namespace {

const Authority& tls_authority()
{
    static const Authority made;
    return made;
}

/// A certificate in files that can be replaced.
class Files {
public:
    explicit Files(const Wish& wish)
    {
        std::string name = (std::filesystem::temp_directory_path() / "cadre_tls_XXXXXX").string();
        folder_ = ::mkdtemp(name.data());
        replace(wish);
    }
    Files(const Files&) = delete;
    Files& operator=(const Files&) = delete;
    ~Files() { std::filesystem::remove_all(folder_); }

    void replace(const Wish& wish) const { tls_authority().write(wish, tls().certificate, tls().key); }
    TlsFiles tls() const { return {.certificate = folder_ / "cert.pem", .key = folder_ / "key.pem"}; }
    std::string path(const std::string& name) const { return folder_ / name; }

private:
    std::filesystem::path folder_;
};

HttpClientOptions trusting()
{
    HttpClientOptions made{.ca_file = tls_authority().file()};
    for (const char* name : {"right.test", "other.test"}) made.hosts[name] = {find_ip_address("127.0.0.1").value()};
    return made;
}

std::string https(const World& world, const std::string& path, const std::string& host = "right.test")
{
    return "https://" + host + ":" + std::to_string(world.server.port()) + path;
}

}  // namespace

TEST_CASE("server tls: requests, large bodies and streams, over one connection")
{
    const Files files({});
    World world({.tls = files.tls()});
    CHECK(world.server.url() == "https://127.0.0.1:" + std::to_string(world.server.port()));
    HttpClient client(world.loop, trusting());
    CHECK(world.run(fetch(client, {.url = https(world, "/hello")})).body == "/hello");
    const std::string large(3'000'000, 'x');
    CHECK(world.run(fetch(client, {.method = "POST", .url = https(world, "/echo"), .body = large})).body ==
          "POST " + large);
    CHECK(world.run(fetch(client, {.url = https(world, "/stream")})).body == "data: one\n\ndata: two\n\n");
    CHECK(world.server.connections() == 1);
}

TEST_CASE("server tls: a certificate that was replaced counts for new connections, and old ones go on")
{
    const Files files({.names = "DNS:right.test"});
    World world({.tls = files.tls()});
    HttpClient before(world.loop, trusting());
    CHECK(world.run(fetch(before, {.url = https(world, "/a")})).body == "/a");
    CHECK(failure(world.loop, before, {.url = https(world, "/a", "other.test")}) ==
          doctest::Contains("hostname mismatch"));
    files.replace({.names = "DNS:other.test"});
    world.server.reload_tls();
    HttpClient after(world.loop, trusting());
    CHECK(world.run(fetch(after, {.url = https(world, "/b", "other.test")})).body == "/b");
    CHECK(failure(world.loop, after, {.url = https(world, "/b")}) == doctest::Contains("hostname mismatch"));
    CHECK(world.run(fetch(before, {.url = https(world, "/c")})).body == "/c");  // on the connection that it has

    std::ofstream(files.tls().certificate) << "nonsense";
    CHECK_THROWS_WITH_AS(world.server.reload_tls(), doctest::Contains("certificate cannot be read from"), Error);
    HttpClient later(world.loop, trusting());
    CHECK(world.run(fetch(later, {.url = https(world, "/d", "other.test")})).body == "/d");
}

TEST_CASE("server tls: files that are wrong are named")
{
    const Files one({}), two({});
    net::Loop loop;
    Handler handler;
    const auto says = [&](TlsFiles tls) -> std::string {
        try {
            HttpServer server(loop, handler, {.tls = std::move(tls)});
        } catch (const Error& error) {
            return std::string(name_of(error.code())) + ": " + error.what();
        }
        return "";
    };
    CHECK(says({.certificate = "/nowhere.pem", .key = one.tls().key})
              .find("invalid: the server's certificate cannot be read from /nowhere.pem") == 0);
    CHECK(says({.certificate = one.tls().certificate, .key = "/nowhere.key"})
              .find("invalid: the server's key cannot be read from /nowhere.key") == 0);
    CHECK(says({.certificate = one.tls().certificate, .key = two.tls().key}).find("invalid: the") == 0);
    CHECK(says(one.tls()).empty());
}

TEST_CASE("server tls: who speaks none, an old one or another protocol is not served, and holds nobody up")
{
    const Files files({});
    World world({.patience = {.head = 300ms}, .tls = files.tls()});
    const std::string plain = world.talk(get("/hello"));
    CHECK(plain.find("/hello") == plain.npos);
    CHECK(world.talk("").empty());  // says nothing: closed when its time is over
    const auto s_client = [&](const std::string& options) {
        std::atomic<bool> done = false;
        std::string output;
        std::thread peer([&] {
            const std::string command = "printf 'GET /hello HTTP/1.0\\r\\n\\r\\n' | openssl s_client -quiet -ign_eof " +
                                        options + " -connect 127.0.0.1:" + std::to_string(world.server.port()) +
                                        " -CAfile " + tls_authority().file() + " 2>&1";
            if (std::FILE* pipe = ::popen(command.c_str(), "r")) {
                std::array<char, 4096> piece;
                while (const std::size_t size = std::fread(piece.data(), 1, piece.size(), pipe))
                    output.append(piece.data(), size);
                ::pclose(pipe);
            }
            done = true;
        });
        world.run(world.until([&] { return done.load(); }));
        peer.join();
        return output;
    };
    CHECK(s_client("-tls1_2").find("\r\n\r\n/hello") != std::string::npos);
    CHECK(s_client("-tls1_3 -alpn h2,http/1.1").find("\r\n\r\n/hello") != std::string::npos);
    CHECK(s_client("-tls1_1 -cipher DEFAULT@SECLEVEL=0").find("/hello") == std::string::npos);
    CHECK(s_client("-alpn h2").find("no application protocol") != std::string::npos);
}

TEST_CASE("server tls: a record that comes in pieces is waited for")
{
    const Files files({});
    World world({.tls = files.tls()});
    // a client of OpenSSL whose bytes we carry ourselves, so that they can be split
    const ServerContext context(::SSL_CTX_new(::TLS_client_method()));
    SSL* const tls = ::SSL_new(context.get());
    BIO* const in = ::BIO_new(::BIO_s_mem());
    BIO* const out = ::BIO_new(::BIO_s_mem());
    ::SSL_set_bio(tls, in, out);
    ::SSL_set_connect_state(tls);
    const auto taken = [&] {
        std::string bytes(static_cast<std::size_t>(BIO_pending(out)), '\0');
        if (!bytes.empty()) ::BIO_read(out, bytes.data(), static_cast<int>(bytes.size()));
        return bytes;
    };
    Client client(world.loop);
    const auto byte_by_byte = [](World& w, Client& c, std::string bytes) -> Async<> {
        for (const char byte : bytes) {
            co_await c.send(std::string(1, byte));
            co_await w.until([turns = 3]() mutable { return turns-- == 0; });
        }
    };
    const auto hear = [&] {
        const std::string bytes = world.run(client.read_some());
        ::BIO_write(in, bytes.data(), static_cast<int>(bytes.size()));
    };
    world.run(client.connect(world.server.port()));
    while (::SSL_do_handshake(tls) != 1) {
        world.run(byte_by_byte(world, client, taken()));
        hear();
    }
    const std::string request = get("/pieces");
    ::SSL_write(tls, request.data(), static_cast<int>(request.size()));
    world.run(byte_by_byte(world, client, taken()));
    std::string answer;
    std::array<char, 4096> piece;
    while (answer.find("\r\n\r\n/pieces") == answer.npos) {
        const int size = ::SSL_read(tls, piece.data(), static_cast<int>(piece.size()));
        if (size > 0) answer.append(piece.data(), static_cast<std::size_t>(size));
        else hear();
    }
    CHECK(status_of(answer) == 200);
    ::SSL_free(tls);
}

TEST_CASE("a server listens at a socket of the file system, in the place of one that died, and leaves none behind")
{
    const Files files({});
    const std::string path = files.path("http.sock");
    const auto talk = [](World& w, std::string at, std::string text) -> Async<std::string> {
        asio::local::stream_protocol::socket socket(w.loop.io());
        if (co_await socket.async_connect(asio::local::stream_protocol::endpoint(at), use_async)) co_return "refused";
        co_await socket.async_write_some(asio::buffer(text), use_async);
        std::string answer;
        std::vector<char> piece(4096);
        while (true) {
            const auto [error, size] = co_await socket.async_read_some(asio::buffer(piece), use_async);
            if (error) co_return answer;
            answer.append(piece.data(), size);
        }
    };
    {
        asio::io_context io;
        asio::local::stream_protocol::acceptor(io, path);  // gone at once, its file is not
    }
    {
        World world({.host = "unix:" + path});
        CHECK(world.server.url() == "unix:" + path);
        CHECK(body_of(world.run(talk(world, path, get("/here")))) == "/here");
        net::Loop loop;
        Handler handler;
        CHECK_THROWS_WITH_AS(HttpServer(loop, handler, {.host = "unix:" + path}),
                             doctest::Contains("another server does"), Error);
        CHECK_THROWS_WITH_AS(HttpServer(loop, handler, {.host = "unix:" + files.tls().key}),
                             doctest::Contains("not a socket"), Error);
        CHECK_THROWS_AS(HttpServer(loop, handler, {.host = "unix:/" + std::string(200, 'x')}), Error);
    }
    CHECK(!std::filesystem::exists(path));
}
