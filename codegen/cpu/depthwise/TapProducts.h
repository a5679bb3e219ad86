// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  how a CPU multiplies the bytes of a window by its taps, for many channels at once.
// Why:   dot products add up two or four taps of a channel in one instruction, but their operands lie a row or a pixel apart. They
//        are interleaved in registers, once for all outputs that they go into.
// How:   an operand is made of the bytes of `group` elements, or of as many taps. Channels lie as ChannelLayout says.

#ifndef NACRE_CODEGEN_CPU_DEPTHWISE_TAPPRODUCTS_H
#define NACRE_CODEGEN_CPU_DEPTHWISE_TAPPRODUCTS_H

#include "codegen/cpu/depthwise/ChannelLayout.h"
#include <memory>

namespace nacre::codegen::cpu {

/// Sums that products are added to.
struct TapSums {
  llvm::SmallVector<mlir::Value, 4> vectors;
  llvm::SmallVector<mlir::Value, 4>
      pending; ///< Narrower sums of a first product, where products are added up in pairs.
};

/// What is added up at once, as registers.
using TapOperand = llvm::SmallVector<mlir::Value, 4>;

class TapProducts {
public:
  virtual ~TapProducts() = default;

  unsigned group = 1;         ///< Elements that one instruction adds up.
  unsigned block = 16;        ///< Channels.
  bool readsUnsigned = false; ///< Elements are unsigned; those of the other kind are moved by 128.

  virtual ChannelLayout layoutOf(unsigned width) const { return {width}; }

  // What it costs, in instructions.
  virtual int64_t registersOf(const ChannelLayout &layout) const { return layout.vectors(); } ///< Of an operand.
  virtual double interleaveCost(const ChannelLayout &layout) const = 0;
  virtual double addCost(const ChannelLayout &layout) const = 0;
  virtual int64_t registersOfSums(const ChannelLayout &layout) const { return layout.vectors(); }

  /// Makes an operand of the bytes of `group` elements or taps.
  virtual TapOperand operandOf(VectorBuilder &build, llvm::ArrayRef<mlir::Value> bytes, const ChannelLayout &layout,
                               bool isUnsigned) const = 0;
  virtual void add(VectorBuilder &build, TapSums &sums, const TapOperand &elements, const TapOperand &taps,
                   const ChannelLayout &layout) const = 0;
  /// After the last product.
  virtual void finish(VectorBuilder &, TapSums &, const ChannelLayout &) const {}
  /// What sums of so many products begin with to be exact in the end.
  virtual int64_t startOf(int64_t) const { return 0; }
};

/// A window of taps, and how far windows of neighbouring pixels are apart.
struct TapWindow {
  int64_t high = 1, wide = 1;
  int64_t stride = 1;
};

/// Returns about how many times fewer instructions a window of bytes takes than one of floats, `lanes` of which a
/// register holds.
double tapRate(const Target &target, bool isUnsignedLhs, bool isUnsignedRhs, const TapWindow &window, int64_t lanes);

/// The fastest way for `target`.
std::unique_ptr<TapProducts> tapProductsOf(const Target &target, bool isUnsignedLhs, bool isUnsignedRhs);

} // namespace nacre::codegen::cpu

#endif // NACRE_CODEGEN_CPU_DEPTHWISE_TAPPRODUCTS_H
