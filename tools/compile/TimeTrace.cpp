// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tools/compile/TimeTrace.h"

#include "compiler/driver/CompileKernels.h"
#include "dialects/OutputFile.h"
#include "llvm/ADT/SmallString.h"
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
  SmallString<0> trace;
  raw_svector_ostream os(trace);
  timeTraceProfilerWrite(os);
  if (std::string problem = writeFile(path, trace.str()); !problem.empty()) {
    errs() << "nacre-compile: cannot write '" << path << "': " << problem << "\n";
    return 1;
  }
  return 0;
}

} // namespace nacre::tools
