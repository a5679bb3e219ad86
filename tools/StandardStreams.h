// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  what all programs do about their standard streams: none is missing, and an output that cannot be written is an error.
// Why:   a full disk or a closed standard output must not look like success, and no file may take the place of a closed stream.
// How:   when the process exits, so that every way to end is covered: --help, --version and results. The C library alone: nacre-run is
//        linked without LLVM.

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

/// Writes what the C library still holds of the standard output. Returns the system's words if that fails, or "".
inline std::string flushStandardOutput() {
  errno = 0;
  if (std::fflush(stdout) == 0 && !std::ferror(stdout))
    return "";
  return errno == EBADF ? "it is closed" : std::strerror(errno ? errno : EIO);
}

/// How to check the standard output when a program exits.
struct OutputCheck {
  int status; ///< Of a program whose output cannot be written, if it would otherwise have succeeded.
  std::string (*flush)();
};

/// Gives each closed stream a place that cannot be read or written, except that messages are dropped.
inline void openMissingStreams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (fcntl(stream, F_GETFD) < 0 && errno == EBADF) [[maybe_unused]]
      const int opened = open("/dev/null", stream == STDOUT_FILENO ? O_RDONLY : O_WRONLY); // the lowest
}

/// Ends the process with a message and a status if its output cannot be written.
inline void checkOutput(int status, void *check) {
  const auto &how = *static_cast<const OutputCheck *>(check);
  const std::string problem = how.flush();
  if (problem.empty())
    return;
  std::fprintf(stderr, "%s: error: cannot write the standard output: %s\n", program_invocation_short_name,
               problem.c_str());
  _exit(status ? status : how.status);
}

/// Called first in main. `check` must outlive the process's exit. Programs that link LLVM call watchStandardStreams() of
/// tools/CommandLine.h.
inline void watchStandardStreams(OutputCheck &check) {
  openMissingStreams();
  on_exit(checkOutput, &check);
}

} // namespace nacre::tools

#endif // NACRE_TOOLS_STANDARDSTREAMS_H
