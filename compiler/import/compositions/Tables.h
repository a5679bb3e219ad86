// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Constants that compositions make: element by element, counted against what the model may make in all.

#ifndef NACRE_COMPILER_IMPORT_COMPOSITIONS_TABLES_H
#define NACRE_COMPILER_IMPORT_COMPOSITIONS_TABLES_H

#include "compiler/import/builder/NnBuilder.h"
#include "dialects/StoredBytes.h"
#include "dialects/nn/ConstantData.h"
#include "dialects/nn/shapes/ShapeRules.h"

namespace nacre::importer {

/// Whether a constant of `type` may be made, which is then counted as made; reports an error if not.
bool allowsTable(NnBuilder &nn, mlir::RankedTensorType type);

/// A constant of `type` made by calling `makeElement` with each index in row-major order, or null after an error. T is
/// int64_t or double, whichever the elements are rounded from.
template <typename T, typename Make>
mlir::Value makeTable(NnBuilder &nn, mlir::RankedTensorType type, Make makeElement) {
  if (!allowsTable(nn, type))
    return {};
  nn::ConstantBuilder builder(type);
  for (int64_t index = 0, count = type.getNumElements(); index < count; ++index) {
    T element = makeElement(index);
    builder.write(index, llvm::ArrayRef<T>(element));
  }
  return nn.constant(std::move(builder).take());
}

} // namespace nacre::importer

#endif // NACRE_COMPILER_IMPORT_COMPOSITIONS_TABLES_H
