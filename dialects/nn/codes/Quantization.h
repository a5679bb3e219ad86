// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  how a function says what reals the integers of its inputs and outputs stand for.
// Why:   an app that writes and reads these integers must know their scale, though no operator of the model may need it any more.
// How:   a note on the argument or result. The import leaves it, packaging hands it to the runtime.

#ifndef NACRE_DIALECTS_NN_CODES_QUANTIZATION_H
#define NACRE_DIALECTS_NN_CODES_QUANTIZATION_H

#include "mlir/IR/BuiltinAttributes.h"
#include "llvm/ADT/SmallVector.h"

namespace nacre::nn {

/// On an argument that is an input, or a result that is an output, of integers: a dictionary. The axis is the model's, which is also that
/// of the function's types.
inline constexpr llvm::StringLiteral quantizationAttr = "nn.quantization";

/// (integer - zero) * scale.
struct Quantization {
  llvm::SmallVector<float> scales;  ///< One, or one for each index of `axis`; all are finite.
  llvm::SmallVector<int32_t> zeros; ///< As many.
  int64_t axis = 0;                 ///< 0 if there is one scale.

  bool isPerAxis() const { return scales.size() > 1; }
};

mlir::DictionaryAttr writeQuantization(const Quantization &quantization, mlir::MLIRContext *context);

/// Reads what writeQuantization returned.
Quantization readQuantization(mlir::DictionaryAttr note);

} // namespace nacre::nn

#endif // NACRE_DIALECTS_NN_CODES_QUANTIZATION_H
