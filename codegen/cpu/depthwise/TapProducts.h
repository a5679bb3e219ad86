// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  multiplies the bytes of a window by its taps, for many channels together.
// Why:   dot products add up two or four taps of a channel in one instruction, but their operands lie a row or a pixel
//        apart. The operands are interleaved in registers, once for all outputs that use them.
// How:   an operand consists of the bytes of `group` elements, or of `group` taps. ChannelLayout gives the order of
//        channels.

#ifndef NACRE_CODEGEN_CPU_DEPTHWISE_TAPPRODUCTS_H
#define NACRE_CODEGEN_CPU_DEPTHWISE_TAPPRODUCTS_H

#include "codegen/cpu/depthwise/ChannelLayout.h"
#include <memory>

namespace nacre::codegen::cpu {

/// Sums to which products are added.
struct TapSums {
  llvm::SmallVector<mlir::Value, 4> vectors;
  /// Sums of 16 bits with a first product, if two products are added up before the sums are widened.
  llvm::SmallVector<mlir::Value, 4> pending;
};

/// Registers with the elements or the taps that one step adds up.
using TapOperand = llvm::SmallVector<mlir::Value, 4>;

class TapProducts {
public:
  virtual ~TapProducts() = default;

  unsigned group = 1;  ///< Number of elements that one instruction adds up
  unsigned block = 16; ///< Number of channels in a block
  /// True if the instructions read unsigned elements. Elements of the other signedness are moved by 128 first.
  bool readsUnsigned = false;

  virtual ChannelLayout layoutOf(unsigned width) const { return {width}; }

  /// Returns the number of registers of an operand. The costs below are numbers of instructions.
  virtual int64_t registersOf(const ChannelLayout &layout) const { return layout.vectors(); }
  virtual double interleaveCost(const ChannelLayout &layout) const = 0;
  virtual double addCost(const ChannelLayout &layout) const = 0;
  virtual int64_t registersOfSums(const ChannelLayout &layout) const { return layout.vectors(); }

  /// Makes an operand from the bytes of `group` elements or taps.
  virtual TapOperand operandOf(VectorBuilder &build, llvm::ArrayRef<mlir::Value> bytes, const ChannelLayout &layout,
                               bool isUnsigned) const = 0;
  virtual void add(VectorBuilder &build, TapSums &sums, const TapOperand &elements, const TapOperand &taps,
                   const ChannelLayout &layout) const = 0;
  /// Adds the pending products to the sums, after the last product.
  virtual void finish(VectorBuilder &, TapSums &, const ChannelLayout &) const {}
  /// Returns the initial value of sums. It makes the result exact for a given number of products.
  virtual int64_t startOf(int64_t) const { return 0; }
};

/// Window of taps, and the distance between the windows of neighbouring pixels.
struct TapWindow {
  int64_t high = 1, wide = 1;
  int64_t stride = 1;
};

/// Returns how many times fewer instructions a window of bytes takes than a window of floats, `lanes` of which fit a
/// register. This is an estimate.
double tapRate(const Target &target, bool isUnsignedLhs, bool isUnsignedRhs, const TapWindow &window, int64_t lanes);

/// Returns the fastest kind of products for `target`.
std::unique_ptr<TapProducts> tapProductsOf(const Target &target, bool isUnsignedLhs, bool isUnsignedRhs);

} // namespace nacre::codegen::cpu

#endif // NACRE_CODEGEN_CPU_DEPTHWISE_TAPPRODUCTS_H
