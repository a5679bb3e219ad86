// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Makes sure that no standard stream is missing, and reports an error if the output cannot be written. A full disk or a
// closed standard output must not look like success, and no file may get the descriptor of a closed stream. The check
// runs when the process exits, so it covers --help, --version and results. Only the C library is used, because
// nacre-run is linked without LLVM.

#ifndef NACRE_TOOLS_STANDARDSTREAMS_H
#define NACRE_TOOLS_STANDARDSTREAMS_H

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <string>
#include <unistd.h>

namespace nacre::tools {

/// Flushes the standard output. Returns the system's message if that fails, or "".
inline std::string flushStandardOutput() {
  errno = 0;
  if (std::fflush(stdout) == 0 && !std::ferror(stdout))
    return "";
  return errno == EBADF ? "it is closed" : std::strerror(errno ? errno : EIO);
}

/// The check of the standard output that runs when a program exits.
struct OutputCheck {
  int status; ///< Exit status if the program succeeds, but the output cannot be written.
  std::string (*flush)();
};

/// Opens /dev/null for each closed stream. Reading the standard input and writing the standard output then fail, and
/// messages are dropped.
inline void openMissingStreams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (fcntl(stream, F_GETFD) < 0 && errno == EBADF) [[maybe_unused]]
      const int opened = open("/dev/null", stream == STDOUT_FILENO ? O_RDONLY : O_WRONLY); // gets the lowest free
                                                                                           // descriptor
}

/// Ends the process with a message and a status if its output cannot be written. It is called when the process exits.
inline void checkOutput(int status, void *check) {
  const auto &how = *static_cast<const OutputCheck *>(check);
  const std::string problem = how.flush();
  if (problem.empty())
    return;
  std::fprintf(stderr, "%s: error: cannot write the standard output: %s\n", program_invocation_short_name,
               problem.c_str());
  _exit(status ? status : how.status);
}

/// Installs the checks; call this first in main. `check` must live until the process exits. Programs that link LLVM
/// call watchStandardStreams() of tools/CommandLine.h instead.
inline void watchStandardStreams(OutputCheck &check) {
  openMissingStreams();
  on_exit(checkOutput, &check);
}

} // namespace nacre::tools

#endif // NACRE_TOOLS_STANDARDSTREAMS_H
