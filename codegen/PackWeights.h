// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What: Converts a weight to the encoding that kernels read.
// Why:  Engines and targets share one copy, so the encoding belongs to the weight, not to the kernel.
// How:  A packed weight consists of chunks of about equal size, which are packed separately: several threads pack one
//       weight, and no thread holds more than a chunk of it.

#ifndef NACRE_CODEGEN_PACKWEIGHTS_H
#define NACRE_CODEGEN_PACKWEIGHTS_H

#include "codegen/form/DepthGroups.h"
#include "dialects/nn/ConstantData.h"
#include "dialects/plan/PlanDialect.h"
#include "llvm/ADT/SmallVector.h"

namespace nacre::codegen {

class PackedWeight {
public:
  /// `encoding` may be null, which means plain. A panel's width must be positive.
  PackedWeight(mlir::RankedTensorType type, plan::EncodingAttr encoding);

  int64_t sizeInBytes() const { return chunks * chunkBytes - missingBytes; }
  int64_t numChunks() const { return chunks; }
  /// Returns the offset of chunk `index` in bytes.
  int64_t chunkOffset(int64_t index) const { return index * chunkBytes; }
  /// Replaces `out` by the bytes of chunk `index`. `source` must have the type given to the constructor.
  void packChunk(const nn::ConstantView &source, int64_t index, llvm::SmallVectorImpl<char> &out) const;

private:
  void packGroups(const nn::ConstantView &source, int64_t row, int64_t column, int64_t valid, char *out) const;

  bool isPanel = false;
  int64_t elementBytes = 0, elements = 0;
  int64_t rows = 0, columns = 0; ///< Panel only: all axes but the last as one; the last axis.
  int64_t parts = 1;             ///< Parts of a group's columns, side by side in each panel.
  /// Columns of a panel and of a group, and panels of a group, for one part.
  int64_t width = 0, groupColumns = 0, panelsPerGroup = 0;
  DepthGroups depth;
  int64_t chunks = 0, chunkBytes = 0, missingBytes = 0;
};

/// Returns the number of stored elements of argument `number` of `kernel`. A packed weight has more than its tensor,
/// because its last panel is filled up.
int64_t countStoredElements(plan::KernelOp kernel, unsigned number);

} // namespace nacre::codegen

#endif // NACRE_CODEGEN_PACKWEIGHTS_H
