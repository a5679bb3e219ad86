// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  the keys that a block of rows of attention computes.
// Why:   with a causal bound, half of the keys are out of bounds for all rows of a block. Their weights are 0.
// How:   keys are divided into chunks. Products and sweeps run over the chunks that at least one row sees.

#ifndef NACRE_CODEGEN_CPU_ATTENTION_VISIBLEKEYS_H
#define NACRE_CODEGEN_CPU_ATTENTION_VISIBLEKEYS_H

#include "codegen/cpu/panels/PackColumns.h"
#include "codegen/cpu/panels/PanelWalk.h"
#include "codegen/form/AttentionForm.h"

namespace nacre::codegen::cpu {

/// Range of chunks of `chunk` keys. `low` and `high` are null for all keys.
struct KeyRange {
  mlir::Value low, high;
  int64_t chunk = 0;
};

/// Returns the chunks that `count` rows from `first` see, at least one. A row without keys then has scores of -inf, as
/// in a row of all keys. `batch` has the index in each batch loop.
KeyRange emitVisibleKeys(VectorBuilder &build, const AttentionForm &form, llvm::ArrayRef<mlir::Value> batch,
                         mlir::Value first, mlir::Value count, int64_t chunk);

/// Multiplies the rows of `walk` by all panels of `packed`, or only by those of the keys `visible`. The columns of
/// `product` are the keys then.
void emitPanels(KernelFunction &function, VectorBuilder &build, const MatrixProduct &product,
                const PackedColumns &packed, const PanelWalk &walk, const Addresses &at, const KeyRange &visible);

/// Buffer and address of the first element of a row.
struct RowPlace {
  mlir::Value buffer, address;
};

/// Writes the `count` elements of a row from its sums. `epilogue` converts the sums; a null epilogue copies them.
void finishRow(VectorBuilder &build, RowPlace sums, RowPlace to, int64_t count, const Work *epilogue);

} // namespace nacre::codegen::cpu

#endif // NACRE_CODEGEN_CPU_ATTENTION_VISIBLEKEYS_H
