// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Recognizes products whose columns are read in equal parts: the gates of a recurrent cell, the halves of a gated
// linear unit. The epilogue combines the same column of all parts. No second kernel is needed if these columns are in
// registers simultaneously.

#ifndef NACRE_COMPILER_KERNELS_FUSION_PRODUCTPARTS_H
#define NACRE_COMPILER_KERNELS_FUSION_PRODUCTPARTS_H

#include "dialects/nn/NnDialect.h"

namespace nacre::kernels {

/// True if an epilogue may combine parts of the columns of `product`: an f32 matrix times a constant matrix.
bool canBeReadInParts(nn::MatMulOp product);

/// True if the `columns` columns that begin at `first` are one of 2 to 4 equal parts of `whole` columns. Each part must
/// begin at a multiple of 16 bytes.
bool isPartOfColumns(int64_t whole, int64_t first, int64_t columns);

/// True if `slice` selects all rows of a matrix and one of 2 to 4 equal parts of its columns.
bool isPartOfColumns(nn::SliceOp slice);

/// True if only elementwise operators read the product, in equal parts. All other products of the same weight must be
/// read in the same parts, because the weight has only one order of columns.
bool isReadInParts(nn::MatMulOp product);

} // namespace nacre::kernels

#endif // NACRE_COMPILER_KERNELS_FUSION_PRODUCTPARTS_H
