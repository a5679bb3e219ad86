// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parses --shape.
//
// `input=1x3x{224,320}x640` stands for two shapes, as it does in shells, which write it as two options. So several
// lists in one shape are combined, and an input may have several options. The shapes of several inputs are taken
// together in their order: the first one of each, then the second one of each.

#ifndef NACRE_TOOLS_INPUTSHAPES_H
#define NACRE_TOOLS_INPUTSHAPES_H

#include "compiler/options/CompilerOptions.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"
#include <string>
#include <vector>

namespace nacre::tools {

/// Returns the entries that values of --shape request, in the order of the shapes. If no input has several shapes, the
/// result is one entry without `sizes`. Errors contain the wrong text and the expected form.
llvm::Expected<std::vector<importer::ShapedEntry>> parseShapes(llvm::ArrayRef<std::string> values);

} // namespace nacre::tools

#endif // NACRE_TOOLS_INPUTSHAPES_H
