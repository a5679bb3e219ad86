// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every operator that TensorFlow Lite's importer handles, with operands and options of all sorts, as AnyNodeTest.cpp
// has those of ONNX.

#include "test/unit/compiler/NodeTrial.h"
#include "test/unit/compiler/TfliteDraw.h"

#include "compiler/import/tflite/Handlers.h"

#include "llvm/Support/xxhash.h"

using namespace nacre;
using namespace nacre::importer;

namespace {

constexpr int drawsPerHandler = 100;

/// Graphs are not drawn.
bool hasGraphs(llvm::StringRef op) { return op == "IF" || op == "WHILE"; }

class AnyTfliteOperator : public NodeTrial {};

/// Operators that no draw gets right: layers with states, which must be variables, and operators of handles.
static bool isIntricate(llvm::StringRef op) {
  return op.ends_with("LSTM") || op.ends_with("RNN") || op == "SVDF" || op.ends_with("_VARIABLE");
}

TEST_F(AnyTfliteOperator, IsCompiledOrRefusedInPlainWords) {
  for (const auto &operation : tflite_format::getOperators().getEntries()) {
    llvm::StringRef op = operation.first();
    if (hasGraphs(op))
      continue;
    Draw draw(llvm::xxh3_64bits(op));
    auto tryOne = [&] {
      std::string bytes = drawTfliteModel(draw, op, operation.second.front().signature.getRules());
      return compile(bytes, [&] { return describeTfliteModel(bytes); });
    };
    tryDraws(op.str(), drawsPerHandler, tryOne, /*mayBeRefused=*/isIntricate(op));
  }
}

} // namespace
