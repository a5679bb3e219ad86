// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "codegen/cpu/depthwise/TapProducts.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "runtime/include/nacre/model_format.h"

using namespace mlir;

namespace nacre::codegen::cpu {
namespace {

bool has(const Target &target, nacre_cpu_bit bit) { return (target.needs & NACRE_CPU_NEED(bit)) != 0; }

/// Interleaves the bytes of two registers. The result has as many registers as 16-bit values of the channels need.
SmallVector<Value, 2> inPairs(VectorBuilder &build, Value a, Value b, const ChannelLayout &layout) {
  SmallVector<Value, 2> pairs;
  for (unsigned half = 0; half < layout.halves(); ++half)
    pairs.push_back(interleave(build, a, b, 8, /*isHigh=*/half != 0));
  return pairs;
}

/// Products of words of four taps of a channel: vpdpbusd, sdot, udot.
class ByteDots final : public TapProducts {
public:
  ByteDots(const Target &target, bool isUnsignedRhs) : isArm(target.arm64), isUnsigned(isUnsignedRhs) {
    group = 4;
    // With a block of half the channels of a register, all operands of a row of tiles fit in registers.
    block = isArm ? 8 : target.vectors.bytes;
    readsUnsigned = !isArm || isUnsignedRhs;
  }

  double interleaveCost(const ChannelLayout &layout) const override { return group + 2 * layout.vectors(); }
  double addCost(const ChannelLayout &layout) const override { return layout.vectors(); }

  TapOperand operandOf(VectorBuilder &build, ArrayRef<Value> bytes, const ChannelLayout &layout, bool) const override {
    TapOperand operand;
    for (auto [a, b] :
         llvm::zip_equal(inPairs(build, bytes[0], bytes[1], layout), inPairs(build, bytes[2], bytes[3], layout)))
      for (bool isHigh : {false, true})
        operand.push_back(interleave(build, a, b, 16, isHigh));
    operand.truncate(layout.vectors());
    return operand;
  }

  void add(VectorBuilder &build, TapSums &sums, const TapOperand &elements, const TapOperand &taps,
           const ChannelLayout &layout) const override {
    const std::string name = !isArm
                                 ? "llvm.x86.avx512.vpdpbusd." + std::to_string(8 * layout.bytes())
                                 : std::string("llvm.aarch64.neon.") + (isUnsigned ? "udot" : "sdot") + ".v4i32.v16i8";
    for (auto [sum, element, tap] : llvm::zip_equal(sums.vectors, elements, taps))
      sum = build.intrinsic(name, sum.getType(), {sum, element, tap});
  }

private:
  const bool isArm, isUnsigned;
};

/// Products of words of two taps of a channel, with 16 bits each: pmaddwd. A CPU with 16 registers of 256 bits extends
/// 128 bits of bytes to 256 bits. Sums for more bytes would not fit.
class WordDots final : public TapProducts {
public:
  WordDots(const Target &target, bool isUnsignedLhs) : extends(target.vectors.bytes == 32) {
    group = 2;
    block = extends ? 16 : target.vectors.bytes;
    readsUnsigned = isUnsignedLhs;
  }

  ChannelLayout layoutOf(unsigned width) const override { return {width, extends && width >= 8}; }
  double interleaveCost(const ChannelLayout &layout) const override {
    return group + (extends ? 2 : readsUnsigned ? 1.5 : 2.5) * layout.vectors();
  }
  double addCost(const ChannelLayout &layout) const override { return 2 * layout.vectors(); }

  TapOperand operandOf(VectorBuilder &build, ArrayRef<Value> bytes, const ChannelLayout &layout,
                       bool isUnsigned) const override {
    TapOperand operand;
    for (Value pairs : inPairs(build, bytes[0], bytes[1], layout))
      if (layout.isExtended)
        operand.push_back(extended(build, pairs, isUnsigned));
      else
        operand.append({halfExtended(build, pairs, isUnsigned, false), halfExtended(build, pairs, isUnsigned, true)});
    operand.truncate(layout.vectors());
    return operand;
  }

  void add(VectorBuilder &build, TapSums &sums, const TapOperand &elements, const TapOperand &taps,
           const ChannelLayout &layout) const override {
    const char *name = layout.lanes() == 16  ? "llvm.x86.avx512.pmaddw.d.512"
                       : layout.lanes() == 8 ? "llvm.x86.avx2.pmadd.wd"
                                             : "llvm.x86.sse2.pmadd.wd";
    for (auto [sum, element, tap] : llvm::zip_equal(sums.vectors, elements, taps)) {
      Value product = build.intrinsic(name, sum.getType(), {element, tap});
      sum = arith::AddIOp::create(build.ops, build.loc, sum, product);
      // Without this, LLVM first adds products up in pairs, and spills some of them.
      if (layout.isExtended)
        sum = build.hiddenVector(sum);
    }
  }

private:
  static Value extended(VectorBuilder &build, Value bytes, bool isUnsigned) {
    const Type words = VectorType::get({16}, build.ops.getI16Type());
    return isUnsigned ? arith::ExtUIOp::create(build.ops, build.loc, words, bytes).getResult()
                      : arith::ExtSIOp::create(build.ops, build.loc, words, bytes).getResult();
  }

