// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Windows over operands, checked as every format asks.

#ifndef NACRE_COMPILER_IMPORT_OPERANDS_WINDOWS_H
#define NACRE_COMPILER_IMPORT_OPERANDS_WINDOWS_H

#include "compiler/import/binding/OperandBinder.h"
#include "compiler/import/builder/Geometry.h"

namespace nacre::importer {

/// Whether `indicesOfMaxima` may be built of `shape`, [N, spatial..., C]: the elements of its windows are laid side by side,
/// and tables say where each of them is. Counts the tables; reports an error if not.
bool allowsIndicesOfMaxima(OperandBinder &node, Ints shape, const Window &window);

/// The largest elements of the parts of regions: operand 0 is `[N, C, H, W]`, operand 1 an image and four corners for each region, and
/// `bins` the rows and columns that each is divided into, which errors call `binsName` (compositions/Poolings.h).
void poolMaximaOfRegions(OperandBinder &node, Ints bins, double scale, llvm::StringRef binsName);

} // namespace nacre::importer

#endif // NACRE_COMPILER_IMPORT_OPERANDS_WINDOWS_H
