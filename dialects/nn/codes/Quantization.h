// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  the real values that the integers of a function's inputs and outputs represent.
// Why:   an app that writes and reads these integers must know their scale, even if no operator of the model needs it
//        any more.
// How:   the parameters are a note on the argument or result. The import writes it. Packaging passes it to the runtime.

#ifndef NACRE_DIALECTS_NN_CODES_QUANTIZATION_H
#define NACRE_DIALECTS_NN_CODES_QUANTIZATION_H

#include "mlir/IR/BuiltinAttributes.h"
#include "llvm/ADT/SmallVector.h"

namespace nacre::nn {

/// Dictionary on an argument that is an integer input of the model, or on a result that is an integer output. The axis
/// counts the axes of the model's tensor, which are those of the function's type.
inline constexpr llvm::StringLiteral quantizationAttr = "nn.quantization";

/// Parameters of the real value (integer - zero) * scale.
struct Quantization {
  llvm::SmallVector<float> scales;  ///< One scale, or one for each index of `axis`. All are finite.
  llvm::SmallVector<int32_t> zeros; ///< Zero points, one for each scale.
  int64_t axis = 0;                 ///< Axis of the scales; 0 if there is one scale.

  bool isPerAxis() const { return scales.size() > 1; }
};

mlir::DictionaryAttr writeQuantization(const Quantization &quantization, mlir::MLIRContext *context);

/// Reads a note that writeQuantization() has written.
Quantization readQuantization(mlir::DictionaryAttr note);

} // namespace nacre::nn

#endif // NACRE_DIALECTS_NN_CODES_QUANTIZATION_H
