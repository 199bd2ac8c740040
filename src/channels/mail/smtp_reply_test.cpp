#include "channels/mail/smtp_reply.hpp"

#include "base/error.hpp"

#include <doctest/doctest.h>

using namespace cadre;
using namespace cadre::channels;

TEST_CASE("SMTP: replies are read, however they were cut on their way")
{
    const std::string bytes =
        "220 mail.example\r\n250-hello\r\n250-SIZE 100\r\n250 AUTH PLAIN\r\n354\r\n550 5.1.1 no such user\r\n";
    const std::vector<SmtpReply> expected = {{220, {"mail.example"}},
                                             {250, {"hello", "SIZE 100", "AUTH PLAIN"}},
                                             {354, {""}},
                                             {550, {"5.1.1 no such user"}}};
    for (std::size_t piece = 1; piece <= bytes.size(); ++piece) {
        CAPTURE(piece);
        SmtpReader reader;
        std::vector<SmtpReply> read;
        for (std::size_t at = 0; at < bytes.size(); at += piece) {
            reader.feed(std::string_view(bytes).substr(at, piece));
            while (auto reply = reader.next()) read.push_back(std::move(*reply));
        }
        CHECK(read == expected);
    }
}

TEST_CASE("SMTP: what is no reply is not taken for one")
{
    const std::string long_line = "250 " + std::string(5000, 'x');
    std::string endless;
    for (int i = 0; i < 300; ++i) endless += "250-x\r\n";
    for (const std::string& text :
         {std::string("HTTP/1.1 200 OK\r\n"), std::string("250 ok\n"), std::string("\r\n"), std::string("25 ok\r\n"),
          std::string("250ok\r\n"), std::string("-12 ok\r\n"), std::string("150 ok\r\n"), std::string("600 ok\r\n"),
          std::string("250-a\r\n251 b\r\n"), long_line, long_line + "\r\n", endless}) {
        CAPTURE(text.substr(0, 40));
        SmtpReader reader;
        reader.feed(text);
        CHECK_THROWS_AS(while (reader.next()){}, Error);
    }
    SmtpReader reader;
    reader.feed("220 go\r\n250 injected\r\n250-half\r\n250");
    CHECK(reader.next()->code == 220);
    reader.forget();
    CHECK(!reader.next());
    reader.feed("250 own\r\n");
    CHECK(reader.next() == SmtpReply{250, {"own"}});
}
