// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Windows over operands, with the checks that every format needs.

#ifndef NACRE_COMPILER_IMPORT_OPERANDS_WINDOWS_H
#define NACRE_COMPILER_IMPORT_OPERANDS_WINDOWS_H

#include "compiler/import/binding/OperandBinder.h"
#include "compiler/import/builder/Geometry.h"

namespace nacre::importer {

/// True if `indicesOfMaxima` may be built for `shape` [N, spatial..., C]. It gathers the elements of each window, and
/// has tables of their positions. Counts the tables as constants; reports an error if they are too large.
bool allowsIndicesOfMaxima(OperandBinder &node, Ints shape, const Window &window);

/// Pools the maxima of parts of regions (compositions/Poolings.h). Operand 0 is `[N, C, H, W]`. Operand 1 has an image
/// and two corners for each region. `bins` are rows and columns that each region is divided into; errors call them
/// `binsName`.
void poolMaximaOfRegions(OperandBinder &node, Ints bins, double scale, llvm::StringRef binsName);

} // namespace nacre::importer

#endif // NACRE_COMPILER_IMPORT_OPERANDS_WINDOWS_H
