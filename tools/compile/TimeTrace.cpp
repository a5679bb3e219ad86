// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tools/compile/TimeTrace.h"

#include "compiler/CompileKernels.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/TimeProfiler.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace nacre::tools {

TimeTrace::TimeTrace(StringRef path) : path(path) {
  if (!path.empty())
    timeTraceProfilerInitialize(kTraceGranularityUs, "nacre-compile");
}

TimeTrace::~TimeTrace() {
  if (!path.empty())
    timeTraceProfilerCleanup();
}

int TimeTrace::write() {
  if (path.empty())
    return 0;
  std::error_code error;
  raw_fd_ostream file(path, error, sys::fs::OF_Text);
  if (error) {
    errs() << "nacre-compile: cannot write '" << path << "': " << error.message() << "\n";
    return 1;
  }
  timeTraceProfilerWrite(file);
  return 0;
}

} // namespace nacre::tools
