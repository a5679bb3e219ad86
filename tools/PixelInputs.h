// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  the text of --preprocess.
// Why:   all programs that import models read it alike, and say what is wrong with it before they read the model.
// How:   <input>[:<key>=<value>]...; fields are split off from the end, since names of inputs may hold colons.

#ifndef NACRE_TOOLS_PIXELINPUTS_H
#define NACRE_TOOLS_PIXELINPUTS_H

#include "compiler/options/CompilerOptions.h"

#include "llvm/Support/Error.h"
#include <vector>

namespace nacre::tools {

/// Reads the texts of all --preprocess options; an error says which field is wrong, and what it must be.
llvm::Expected<std::vector<importer::PixelInput>> parsePixelInputs(llvm::ArrayRef<std::string> texts);

} // namespace nacre::tools

#endif // NACRE_TOOLS_PIXELINPUTS_H
