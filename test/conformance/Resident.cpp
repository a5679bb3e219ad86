// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "test/conformance/Resident.h"
#include "tools/OutOfMemory.h"

#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"
#include <cstdlib>
#include <iostream>
#include <string>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace llvm;

namespace nacre::conformance {
namespace {

/// State of a worker that its parent reads after the worker has ended.
struct Shared {
  bool isRunning = false; ///< True while a command line runs and has no answer yet.
  bool isAtEnd = false;   ///< True if there are no more requests.
};

/// Largest number of command lines per worker. Starting a worker then costs little time per command line, and memory
/// that command lines leak does not accumulate.
constexpr unsigned kMostCommands = 50;

class Worker {
public:
  Worker(Shared &shared, const char *name, int (*program)(int, char **), unsigned seconds, int answers)
      : shared(shared), name(name), program(program), seconds(seconds), answers(answers) {}

  void run() {
    std::string request;
    for (unsigned count = 0; count < kMostCommands; ++count) {
      if (!std::getline(std::cin, request)) {
        shared.isAtEnd = true;
        return;
      }
      const int status = runOne(request);
      dprintf(answers, "%d\n", status);
      shared.isRunning = false;
    }
  }

private:
  int runOne(StringRef request) {
    std::vector<std::string> words = {name};
    Expected<json::Value> parsed = json::parse(request);
    if (!parsed || !parsed->getAsArray())
      report_fatal_error("a request must be a JSON array");
    for (const json::Value &word : *parsed->getAsArray())
      words.push_back(word.getAsString().value_or("").str());
    std::vector<char *> arguments;
    for (std::string &word : words)
      arguments.push_back(word.data());
    arguments.push_back(nullptr);
    if (ftruncate(STDERR_FILENO, 0) != 0)
      report_fatal_error("the standard error must be a file");
    shared.isRunning = true;
    cl::ResetAllOptionOccurrences(); // removes the options of the previous command line
    alarm(seconds);                  // ends the worker after the time limit
    const int status = program(int(words.size()), arguments.data());
    alarm(0);
    outs().flush();
    errs().flush();
    std::fflush(nullptr);
    return status;
  }

  Shared &shared;
  const char *name;
  int (*program)(int, char **);
  unsigned seconds;
  int answers;
};

} // namespace

int serve(int argc, char **argv, const char *name, int (*program)(int argc, char **argv)) {
  unsigned seconds = 0;
  if (argc != 2 || StringRef(argv[1]).getAsInteger(10, seconds) || seconds == 0) {
    errs() << "usage: " << argv[0] << " <seconds that a command line may take>\n";
    return 2;
  }
  InitLLVM init(argc, argv);
  tools::handleOutOfMemory();
  const int answers = dup(STDOUT_FILENO);
  dup2(STDERR_FILENO, STDOUT_FILENO);
  void *page = mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (page == MAP_FAILED)
    report_fatal_error("no memory to share");
  auto &shared = *new (page) Shared;
  while (!shared.isAtEnd) {
    const pid_t worker = fork();
    if (worker < 0)
      report_fatal_error("no process can be started");
    if (worker == 0) {
      Worker(shared, name, program, seconds, answers).run();
      _exit(0);
    }
    int status = 0;
    if (waitpid(worker, &status, 0) < 0)
      report_fatal_error("a worker is lost");
    if (shared.isRunning)
      dprintf(answers, "%d\n", WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status));
    else if (status != 0)
      return 1; // the worker failed outside a command line, so no answer is sent
    shared.isRunning = false;
  }
  return 0;
}

} // namespace nacre::conformance
