// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Constants that compositions compute element by element. They count against the model's limit for constants.

#ifndef NACRE_COMPILER_IMPORT_COMPOSITIONS_TABLES_H
#define NACRE_COMPILER_IMPORT_COMPOSITIONS_TABLES_H

#include "compiler/import/builder/NnBuilder.h"
#include "dialects/StoredBytes.h"
#include "dialects/nn/ConstantData.h"
#include "dialects/nn/shapes/ShapeRules.h"

namespace nacre::importer {

/// True if a constant of `type` is allowed; it then counts as made. Reports an error if not.
bool allowsTable(NnBuilder &nn, mlir::RankedTensorType type);

/// Returns a constant of `type` whose elements are `makeElement` of each index in row-major order, or null after an
/// error. T is int64_t or double; elements are rounded from it.
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
