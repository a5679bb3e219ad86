// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Quantization.h.

#include "dialects/nn/codes/Quantization.h"

#include "mlir/IR/Builders.h"

using namespace mlir;

namespace nacre::nn {

DictionaryAttr writeQuantization(const Quantization &quantization, MLIRContext *context) {
  Builder builder(context);
  return builder.getDictionaryAttr({builder.getNamedAttr("axis", builder.getI64IntegerAttr(quantization.axis)),
                                    builder.getNamedAttr("scales", builder.getDenseF32ArrayAttr(quantization.scales)),
                                    builder.getNamedAttr("zeros", builder.getDenseI32ArrayAttr(quantization.zeros))});
}

Quantization readQuantization(DictionaryAttr note) {
  return {llvm::to_vector(note.getAs<DenseF32ArrayAttr>("scales").asArrayRef()),
          llvm::to_vector(note.getAs<DenseI32ArrayAttr>("zeros").asArrayRef()),
          note.getAs<IntegerAttr>("axis").getInt()};
}

} // namespace nacre::nn
