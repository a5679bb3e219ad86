// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What: converts a weight to the encoding that kernels read.
// Why:  engines and targets share one copy of a weight, so the encoding belongs to the weight, not to the kernel.
// How:  a packed weight consists of chunks of about equal size. Several threads pack different chunks of one weight,
//       and each thread holds only one chunk.

#ifndef NACRE_CODEGEN_PACKWEIGHTS_H
#define NACRE_CODEGEN_PACKWEIGHTS_H

#include "codegen/form/DepthGroups.h"
#include "dialects/nn/ConstantData.h"
#include "dialects/plan/PlanDialect.h"
#include "llvm/ADT/SmallVector.h"

namespace nacre::codegen {

class PackedWeight {
public:
  /// A null `encoding` means plain. A panel's width must be positive.
  PackedWeight(mlir::RankedTensorType type, plan::EncodingAttr encoding);

  int64_t sizeInBytes() const { return chunks * chunkBytes - missingBytes; }
  int64_t numChunks() const { return chunks; }
  /// Returns the offset of chunk `index` in bytes.
  int64_t chunkOffset(int64_t index) const { return index * chunkBytes; }
  /// Replaces `out` by the data of chunk `index`. `source` must have the type given to the constructor.
  void packChunk(const nn::ConstantView &source, int64_t index, llvm::SmallVectorImpl<char> &out) const;

private:
  void packGroups(const nn::ConstantView &source, int64_t row, int64_t column, int64_t valid, char *out) const;

  bool isPanel = false;
  int64_t elementBytes = 0, elements = 0;
  /// Panel only. `rows` is the product of all axes but the last; `columns` is the last axis.
  int64_t rows = 0, columns = 0;
  int64_t parts = 1; ///< Number of parts of a group's columns, which are side by side in each panel.
  /// Counts for one part: columns of a panel, columns of a group, panels of a group.
  int64_t width = 0, groupColumns = 0, panelsPerGroup = 0;
  DepthGroups depth;
  int64_t chunks = 0, chunkBytes = 0, missingBytes = 0;
};

/// Returns the number of stored elements of the argument of `kernel` with index `number`. A packed weight has more
/// elements than its tensor, because its last panel is filled up.
int64_t countStoredElements(plan::KernelOp kernel, unsigned number);

} // namespace nacre::codegen

#endif // NACRE_CODEGEN_PACKWEIGHTS_H
