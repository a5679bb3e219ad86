// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operators that change the shape or order of elements, repeat them, or put them on diagonals.
//
// How:  1. shapes and orders, 2. blocks of rows and columns.

#include "compiler/import/operands/Shapes.h"
#include "compiler/import/compositions/Blocks.h"
#include "compiler/import/operands/Blocks.h"
#include "compiler/import/operands/Diagonals.h"
#include "compiler/import/tflite/Handlers.h"

using namespace mlir;

namespace nacre::importer::tflite_format {
namespace {

//===----------------------------------------------------------------------===//
// 1. Shapes and orders
//===----------------------------------------------------------------------===//

/// Imports RESHAPE. The shape is operand 1, or an option in old files. One size may be -1. Old files write the shape of
/// a scalar as [0].
void importReshape(TfliteNode &node) {
  Value x = node.getOperand(0);
  SmallVector<int64_t> shape = node->getInts("new_shape");
  if (node.getOperand(1)) {
    FailureOr<SmallVector<int64_t>> given = node->getIntegers(1);
    if (failed(given))
      return;
    shape = std::move(*given);
  }
  if (Ints(shape) == Ints({0}) && getType(x).getNumElements() == 1)
    shape.clear();
  reshapeOperand(node, node.getOperand(1) ? node->nameOf(1) : "attribute 'new_shape'", std::move(shape),
                 /*zeroIsZero=*/true);
}

/// Imports SQUEEZE: removes the listed axes of size 1, or all axes of size 1 if the list is empty.
void importSqueeze(TfliteNode &node) {
  SmallVector<int64_t> axes = node->getInts("squeeze_dims");
  removeAxes(node, axes.empty() ? std::nullopt : std::optional<Ints>(axes));
}

void importReverseSequence(TfliteNode &node) {
  const int64_t time = node->getInt("seq_dim", 0), batch = node->getInt("batch_dim", 0);
  reverseSequences(node, time, batch);
}

//===----------------------------------------------------------------------===//
// 2. Blocks
//===----------------------------------------------------------------------===//

void importDepth(TfliteNode &node, bool toDepth) {
  NnBuilder &nn = node.nn;
  Value x = node.getOperand(0);
  const int64_t block = node->getInt("block_size", 0);
  if (node->checkRank(0, 4, 4) && checkBlock(node, "attribute 'block_size'", x, block, /*ofChannels=*/!toDepth))
    node.setResult(toDepth ? spaceToDepth(nn, x, block) : depthToSpace(nn, x, block));
}

/// Imports SPACE_TO_BATCH_ND, which pads with the zero point.
void importSpaceToBatch(TfliteNode &node) {
  const Quantization *quantization = node.getQuantization(0);
  FailureOr<SmallVector<int64_t>> blocks = node->getIntegers(1);
  if (succeeded(blocks))
    moveToBatch(node, *blocks, 2, quantization ? static_cast<double>(quantization->zeros[0]) : 0);
}

void importBatchToSpace(TfliteNode &node) {
  FailureOr<SmallVector<int64_t>> blocks = node->getIntegers(1);
  if (succeeded(blocks))
    moveFromBatch(node, *blocks, 2);
}

} // namespace

void registerShapes(ImportRegistry &registry) {
  const Signature blocks{{"x"}, {"block_shape", Holds::Indices}, {"ends", Holds::Indices}},
      stored{{"x", Holds::Stored}};
  const Signature shaped{{"x", Holds::Stored}, {"shape", Holds::Indices}},
      moved{{"x", Holds::Stored}, {"axes", Holds::Indices}};
  add(registry, "RESHAPE", Integers::Moved, {{"x", Holds::Stored}, {"shape?", Holds::Indices}}, importReshape);
  add(registry, "EXPAND_DIMS", Integers::Moved, moved, insertAxis);
  add(registry, "SQUEEZE", Integers::Moved, stored, importSqueeze);
  add(registry, "TRANSPOSE", Integers::Moved, moved, transposeAxes);
  add(registry, "REVERSE_V2", Integers::Moved, {{"x"}, {"axes", Holds::Indices}}, reverseAxes);
  add(registry, "REVERSE_SEQUENCE", Integers::Moved, {{"x"}, {"lengths", Holds::Indices}}, importReverseSequence);
  add(registry, "DEPTH_TO_SPACE", Integers::Moved, {{"x"}},
      [](TfliteNode &node) { importDepth(node, /*toDepth=*/false); });
  add(registry, "SPACE_TO_DEPTH", Integers::Moved, {{"x"}},
      [](TfliteNode &node) { importDepth(node, /*toDepth=*/true); });
  add(registry, "SPACE_TO_BATCH_ND", Integers::Moved, blocks, importSpaceToBatch);
  add(registry, "BATCH_TO_SPACE_ND", Integers::Moved, blocks, importBatchToSpace);
  add(registry, "BROADCAST_TO", Integers::Moved, shaped, broadcastOperand);
  add(registry, "TILE", Integers::Moved, {{"x"}, {"repeats", Holds::Indices}}, repeatOperand);
  add(registry, "MATRIX_DIAG", Integers::Plain, {{"diagonal"}}, makeDiagonals);
  add(registry, "MATRIX_SET_DIAG", Integers::Moved, {{"x", Holds::Anything, 'T'}, {"diagonal", Holds::Anything, 'T'}},
      replaceDiagonals);
}

} // namespace nacre::importer::tflite_format
