// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes the file of --time-trace, LLVM's trace of a compilation's time. It shows which kernels and passes take long.

#ifndef NACRE_TOOLS_COMPILE_TIMETRACE_H
#define NACRE_TOOLS_COMPILE_TIMETRACE_H

#include "llvm/ADT/StringRef.h"
#include <string>

namespace nacre::tools {

class TimeTrace {
public:
  /// Begins the trace, unless the path is empty.
  explicit TimeTrace(llvm::StringRef path);
  ~TimeTrace();
  TimeTrace(const TimeTrace &) = delete;
  TimeTrace &operator=(const TimeTrace &) = delete;

  /// Writes the trace; returns the exit code.
  int write();

private:
  std::string path;
};

} // namespace nacre::tools

#endif // NACRE_TOOLS_COMPILE_TIMETRACE_H
