// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  the texts of --shape and --set.
// Why:   programs that import models must read them alike.
// How:   `input=1x3x224x224` is split at the last `=`, since sizes hold none, and `input=value` at the first one, since
//        the path of a file may hold some.

#ifndef NACRE_TOOLS_MODELINPUTS_H
#define NACRE_TOOLS_MODELINPUTS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Error.h"
#include <map>
#include <string>

namespace nacre::tools {

/// Adds the shapes that `texts` give; errors say which text is wrong and what it must be.
llvm::Error readShapes(llvm::ArrayRef<std::string> texts, std::map<std::string, llvm::SmallVector<int64_t>> &shapes);

/// The same for values, which stay texts.
llvm::Error readValues(llvm::ArrayRef<std::string> texts, std::map<std::string, std::string> &values);

} // namespace nacre::tools

#endif // NACRE_TOOLS_MODELINPUTS_H
