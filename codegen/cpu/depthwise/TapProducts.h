// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  the products of a window's bytes and its taps, for many channels at once.
// Why:   dot products add up two or four taps of a channel in one instruction, but their operands lie a row or a pixel
//        apart. They are interleaved in registers, once for all outputs that use them.
// How:   an operand consists of the bytes of `group` elements, or of as many taps. ChannelLayout gives the order of
//        channels.

#ifndef NACRE_CODEGEN_CPU_DEPTHWISE_TAPPRODUCTS_H
#define NACRE_CODEGEN_CPU_DEPTHWISE_TAPPRODUCTS_H

#include "codegen/cpu/depthwise/ChannelLayout.h"
#include <memory>

namespace nacre::codegen::cpu {

/// Sums to which products are added.
struct TapSums {
  llvm::SmallVector<mlir::Value, 4> vectors;
  /// Narrower sums of a first product, if products are added up in pairs.
  llvm::SmallVector<mlir::Value, 4> pending;
};

/// Registers with the elements or taps that one step adds up.
using TapOperand = llvm::SmallVector<mlir::Value, 4>;

class TapProducts {
public:
  virtual ~TapProducts() = default;

  unsigned group = 1;         ///< Elements that one instruction adds up
  unsigned block = 16;        ///< Channels of a block
  bool readsUnsigned = false; ///< True if elements are unsigned. Signed elements are moved by 128 then, and vice versa

  virtual ChannelLayout layoutOf(unsigned width) const { return {width}; }

  /// Registers of an operand. The costs below are in instructions.
  virtual int64_t registersOf(const ChannelLayout &layout) const { return layout.vectors(); }
  virtual double interleaveCost(const ChannelLayout &layout) const = 0;
  virtual double addCost(const ChannelLayout &layout) const = 0;
  virtual int64_t registersOfSums(const ChannelLayout &layout) const { return layout.vectors(); }

  /// Makes an operand from the bytes of `group` elements or taps.
  virtual TapOperand operandOf(VectorBuilder &build, llvm::ArrayRef<mlir::Value> bytes, const ChannelLayout &layout,
                               bool isUnsigned) const = 0;
  virtual void add(VectorBuilder &build, TapSums &sums, const TapOperand &elements, const TapOperand &taps,
                   const ChannelLayout &layout) const = 0;
  /// Adds pending products after the last one.
  virtual void finish(VectorBuilder &, TapSums &, const ChannelLayout &) const {}
  /// Returns the initial value of sums of so many products that makes the result exact.
  virtual int64_t startOf(int64_t) const { return 0; }
};

/// A window of taps, and the distance between windows of neighbouring pixels.
struct TapWindow {
  int64_t high = 1, wide = 1;
  int64_t stride = 1;
};

/// Returns by which factor a window of bytes takes fewer instructions than one of floats, `lanes` of which fit a
/// register. This is an estimate.
double tapRate(const Target &target, bool isUnsignedLhs, bool isUnsignedRhs, const TapWindow &window, int64_t lanes);

/// Returns the fastest products for `target`.
std::unique_ptr<TapProducts> tapProductsOf(const Target &target, bool isUnsignedLhs, bool isUnsignedRhs);

} // namespace nacre::codegen::cpu

#endif // NACRE_CODEGEN_CPU_DEPTHWISE_TAPPRODUCTS_H
