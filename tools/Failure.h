// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The reason why a program stops, with its exit code. Scripts must distinguish a wrong answer from a missing file and
// from a CPU that cannot run the model. Fallible functions return an Outcome, which is empty or has the failure. main
// prints the failure and exits.

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

/// Makes a failure for a wrong command line, or for a file that is missing or damaged.
inline Failure usageFailure(std::string text) { return {ExitCode::Usage, std::move(text)}; }

} // namespace nacre::tools

#endif // NACRE_TOOLS_FAILURE_H
