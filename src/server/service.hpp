// What handlers work with: the home, and the server's own parts. One for each server; lives on its loop.
#pragma once

#include "base/async_mutex.hpp"
#include "base/cancel.hpp"
#include "base/id.hpp"
#include "base/log.hpp"
#include "base/signal.hpp"
#include "base/time.hpp"
#include "config/server_settings.hpp"
#include "net/loop.hpp"
#include "server/documents.hpp"
#include "server/problem.hpp"
#include "server/rate.hpp"

#include <memory>
#include <set>
#include <string>

namespace cadre {
class Metrics;
}

namespace cadre::home {
class HomeOwner;
}

namespace cadre::server {

class Audit;
class OtlpExporter;
class Repeats;
class RouteTable;
class SignIn;
class Streams;

struct Service {
    net::Loop& loop;
    home::HomeOwner& home;
    const config::ServerSettings& settings;
    SignIn& sign_in;
    RateBuckets& rates;
    Audit& audit;
    Repeats& repeats;
    Metrics& metrics;
    Log log;
    std::string version{};               // of this program
    std::string secret{};                // of this server's, for what it gives away and gets back
    PrivateFolders folders{};            // that no client hears of
    const RouteTable* routes = nullptr;  // once they are all there
    Time started{};
    bool ready = false;       // all tasks that were to continue do
    bool draining = false;    // not ready any more, and nothing new begins
    Signal drained{};         // when that changes
    Documents documents{};    // that describe the server
    AsyncMutex teams{};       // one changes those that clients have sent at a time
    std::set<Id> creating{};  // tasks with an Idempotency-Key that are being made: one request makes it, others find it
    Signal created{};         // when one is
    CancelScope commands{};   // what changes something runs under it, to its end, whether or not its client waits
    OtlpExporter* otlp = nullptr;        // null: nobody wants spans
    std::shared_ptr<Streams> streams{};  // what happens to tasks, for those who watch
};

}  // namespace cadre::server
