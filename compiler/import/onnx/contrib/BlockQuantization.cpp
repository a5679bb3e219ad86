// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Weights with few bits, of which blocks share a scale: matrix products, and gathers of rows.

#include "compiler/import/compositions/Quantization.h"
#include "compiler/import/messages/TypeNames.h"
#include "compiler/import/onnx/contrib/Handlers.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace nacre::importer::onnx_format::contrib {
namespace {

/// Unpacks bytes to unsigned integers of `bits` bits, lowest bits first. The last axis becomes 8 / bits times as long.
Value unpack(NnBuilder &nn, Value bytes, int64_t bits) {
  if (!bytes)
    return {};
  SmallVector<int64_t> shape(getShape(bytes));
  shape.back() *= 8 / bits;
  return nn.reshape(nn.bitcast(bytes, nn.types().getIntegerType(static_cast<unsigned>(bits), /*isSigned=*/false)),
                    shape);
}

/// Returns the attribute `bits`, or 0 after an error.
int64_t readBits(OperandBinder &node) {
  int64_t bits = node.getInt("bits", 4);
  if (bits == 2 || bits == 4 || bits == 8)
    return bits;
  node.error() << "attribute 'bits' must be 2, 4 or 8, but is " << bits;
  return 0;
}

/// Returns the middle of the range of `bits`, which is the default zero point.
Value middleOf(NnBuilder &nn, Value codes, int64_t bits) {
  return nn.scalar(codes, static_cast<double>(int64_t(1) << (bits - 1)));
}

//===----------------------------------------------------------------------===//
// MatMulNBits
//===----------------------------------------------------------------------===//

struct BlockedWeight {
  int64_t outputs = 0, depth = 0, block = 0, blocks = 0, bits = 0;
};

/// Reads the sizes of the weight. Returns `nullopt` after an error, if no tensor can have these sizes.
std::optional<BlockedWeight> readWeight(OperandBinder &node) {
  BlockedWeight weight;
  weight.outputs = node.getInt("N", 0);
  weight.depth = node.getInt("K", 0);
  weight.block = node.getInt("block_size", 0);
  weight.bits = readBits(node);
  if (!weight.bits)
    return std::nullopt;
  for (auto [name, size] : {std::pair("N", weight.outputs), {"K", weight.depth}, {"block_size", weight.block}})
    if (size < 1 || size > INT32_MAX) {
      node.error() << "attribute '" << name << "' must be from 1 to " << INT32_MAX << ", but is " << size;
      return std::nullopt;
    }
  if (weight.block * weight.bits % 8 != 0) {
    node.error() << "attribute 'block_size' must be a whole number of bytes, but is " << weight.block;
    return std::nullopt;
  }
  weight.blocks = llvm::divideCeil(weight.depth, weight.block);
  return weight;
}

/// Returns the zero points of each block, [N, blocks], as integers or floats. Returns null if the operand is missing,
/// or after an error.
Value readZeros(OperandBinder &node, const BlockedWeight &weight) {
  NnBuilder &nn = node.nn;
  Value zeros = node.getOperand(3);
  if (!zeros)
    return {};
  const bool areBytes = getElementType(zeros).isUnsignedInteger(8);
  const int64_t stored = areBytes ? llvm::divideCeil(weight.blocks * weight.bits, 8) : weight.blocks;
  if (getType(zeros).getNumElements() != weight.outputs * stored || (!areBytes && !isFloat(zeros))) {
    node.error() << node.nameOf(3) << " must have " << describeCount(stored, "element") << " of uint8, or "
                 << weight.blocks << " of the scale's type, for each of the " << weight.outputs << " outputs, but is "
                 << describe(zeros);
    return {};
  }
  zeros = nn.reshape(zeros, {weight.outputs, stored});
  return areBytes ? nn.slice(unpack(nn, zeros, weight.bits), 1, 0, weight.blocks) : zeros;
}

void importMatMulNBits(OperandBinder &node) {
  NnBuilder &nn = node.nn;
  node.ignore({"accuracy_level"}); // the lowest precision that is allowed
  Value x = node.getOperand(0), scales = node.getOperand(2), bias = node.getOperand(5);
  std::optional<BlockedWeight> weight = readWeight(node);
  if (!weight)
    return;
  auto [outputs, depth, block, blocks, bits] = *weight;
  if (!node.checkRank(0, 1) || !node.checkShape(1, {outputs, blocks, block * bits / 8}, "as the attributes state"))
    return;
  if (node.getOperand(4)) {
    node.error() << node.nameOf(4) << " is not supported; reorder the weight's columns instead";
    return;
  }
  if (getShape(x).back() != depth) {
    node.error() << node.nameOf(0) << " must have " << describeCount(depth, "element")
                 << " along its last axis, but is " << describe(x);
    return;
  }
  if (getType(scales).getNumElements() != outputs * blocks) {
    node.error() << node.nameOf(2) << " must have " << describeCount(outputs * blocks, "element") << ", but is "
                 << describe(scales);
    return;
  }
  if (bias && !node.checkShape(5, {outputs}, "one element for each output"))
    return;
  Value zeros = readZeros(node, *weight);
  if (node.hasFailed())
    return;
  Value codes = nn.reshape(unpack(nn, node.getOperand(1), bits), {outputs, blocks * block});
  if (!codes)
    return;
  if (!zeros)
    zeros = middleOf(nn, codes, bits);
  Value matrix = dequantize(nn, codes, nn.reshape(scales, {outputs, blocks}), zeros, {1, block}, getElementType(x));
  Value y = nn.matmul(x, nn.transpose(nn.slice(matrix, 1, 0, depth), {1, 0}));
  node.setResult(bias ? nn.add(y, nn.cast(bias, getElementType(x))) : y);
}

//===----------------------------------------------------------------------===//
// GatherBlockQuantized
//===----------------------------------------------------------------------===//

/// Gathers rows of the codes, the scales and the zero points, and dequantizes them.
void importGatherBlockQuantized(OperandBinder &node) {
  NnBuilder &nn = node.nn;
  Value data = node.getOperand(0), indices = node.getOperand(1), scales = node.getOperand(2),
        zeros = node.getOperand(3);
  const bool areBytes = getElementType(data).isUnsignedInteger(8);
  const int64_t bits = areBytes ? readBits(node) : 4;
  node.ignore({"bits"});
  if (!areBytes && getElementType(data).getIntOrFloatBitWidth() != 4) {
    node.error() << node.nameOf(0) << " must be of type uint8, uint4 or int4, but is " << describe(data);
    return;
  }
  if (!bits || !node.checkRank(0, 1))
    return;
  const int64_t rank = getRank(data);
  if (!node.checkRank(2, rank, rank) || !node.checkRank(3, rank, rank))
    return;
  FailureOr<int64_t> gatherAxis = node.getAxis(node.getInt("gather_axis", 0), rank);
  FailureOr<int64_t> quantizeAxis = node.getAxis(node.getInt("quantize_axis", 1), rank);
  const int64_t block = node.getInt("block_size", 128);
  if (failed(gatherAxis) || failed(quantizeAxis))
    return;
  if (*gatherAxis == *quantizeAxis || block < 1 || (areBytes && bits < 8 && *quantizeAxis != rank - 1)) {
    node.error() << "attribute 'block_size' must be 1 or more, and 'quantize_axis' must differ from 'gather_axis' and "
                    "be the last axis for bytes, but they are "
                 << block << ", " << *quantizeAxis << " and " << *gatherAxis;
    return;
  }
  if (areBytes) {
    data = unpack(nn, data, bits);
    SmallVector<int64_t> packed(getShape(scales));
    packed.back() = llvm::divideCeil(packed.back() * bits, 8);
    if (!node.checkShape(3, packed, "that of the scales, packed into bytes"))
      return;
    if (zeros && bits < 8)
      zeros = nn.slice(unpack(nn, zeros, bits), rank - 1, 0, getShape(scales).back());
  }
  if (!data || (node.getOperand(3) && !zeros))
    return;
  for (Value parameter : {scales, zeros})
    if (parameter && !isParameterOf(data, parameter, {*quantizeAxis, block})) {
      node.error() << "scales and zero points must have the shape of the codes, " << describe(data)
                   << ", but one element for each " << block << " of axis " << *quantizeAxis << ", but are "
                   << describe(scales) << (zeros ? " and " + describe(zeros) : "");
      return;
    }
  auto pick = [&](Value value) { return nn.gather(value, indices, *gatherAxis); };
  zeros = zeros ? pick(zeros) : areBytes ? middleOf(nn, data, bits) : Value();
  const int64_t axis = *quantizeAxis > *gatherAxis ? *quantizeAxis + getRank(indices) - 1 : *quantizeAxis;
  node.setResult(dequantize(nn, pick(data), pick(scales), zeros, {axis, block}, getElementType(scales)));
}

} // namespace

void registerBlockQuantization(ImportRegistry &registry) {
  registry.add("MatMulNBits", 1,
               {{"A", Holds::Floats},
                {"B", Holds::Bytes},
                {"scales", Holds::Floats},
                {"zero_points?", Holds::Numbers},
                {"g_idx?", Holds::Integers},
                {"bias?", Holds::Floats}},
               importMatMulNBits);
  registry.setLimit("MatMulNBits", "g_idx; bit widths except 2, 4 and 8");
  registry.add("GatherBlockQuantized", 1,
               {{"data", Holds::Stored, 'T'},
                {"indices", Holds::Indices},
                {"scales", Holds::Floats},
                {"zero_points?", Holds::Stored, 'T'}},
               importGatherBlockQuantized);
}

} // namespace nacre::importer::onnx_format::contrib
