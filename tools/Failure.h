// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  why a program stops, and the exit code that tells a script.
// Why:   scripts must tell a wrong answer from a missing file from a CPU that cannot run the model.
// How:   fallible functions return an Outcome: nothing, or the failure; main prints it and exits.

#ifndef NACRE_TOOLS_FAILURE_H
#define NACRE_TOOLS_FAILURE_H

#include <optional>
#include <string>

namespace nacre::tools {

enum class ExitCode {
  Agrees = 0,
  Differs = 1,
  Usage = 2,
  Refused = 3,
  OutOfMemory = 4,
  Diverged = 5,
  Interrupted = 130
};

struct Failure {
  ExitCode code;
  std::string text;
};

struct [[nodiscard]] Outcome : std::optional<Failure> {
  using std::optional<Failure>::optional;
};

/// A wrong command line, or a file that is missing or damaged.
inline Failure usageFailure(std::string text) { return {ExitCode::Usage, std::move(text)}; }

} // namespace nacre::tools

#endif // NACRE_TOOLS_FAILURE_H
