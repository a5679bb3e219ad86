// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A chunk is a panel, or 1 MiB of a plain weight. plan.encoding (dialects/plan/PlanDialect.td) defines the encodings.

#include "codegen/PackWeights.h"

#include "dialects/StoredBytes.h"
#include "llvm/Support/MathExtras.h"
#include <cstring>

using namespace llvm;

namespace nacre::codegen {

static constexpr int64_t plainChunkElements = 1 << 17;

PackedWeight::PackedWeight(mlir::RankedTensorType type, plan::EncodingAttr encoding)
    : elementBytes(bytesOfElement(type.getElementType())), elements(type.getNumElements()) {
  isPanel = encoding && encoding.getKind() != plan::EncodingKind::Plain;
  if (!isPanel) {
    chunks = std::max<int64_t>(1, divideCeil(elements, plainChunkElements));
    chunkBytes = plainChunkElements * elementBytes;
    missingBytes = (chunks * plainChunkElements - elements) * elementBytes;
    return;
  }
  assert(encoding.getWidth() > 0 && type.getRank() > 0 && "a panel has columns");
  width = encoding.getWidth();
  columns = type.getShape().back();
  rows = columns ? elements / columns : 0;
  parts = encoding.getParts();
  groupColumns = columns / encoding.getGroups() / parts;
  panelsPerGroup = divideCeil(groupColumns, width);
  chunks = panelsPerGroup * encoding.getGroups();
  depth = groupsOf(encoding);
  assert((depth.k == 1 || (parts == 1 && rows % depth.run == 0)) && "runs are whole axes");
  chunkBytes = rows / depth.run * depth.stored() * parts * width * elementBytes;
}

/// Writes `valid` columns, from `column` on, of the run of steps that begins with `row`. All other bytes of `out` stay
/// unchanged.
void PackedWeight::packGroups(const nn::ConstantView &source, int64_t row, int64_t column, int64_t valid,
                              char *out) const {
  for (int64_t step = 0; step < depth.run; ++step) {
    char *to = out + depth.positionOf(step, width) * elementBytes;
    for (int64_t i = 0; i < valid; ++i, to += depth.k * elementBytes)
      std::memcpy(to, source.at(source.isSplat() ? 0 : (row + step) * columns + column + i), elementBytes);
  }
}

void PackedWeight::packChunk(const nn::ConstantView &source, int64_t index, SmallVectorImpl<char> &out) const {
  auto copy = [&](char *to, int64_t from, int64_t count) {
    if (!source.isSplat()) {
      std::memcpy(to, source.at(from), count * elementBytes);
      return;
    }
    for (int64_t i = 0; i < count; ++i)
      std::memcpy(to + i * elementBytes, source.at(0), elementBytes);
  };
  if (!isPanel) {
    int64_t first = index * plainChunkElements;
    int64_t count = std::min(plainChunkElements, elements - first);
    out.resize_for_overwrite(count * elementBytes);
    copy(out.data(), first, count);
    return;
  }
  int64_t firstColumn = (index % panelsPerGroup) * width;
  int64_t valid = std::min(width, groupColumns - firstColumn);
  out.assign(chunkBytes, 0);
  const int64_t group = index / panelsPerGroup;
  if (depth.k > 1) {
    for (int64_t row = 0; row < rows; row += depth.run)
      packGroups(source, row, group * groupColumns + firstColumn, valid,
                 out.data() + row / depth.run * depth.stored() * width * elementBytes);
    return;
  }
  for (int64_t row = 0; row < rows; ++row)
    for (int64_t part = 0; part < parts; ++part)
      copy(out.data() + (row * parts + part) * width * elementBytes,
           row * columns + (group * parts + part) * groupColumns + firstColumn, valid);
}

int64_t countStoredElements(plan::KernelOp kernel, unsigned number) {
  auto type = mlir::cast<mlir::RankedTensorType>(kernel.getBody().getArgument(number).getType());
  plan::EncodingAttr encoding = kernel.getEncoding(number);
  return encoding ? PackedWeight(type, encoding).sizeInBytes() / bytesOfElement(type.getElementType())
                  : type.getNumElements();
}

} // namespace nacre::codegen
