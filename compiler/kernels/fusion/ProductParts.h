// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  products whose columns are read in equal parts: the gates of a recurrent cell, the halves of a gated linear unit.
// Why:   the parts meet column by column; a kernel that has the same columns of all parts in registers needs no other one
//        behind it.

#ifndef NACRE_COMPILER_KERNELS_FUSION_PRODUCTPARTS_H
#define NACRE_COMPILER_KERNELS_FUSION_PRODUCTPARTS_H

#include "dialects/nn/NnDialect.h"

namespace nacre::kernels {

/// Whether a kernel that multiplies may go on with parts of the columns: the rows of one matrix of f32 by a constant one.
bool canBeReadInParts(nn::MatMulOp product);

/// Whether `columns` columns from `first` on are one of at most four equal parts of the whole, which begin on 16 bytes.
bool isPartOfColumns(int64_t whole, int64_t first, int64_t columns);

/// Whether `slice` is of all rows, and of such a part of the columns.
bool isPartOfColumns(nn::SliceOp slice);

/// Whether elementwise operators alone read the product, in such parts, and every other product of its constant, whose
/// columns lie in the weight as they all read them.
bool isReadInParts(nn::MatMulOp product);

} // namespace nacre::kernels

#endif // NACRE_COMPILER_KERNELS_FUSION_PRODUCTPARTS_H
