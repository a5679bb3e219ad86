// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/import/operands/SharedOperators.h"

#include "compiler/import/compositions/Elementary.h"

using namespace mlir;

namespace nacre::importer {

using nn::BinaryKind;
using nn::UnaryKind;

static Value reluTo6(NnBuilder &nn, Value x) { return clamp(nn, x, 0, 6); }

llvm::ArrayRef<UnaryOperator> getUnaryOperators() {
#define UNARY_COMPOSITION(function, types, onnx, since, tensorflow, tflite)                                            \
  {{onnx, since, tensorflow, tflite}, Holds::types, function},
#define UNARY(kind, types, onnx, since, tensorflow, tflite)                                                            \
  UNARY_COMPOSITION([](NnBuilder &nn, Value x) { return nn.unary(UnaryKind::kind, x); }, types, onnx, since,           \
                    tensorflow, tflite)
  static constexpr UnaryOperator rows[] = {
#include "compiler/import/operands/SharedOperators.def"
  };
  return rows;
}

llvm::ArrayRef<BinaryOperator> getBinaryOperators() {
#define BINARY(kind, types, onnx, since, tensorflow, tflite)                                                           \
  {{onnx, since, tensorflow, tflite},                                                                                  \
   Holds::types,                                                                                                       \
   [](NnBuilder &nn, Value x, Value y) { return nn.binary(BinaryKind::kind, x, y); },                                  \
   BinaryKind::kind},
#define BINARY_COMPOSITION(function, types, onnx, since, tensorflow, tflite)                                           \
  {{onnx, since, tensorflow, tflite}, Holds::types, function, std::nullopt},
  static constexpr BinaryOperator rows[] = {
#include "compiler/import/operands/SharedOperators.def"
  };
  return rows;
}

llvm::ArrayRef<ReductionOperator> getReductionOperators() {
#define REDUCTION(kind, types, onnx, since, tensorflow, tflite)                                                        \
  {{onnx, since, tensorflow, tflite}, Holds::types, nn::ReduceKind::kind},
  static constexpr ReductionOperator rows[] = {
#include "compiler/import/operands/SharedOperators.def"
  };
  return rows;
}

llvm::ArrayRef<ExtremeOperator> getExtremeOperators() {
#define EXTREME(kind, onnx, since, tensorflow, tflite) {{onnx, since, tensorflow, tflite}, nn::ArgKind::kind},
  static constexpr ExtremeOperator rows[] = {
#include "compiler/import/operands/SharedOperators.def"
  };
  return rows;
}

llvm::ArrayRef<CumulationOperator> getCumulationOperators() {
#define CUMULATION(kind, onnx, since, tensorflow, tflite) {{onnx, since, tensorflow, tflite}, nn::CumulateKind::kind},
  static constexpr CumulationOperator rows[] = {
#include "compiler/import/operands/SharedOperators.def"
  };
  return rows;
}

} // namespace nacre::importer
