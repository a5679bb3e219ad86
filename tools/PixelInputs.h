// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parses the text of --preprocess: <input>[:<key>=<value>]... All programs that import models parse it in the same way,
// and report errors before they read the model. Fields are split off from the end, because names of inputs may contain
// colons.

#ifndef NACRE_TOOLS_PIXELINPUTS_H
#define NACRE_TOOLS_PIXELINPUTS_H

#include "compiler/options/CompilerOptions.h"

#include "llvm/Support/Error.h"
#include <vector>

namespace nacre::tools {

/// Parses the texts of all --preprocess options. An error names the wrong field and its expected value.
llvm::Expected<std::vector<importer::PixelInput>> parsePixelInputs(llvm::ArrayRef<std::string> texts);

} // namespace nacre::tools

#endif // NACRE_TOOLS_PIXELINPUTS_H
