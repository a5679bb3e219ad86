// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "codegen/cpu/bytes/NarrowToBytes.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace nacre::codegen::cpu {

bool narrowsByShorts(const Target &target) { return target.vectors.masks != VectorUnit::Masks::All; }

namespace {

class Narrower {
public:
  Narrower(VectorBuilder &build, const ZeroPoint &zero, bool isUnsigned)
      : build(build), zero(zero), isUnsigned(isUnsigned) {}

  Value emit(Value x) {
    if (!narrowsByShorts(build.target))
      return saturated(x, 8, isUnsigned);
    if (!build.target.arm64 && isa<VectorType>(x.getType()) && lanesOf(x) >= kLanes)
      return pack(x);
    return saturated(plusZero(saturated(x, 16, /*toUnsigned=*/false)), 8, isUnsigned);
  }

private:
  static constexpr unsigned kLanes = 4; ///< Number of i32 lanes in 128 bits

  static int64_t lanesOf(Value vector) { return cast<VectorType>(vector.getType()).getNumElements(); }

  /// Saturates `x` to integers of `bits` bits, in a form that LLVM recognizes.
  Value saturated(Value x, unsigned bits, bool toUnsigned) {
    const int64_t least = toUnsigned ? 0 : -(int64_t(1) << (bits - 1)), most = least + (int64_t(1) << bits) - 1;
    Value low = build.make<arith::MaxSIOp>(x, build.intConstant(least, x.getType()));
    Value fits = build.make<arith::MinSIOp>(low, build.intConstant(most, x.getType()));
    return build.make<arith::TruncIOp>(withElement(x.getType(), build.ops.getIntegerType(bits)), fits);
  }

  Value plusZero(Value shorts) {
    if (zero.isNone())
      return shorts;
    const bool isVector = isa<VectorType>(shorts.getType());
    const std::string lanes = isVector ? "v" + std::to_string(lanesOf(shorts)) : "";
    Value addend = !zero.value ? build.intConstant(zero.number, shorts.getType())
                   : isVector  ? build.broadcast(zero.value, lanesOf(shorts))
                               : zero.value;
    return build.intrinsic("llvm.sadd.sat." + lanes + "i16", shorts.getType(), {shorts, addend});
  }

  //===--------------------------------------------------------------------===//
  // SSE and AVX2
  //===--------------------------------------------------------------------===//

  /// Register whose lanes are out of order. `lanes` has, for each of its lanes, the index of the operand's lane.
  struct Register {
    Value value;
    SmallVector<int64_t> lanes;
  };

  Value pack(Value x) {
    SmallVector<Register> registers;
    for (Value part : build.split(x, std::min<int64_t>(build.target.lanes(), lanesOf(x)))) {
      const auto first = int64_t(registers.size()) * lanesOf(part);
      registers.push_back({part, llvm::to_vector(llvm::seq(first, first + lanesOf(part)))});
    }
    registers = packAll(registers, 16);
    for (Register &shorts : registers)
      shorts.value = plusZero(shorts.value);
    return inOrder(packAll(registers, 8), lanesOf(x));
  }

  /// Narrows registers of integers of `2 * bits` bits to registers of integers of `bits` bits.
  SmallVector<Register> packAll(ArrayRef<Register> wide, unsigned bits) {
    SmallVector<Register> registers(wide), packed;
    if (registers.size() == 1 && isWide(registers.front())) {
      const Register whole = registers.front();
      const int64_t half = lanesOf(whole.value) / 2;
      registers.clear();
      for (auto [index, part] : llvm::enumerate(build.split(whole.value, half)))
        registers.push_back({part, llvm::to_vector(ArrayRef(whole.lanes).slice(int64_t(index) * half, half))});
    }
    if (registers.size() == 1)
      registers.push_back(registers.front());
    for (size_t pair = 0; pair + 1 < registers.size(); pair += 2)
      packed.push_back(packPair(registers[pair], registers[pair + 1], bits));
    return packed;
  }

  bool isWide(const Register &of) const {
    return cast<VectorType>(of.value.getType()).getElementTypeBitWidth() * lanesOf(of.value) > 128;
  }

  /// Packs two registers. In each part of 128 bits, the result has lanes of `a`, then lanes of `b`.
  Register packPair(const Register &a, const Register &b, unsigned bits) {
    const int64_t lanes = lanesOf(a.value), inPart = 128 / (2 * bits);
    Register packed;
    for (int64_t part = 0; part < lanes; part += inPart)
      for (const Register *from : {&a, &b})
        llvm::append_range(packed.lanes, ArrayRef(from->lanes).slice(part, inPart));
    const bool wide = isWide(a), toUnsigned = bits == 8 && isUnsigned;
    const std::string instruction = std::string("pack") + (toUnsigned ? "us" : "ss") + (bits == 8 ? "wb" : "dw");
    packed.value = build.intrinsic(wide ? "llvm.x86.avx2." + instruction : "llvm.x86.sse2." + instruction + ".128",
                                   VectorType::get({2 * lanes}, build.ops.getIntegerType(bits)), {a.value, b.value});
    return packed;
  }

  /// Returns the first `count` lanes of the operand, in order, from one or more registers.
  Value inOrder(ArrayRef<Register> registers, int64_t count) {
    SmallVector<Value> values;
    SmallVector<int64_t> lanes, order(count);
    for (const Register &each : registers) {
      values.push_back(each.value);
      llvm::append_range(lanes, each.lanes);
    }
    for (int64_t lane = 0; lane < count; ++lane)
      order[lane] = llvm::find(lanes, lane) - lanes.begin();
    Value all = build.join(values);
    if (order.size() == lanes.size() && llvm::is_sorted(order))
      return all;
    return vector::ShuffleOp::create(build.ops, build.loc, all, all, order);
  }

  VectorBuilder &build;
  const ZeroPoint zero;
  const bool isUnsigned;
};

} // namespace

Value narrowToBytes(VectorBuilder &build, Value x, const ZeroPoint &zero, bool isUnsigned) {
  assert((zero.isNone() || narrowsByShorts(build.target)) && "this machine adds in i32");
  return Narrower(build, zero, isUnsigned).emit(x);
}

} // namespace nacre::codegen::cpu
