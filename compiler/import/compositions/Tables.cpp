// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Constants whose elements compositions compute. They count against the limit of the model's constants.

#include "compiler/import/compositions/Tables.h"

#include "compiler/import/messages/TypeNames.h"

using namespace mlir;

namespace nacre::importer {

bool allowsTable(NnBuilder &nn, RankedTensorType type) {
  if (std::optional<int64_t> count = nn::countElements(type.getShape()))
    return nn.allowsConstant(*count, bytesOfElement(type.getElementType()));
  nn.error() << "a constant of the shape " << describeShape(type.getShape())
             << " exceeds the limit on all constants that the model computes; raise --max-constant";
  return false;
}

} // namespace nacre::importer
