// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every operator that TensorFlow's importer handles, with operands and attributes of all sorts, as AnyNodeTest.cpp has
// those of ONNX.

#include "test/unit/compiler/NodeTrial.h"
#include "test/unit/compiler/TensorflowDraw.h"

#include "compiler/import/tensorflow/Operators.h"

#include "llvm/Support/xxhash.h"

using namespace nacre;
using namespace nacre::importer;

namespace {

constexpr int drawsPerHandler = 60;

/// Operators of raised control flow, which no single node of a file is.
bool isRaised(llvm::StringRef op) { return op == "Merge" || op == "Case" || op == "LoopCond"; }

/// Operands that go together in too many ways to be drawn, or are complex numbers, which only operators make.
bool isIntricate(llvm::StringRef op) {
  static constexpr llvm::StringLiteral ofComplex[] = {"Angle", "Complex", "ComplexAbs", "Conj",
                                                      "Imag",  "IRFFT",   "Real",       "RFFT"};
  return llvm::is_contained(ofComplex, op) || op == "SparseTensorDenseAdd" || op == "FusedPadConv2D" ||
         op == "FusedResizeAndPadConv2D";
}

class AnyTensorflowNode : public NodeTrial {};

TEST_F(AnyTensorflowNode, IsCompiledOrRefusedInPlainWords) {
  for (const auto &operation : tensorflow_format::getOperators().getEntries()) {
    llvm::StringRef op = operation.first();
    if (isRaised(op))
      continue;
    Draw draw(llvm::xxh3_64bits(op));
    auto tryOne = [&] {
      tensorflow::GraphDef graph = drawGraph(draw, op, operation.second.front().signature.getRules());
      return compile(graph.SerializeAsString(), [&] { return graph.ShortDebugString(); });
    };
    tryDraws(op.str(), drawsPerHandler, tryOne, /*mayBeRefused=*/isIntricate(op));
  }
}

} // namespace
