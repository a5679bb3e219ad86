// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A callback for OutputFile (OutputFile.h) in programs that link LLVM, so that a signal leaves no unfinished file.

#ifndef NACRE_DIALECTS_REMOVEONSIGNAL_H
#define NACRE_DIALECTS_REMOVEONSIGNAL_H

#include "llvm/Support/Signals.h"
#include <string>

namespace nacre {

/// Removes the file when a signal ends the program.
inline void removeOnSignal(const std::string &path) { llvm::sys::RemoveFileOnSignal(path); }

} // namespace nacre

#endif // NACRE_DIALECTS_REMOVEONSIGNAL_H
