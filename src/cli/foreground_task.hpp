// Seeing a task through: driving it, showing it, asking its questions, and saying how it came to rest.
#pragma once

#include "base/async_fwd.hpp"
#include "base/async_mutex.hpp"
#include "base/id.hpp"
#include "base/signal.hpp"
#include "cli/task_view.hpp"
#include "engine/task_state.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace cadre::cli {

class VerbContext;

/// What Ctrl-C means: the process ends when the step under way is done; or it goes on without the task, at once where only a model
/// is at work.
enum class AfterInterrupt { ends, goes_on };

/// Lives as long as its run().
class ForegroundTask {
public:
    ForegroundTask(VerbContext& command, const Id& task, std::uint32_t seen,
                   AfterInterrupt after = AfterInterrupt::ends);

    /// The exit code; throws the task's failure.
    Async<int> run();

private:
    Async<> drive();
    Async<> ask();
    void set_asking(bool asking);
    Async<> until_interrupted();
    Async<int> conclude(std::shared_ptr<const engine::TaskState> state);
    Async<int> stop();
    std::string stopping_text() const;
    Async<> pause();
    Async<> let_go();
    template <class Request>
    Async<> call(Request request);
    Async<> report(std::string_view code, std::string text, std::vector<std::string> commands);

    VerbContext& command_;
    Id task_;
    TaskView view_;
    AfterInterrupt after_;
    bool asks_;
    bool asking_ = false;
    AsyncMutex calling_;                  // the session has one way to the owner
    bool driven_ = false;                 // as far as it went
    Signal changed_;                      // driven_
    std::vector<std::string> left_over_;  // entries of the task's script
};

}  // namespace cadre::cli
