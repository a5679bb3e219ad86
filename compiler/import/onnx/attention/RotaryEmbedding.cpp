// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rotary embeddings: gathers a row of the caches for each position, and then rotates.

#include "compiler/import/onnx/attention/RotaryEmbedding.h"

#include "compiler/import/compositions/attention/RotaryEmbedding.h"
#include "compiler/import/onnx/attention/Handlers.h"
#include "compiler/import/onnx/attention/Rows.h"

using namespace mlir;

namespace nacre::importer::onnx_format {
namespace {

/// Returns the rows of cache `index`, [batch or 1, positions, width], for an input with `batch` rows and `positions`
/// positions. Null after an error.
Value readCache(OperandBinder &node, size_t index, const RotaryOperands &operands, int64_t batch, int64_t positions) {
  NnBuilder &nn = node.nn;
  Value cache = node.getOperand(index), ids = node.getOperand(operands.positions);
  if (!ids) {
    if (!node.checkRank(index, 3, 3) || !node.checkShape(index, {batch, positions, getShape(cache)[2]},
                                                         "a row for each position, as there are no position_ids"))
      return {};
    return cache;
  }
  // If the node has one position, it is the first position of all rows of the batch.
  if (getType(ids).getNumElements() == 1 && getRank(ids) < 2)
    ids = nn.add(nn.reshape(ids, {1, 1}),
                 nn.cast(nn.reshape(nn.counting(positions), {1, positions}), getElementType(ids)));
  else if (!node.checkShape(operands.positions, {batch, positions}, "a position for each of the input"))
    return {};
  return pickRows(node, index, ids);
}

/// Returns the number of heads that are adjacent in the last axis of an input with three axes. Returns 0 after an
/// error.
int64_t countHeads(OperandBinder &node, int64_t width, int64_t rotated) {
  int64_t heads = node.getInt("num_heads", 0);
  if (heads == 0 && !node.has("rotary_embedding_dim") && rotated > 0)
    heads = width / rotated;
  if (heads >= 1 && width % heads == 0)
    return heads;
  node.error() << "attribute 'num_heads' must divide the last axis of " << node.nameOf(0)
               << ", because the input has no heads axis, but is " << heads << " for " << describe(node.getOperand(0));
  return 0;
}

} // namespace

void importRotaryEmbedding(OperandBinder &node, const RotaryOperands &operands) {
  NnBuilder &nn = node.nn;
  Value x = node.getOperand(0);
  bool isInterleaved = node.getFlag("interleaved", false);
  if (!node.checkRank(0, 3, 4))
    return;
  bool isPacked = getRank(x) == 3;
  SmallVector<int64_t> shape(getShape(x));
  int64_t batch = shape[0], positions = shape[isPacked ? 1 : 2];
  Value cosines = readCache(node, operands.cosines, operands, batch, positions);
  Value sines = readCache(node, operands.sines, operands, batch, positions);
  if (!cosines || !sines)
    return node.fail();
  int64_t pairs = getShape(cosines).back(), given = node.getInt("rotary_embedding_dim", 0);
  if (isPacked) {
    int64_t heads = countHeads(node, shape[2], 2 * pairs);
    if (!heads)
      return;
    x = nn.reshape(x, {batch, positions, heads, shape[2] / heads});
    if (!x)
      return node.fail();
  } else {
    node.ignore({"num_heads"});
  }
  int64_t width = getShape(x).back(), rotated = given ? given : width;
  if (rotated != 2 * pairs || rotated > width || getShape(sines).back() != pairs) {
    node.error() << "the caches must have a number for each pair of the " << rotated << " rotated elements of the "
                 << width << " of a head, but are " << describe(node.getOperand(operands.cosines)) << " and "
                 << describe(node.getOperand(operands.sines));
    return;
  }
  int64_t cacheBatch = getShape(cosines)[0];
  SmallVector<int64_t> aligned{cacheBatch, positions, pairs};
  aligned.insert(aligned.begin() + (isPacked ? 2 : 1), 1);
  Value rotated4d = rotate(nn, x, nn.reshape(cosines, aligned), nn.reshape(sines, aligned), isInterleaved);
  node.setResult(nn.reshape(rotated4d, shape));
}

void registerRotaryEmbedding(ImportRegistry &registry) {
  const Signature signature{{"X", Holds::Floats, 'T'},
                            {"cos_cache", Holds::Floats, 'T'},
                            {"sin_cache", Holds::Floats, 'T'},
                            {"position_ids?", Holds::Indices}};
  registry.add("RotaryEmbedding", 23, signature, [](OperandBinder &node) { importRotaryEmbedding(node, {1, 2, 3}); });
}

} // namespace nacre::importer::onnx_format
