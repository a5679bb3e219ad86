// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The encodings are defined at plan.encoding (dialects/plan/PlanDialect.td). A chunk is a panel, or 1 MiB of a plain
// weight.

#include "codegen/PackWeights.h"
#include "codegen/form/Winograd.h"

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
  groupColumns = columns / encoding.getGroups();
  panelsPerGroup = divideCeil(groupColumns, width);
  chunks = panelsPerGroup * encoding.getGroups();
  tile = encoding.getKind() == plan::EncodingKind::Winograd ? encoding.getTile() : 0;
  const int64_t inputs = winograd::inputsOf(tile);
  const int64_t panelRows = tile ? rows / (winograd::kTaps * winograd::kTaps) * inputs * inputs : rows;
  chunkBytes = panelRows * width * elementBytes;
}

/// The columns' filters, transformed: the products' numbers outermost, then the input's channels.
void PackedWeight::packWinograd(const nn::ConstantView &source, int64_t firstColumn, int64_t valid, float *to) const {
  constexpr int64_t taps = winograd::kTaps;
  const int64_t inputs = winograd::inputsOf(tile), channels = rows / (taps * taps);
  auto tap = [&](int64_t row, int64_t column) {
    float value;
    std::memcpy(&value, source.at(source.isSplat() ? 0 : row * columns + column), sizeof value);
    return double(value);
  };
  for (int64_t channel = 0; channel < channels; ++channel)
    for (int64_t column = 0; column < valid; ++column) {
      SmallVector<double, 6> down[taps];
      for (int64_t across = 0; across < taps; ++across) {
        std::array<double, taps> filter;
        for (int64_t i = 0; i < taps; ++i)
          filter[i] = tap((i * taps + across) * channels + channel, firstColumn + column);
        down[across] = winograd::transformFilter(tile, filter);
      }
      for (int64_t i = 0; i < inputs; ++i)
        for (auto [j, value] : enumerate(winograd::transformFilter(tile, {down[0][i], down[1][i], down[2][i]})))
          to[((i * inputs + int64_t(j)) * channels + channel) * width + column] = float(value);
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
  if (tile)
    return packWinograd(source, firstColumn, valid, reinterpret_cast<float *>(out.data()));
  for (int64_t row = 0; row < rows; ++row)
    copy(out.data() + row * width * elementBytes, row * columns + (index / panelsPerGroup) * groupColumns + firstColumn,
         valid);
}

int64_t countStoredElements(plan::KernelOp kernel, unsigned number) {
  auto type = mlir::cast<mlir::RankedTensorType>(kernel.getBody().getArgument(number).getType());
  plan::EncodingAttr encoding = int64_t(number) < kernel.getNumInputs() ? kernel.getEncoding(number) : nullptr;
  return encoding ? PackedWeight(type, encoding).sizeInBytes() / bytesOfElement(type.getElementType())
                  : type.getNumElements();
}

} // namespace nacre::codegen
