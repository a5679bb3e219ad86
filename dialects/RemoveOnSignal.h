// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What an OutputFile announces its name to, in programs that have LLVM.

#ifndef NACRE_DIALECTS_REMOVEONSIGNAL_H
#define NACRE_DIALECTS_REMOVEONSIGNAL_H

#include "llvm/Support/Signals.h"
#include <string>

namespace nacre {

/// Removes the file if a signal ends the program.
inline void removeOnSignal(const std::string &path) { llvm::sys::RemoveFileOnSignal(path); }

} // namespace nacre

#endif // NACRE_DIALECTS_REMOVEONSIGNAL_H
