// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "codegen/cpu/depthwise/ChannelLayout.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/TypeUtilities.h"
#include <numeric>

using namespace mlir;

namespace nacre::codegen::cpu {

//===----------------------------------------------------------------------===//
// Vectors
//===----------------------------------------------------------------------===//

static int64_t lanesOf(Value vector) { return cast<VectorType>(vector.getType()).getNumElements(); }

Value splatOf(VectorBuilder &build, Type type, int64_t value) {
  Attribute element = build.ops.getIntegerAttr(getElementTypeOrSelf(type), value);
  return build.constant(DenseElementsAttr::get(cast<ShapedType>(type), element));
}

Value asElements(VectorBuilder &build, Value vector, unsigned bits) {
  auto type = cast<VectorType>(vector.getType());
  const int64_t count = type.getNumElements() * type.getElementTypeBitWidth() / bits;
  return vector::BitCastOp::create(build.ops, build.loc, VectorType::get({count}, build.ops.getIntegerType(bits)),
                                   vector);
}

Value extract(VectorBuilder &build, Value vector, int64_t from, int64_t count) {
  if (count == lanesOf(vector))
    return vector;
  return vector::ExtractStridedSliceOp::create(build.ops, build.loc, vector, ArrayRef<int64_t>{from},
                                               ArrayRef<int64_t>{count}, ArrayRef<int64_t>{1});
}

static Value shuffled(VectorBuilder &build, Value a, Value b, ArrayRef<int64_t> lanes) {
  return vector::ShuffleOp::create(build.ops, build.loc, a, b, lanes);
}

//===----------------------------------------------------------------------===//
// Bytes
//===----------------------------------------------------------------------===//

Value loadBytes(VectorBuilder &build, Value buffer, Value address, Piece piece, bool inverted) {
  Value bytes = build.load(buffer, address, piece);
  const int64_t count = lanesOf(bytes), all = ChannelLayout{piece.width}.bytes();
  if (count < all) {
    // The other bytes are undefined. No instruction reads results that depend on them.
    SmallVector<int64_t> lanes(all, vector::ShuffleOp::kPoisonIndex);
    std::iota(lanes.begin(), lanes.begin() + count, 0);
    bytes = shuffled(build, bytes, bytes, lanes);
  }
  constexpr int64_t highestBit = -128;
  return inverted ? arith::XOrIOp::create(build.ops, build.loc, bytes, splatOf(build, bytes.getType(), highestBit))
                  : bytes;
}

Value interleave(VectorBuilder &build, Value a, Value b, unsigned bits, bool isHigh) {
  Value first = asElements(build, a, bits), second = asElements(build, b, bits);
  const int64_t count = lanesOf(first), ofSegment = 128 / bits, half = ofSegment / 2;
  SmallVector<int64_t> lanes;
  for (int64_t segment = 0; segment < count; segment += ofSegment)
    for (int64_t lane = segment + (isHigh ? half : 0), end = lane + half; lane < end; ++lane)
      lanes.append({lane, count + lane});
  return asElements(build, shuffled(build, first, second, lanes), 8);
}

//===----------------------------------------------------------------------===//
// Channels
//===----------------------------------------------------------------------===//

Value joinVectors(VectorBuilder &build, ArrayRef<Value> vectors) {
  SmallVector<Value, 4> parts(vectors);
  while (parts.size() > 1) {
    SmallVector<int64_t> lanes = llvm::to_vector(llvm::seq<int64_t>(0, 2 * lanesOf(parts[0])));
    SmallVector<Value, 4> joined;
    for (size_t pair = 0; pair + 1 < parts.size(); pair += 2)
      joined.push_back(shuffled(build, parts[pair], parts[pair + 1], lanes));
    parts = std::move(joined);
  }
  return parts.front();
}

SmallVector<Value, 4> splitVectors(VectorBuilder &build, Value all, const ChannelLayout &layout) {
  SmallVector<Value, 4> vectors;
  for (int64_t vector = 0; vector < layout.vectors(); ++vector)
    vectors.push_back(extract(build, all, vector * layout.lanes(), layout.lanes()));
  return vectors;
}

/// Returns the channel of each sum. Sums without a channel get the last channel.
static SmallVector<int64_t> channelsOfSums(const ChannelLayout &layout) {
  SmallVector<int64_t> channels;
  for (int64_t vector = 0; vector < layout.vectors(); ++vector)
    for (int64_t lane = 0; lane < layout.lanes(); ++lane)
      channels.push_back(std::min<int64_t>(16 * (lane / 4) + 4 * vector + lane % 4, int64_t(layout.width) - 1));
  return channels;
}

Value inOrderOfSums(VectorBuilder &build, Value channels, const ChannelLayout &layout) {
  if (layout.segments() == 1 && layout.sums() == layout.width)
    return channels;
  return shuffled(build, channels, channels, channelsOfSums(layout));
}

Value inOrderOfChannels(VectorBuilder &build, Value sums, const ChannelLayout &layout) {
  if (layout.segments() == 1)
    return extract(build, sums, 0, layout.width);
  SmallVector<int64_t> order(layout.width);
  for (auto [sum, channel] : llvm::enumerate(channelsOfSums(layout)))
    order[channel] = sum;
  return shuffled(build, sums, sums, order);
}

Value narrowToBytes(VectorBuilder &build, Value sums, const ChannelLayout &layout, bool isUnsigned) {
  const Type byte = build.ops.getI8Type();
  // x86 narrows two registers to one, with saturation. This undoes the order of interleaving.
  SmallVector<Value, 4> words = splitVectors(build, sums, layout);
  auto pack = [&](bool isToBytes, Value a, Value b) {
    const int64_t lanes = lanesOf(a), bits = lanes * (isToBytes ? 16 : 32);
    const StringRef set = bits == 128   ? "sse2"
                          : bits == 256 ? "avx2"
                                        : "avx512",
                    suffix = bits == 128   ? ".128"
                             : bits == 512 ? ".512"
                                           : "";
    const StringRef name = !isToBytes ? "packssdw" : isUnsigned ? "packuswb" : "packsswb";
    return build.intrinsic(("llvm.x86." + set + "." + name + suffix).str(),
                           VectorType::get({2 * lanes}, isToBytes ? byte : build.ops.getI16Type()), {a, b});
  };
  if (layout.isExtended && words.size() == 1)
    words = {extract(build, words[0], 0, 4), extract(build, words[0], 4, 4)};
  Value low = pack(false, words[0], words[words.size() > 1 ? 1 : 0]);
  Value high = words.size() > 2 ? pack(false, words[2], words[3]) : low;
  if (!layout.isExtended || lanesOf(low) == 8)
    return extract(build, pack(true, low, high), 0, layout.width);
  // Order of runs of four channels: the first and the third are in the lower half, the others in the higher half.
  Value bytes = pack(true, extract(build, low, 0, 8), extract(build, low, 8, 8));
  return shuffled(build, bytes, bytes, {0, 1, 2, 3, 8, 9, 10, 11, 4, 5, 6, 7, 12, 13, 14, 15});
}

} // namespace nacre::codegen::cpu
