// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  --time-trace: LLVM's trace of where time goes, for one compilation.
// Why:   who waits for a compiler sees at once in which kernel and pass it is slow.

#ifndef NACRE_TOOLS_COMPILE_TIMETRACE_H
#define NACRE_TOOLS_COMPILE_TIMETRACE_H

#include "llvm/ADT/StringRef.h"
#include <string>

namespace nacre::tools {

class TimeTrace {
public:
  /// Begins, unless the path is empty.
  explicit TimeTrace(llvm::StringRef path);
  ~TimeTrace();
  TimeTrace(const TimeTrace &) = delete;
  TimeTrace &operator=(const TimeTrace &) = delete;

  /// Returns the exit code.
  int write();

private:
  std::string path;
};

} // namespace nacre::tools

#endif // NACRE_TOOLS_COMPILE_TIMETRACE_H
