// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Poolings of operands, with the checks that every format needs.

#ifndef NACRE_COMPILER_IMPORT_OPERANDS_WINDOWS_H
#define NACRE_COMPILER_IMPORT_OPERANDS_WINDOWS_H

#include "compiler/import/binding/OperandBinder.h"
#include "compiler/import/builder/Geometry.h"

namespace nacre::importer {

/// True if `indicesOfMaxima` may be built for `shape` [N, spatial..., C] and `window`. It gathers the elements of each
/// window by constant tables of their positions. This counts the tables as constants, and reports an error if they are
/// too large.
bool allowsIndicesOfMaxima(OperandBinder &node, Ints shape, const Window &window);

/// Computes the maxima of parts of regions (compositions/Poolings.h). Operand 0 is `[N, C, H, W]`. Operand 1 has an
/// image and two corners for each region. `bins` are the numbers of rows and columns into which each region is divided.
/// Errors call them `binsName`.
void poolMaximaOfRegions(OperandBinder &node, Ints bins, double scale, llvm::StringRef binsName);

} // namespace nacre::importer

#endif // NACRE_COMPILER_IMPORT_OPERANDS_WINDOWS_H