  /// Extends the low or high half of each part of 128 bits to 16-bit values.
  static Value halfExtended(VectorBuilder &build, Value bytes, bool isUnsigned, bool isHigh) {
    Value other = isUnsigned ? splatOf(build, bytes.getType(), 0) : bytes;
    Value words = asElements(build, interleave(build, bytes, other, 8, isHigh), 16);
    if (isUnsigned)
      return words;
    return arith::ShRSIOp::create(build.ops, build.loc, words, splatOf(build, words.getType(), 8));
  }

  const bool extends;
};

/// Products without interleaving. Two products of a channel are added up in 16 bits, and then added to its sum: smull,
/// smlal, saddw. Twice -128 * -128 exceeds 16 bits by 1, so pairs begin with -1. If taps are unsigned, each product is
/// added separately.
class LongProducts final : public TapProducts {
public:
  explicit LongProducts(bool isUnsignedRhs) {
    group = 1;
    block = 16;
    readsUnsigned = isUnsignedRhs;
  }

  int64_t registersOf(const ChannelLayout &) const override { return 1; }
  int64_t registersOfSums(const ChannelLayout &layout) const override { return layout.vectors() + layout.halves(); }
  double interleaveCost(const ChannelLayout &) const override { return 1; }
  double addCost(const ChannelLayout &layout) const override { return (readsUnsigned ? 1.5 : 1.25) * layout.vectors(); }

  TapOperand operandOf(VectorBuilder &, ArrayRef<Value> bytes, const ChannelLayout &, bool) const override {
    return {bytes.front()};
  }

  void add(VectorBuilder &build, TapSums &sums, const TapOperand &elements, const TapOperand &taps,
           const ChannelLayout &layout) const override {
    const bool isSecond = !sums.pending.empty();
    for (unsigned half = 0; half < layout.halves(); ++half) {
      Value element = extract(build, elements.front(), half * 8, 8), tap = extract(build, taps.front(), half * 8, 8);
      const Type words = VectorType::get({8}, build.ops.getI16Type());
      Value product = build.intrinsic(readsUnsigned ? "llvm.aarch64.neon.umull.v8i16" : "llvm.aarch64.neon.smull.v8i16",
                                      words, {element, tap});
      if (readsUnsigned) {
        sums.pending.push_back(product);
        continue;
      }
      Value &pending = isSecond ? sums.pending[half] : sums.pending.emplace_back(splatOf(build, words, -1));
      pending = arith::AddIOp::create(build.ops, build.loc, pending, product);
    }
    if (isSecond || readsUnsigned)
      finish(build, sums, layout);
  }

  void finish(VectorBuilder &build, TapSums &sums, const ChannelLayout &) const override {
    if (sums.pending.empty())
      return;
    for (auto [number, sum] : llvm::enumerate(sums.vectors)) {
      Value words = extract(build, sums.pending[number / 2], number % 2 * 4, 4);
      Value wide = readsUnsigned ? arith::ExtUIOp::create(build.ops, build.loc, sum.getType(), words).getResult()
                                 : arith::ExtSIOp::create(build.ops, build.loc, sum.getType(), words).getResult();
      sum = arith::AddIOp::create(build.ops, build.loc, sum, wide);
    }
    sums.pending.clear();
  }

  int64_t startOf(int64_t products) const override { return readsUnsigned ? 0 : (products + 1) / 2; }
};

} // namespace

std::unique_ptr<TapProducts> tapProductsOf(const Target &target, bool isUnsignedLhs, bool isUnsignedRhs) {
  if (target.arm64) {
    if (has(target, NACRE_ARM64_DOTPROD))
      return std::make_unique<ByteDots>(target, isUnsignedRhs);
    return std::make_unique<LongProducts>(isUnsignedRhs);
  }
  const bool hasDots = has(target, NACRE_X86_AVX512_VNNI) || has(target, NACRE_X86_AVX_VNNI);
  if (hasDots && !isUnsignedRhs)
    return std::make_unique<ByteDots>(target, isUnsignedRhs);
  return std::make_unique<WordDots>(target, isUnsignedLhs);
}

double tapRate(const Target &target, bool isUnsignedLhs, bool isUnsignedRhs, const TapWindow &window, int64_t lanes) {
  constexpr double rowsOfTile = 2; // Number of output rows that share an operand of elements.
  if (window.high * window.wide == 0)
    return 1;
  const std::unique_ptr<TapProducts> products = tapProductsOf(target, isUnsignedLhs, isUnsignedRhs);
  const ChannelLayout layout = products->layoutOf(products->block);
  const double groups = double(llvm::divideCeil(window.high, products->group));
  // The instructions of a pixel are its products, and the interleaving of operands that it does not share with its
  // neighbours.
  const double instructions =
      groups * (double(window.wide) * products->addCost(layout) +
                double(std::min(window.stride, window.wide)) * products->interleaveCost(layout) / rowsOfTile);
  return double(window.high * window.wide) * double(products->block) / double(lanes) / instructions;
}

} // namespace nacre::codegen::cpu
