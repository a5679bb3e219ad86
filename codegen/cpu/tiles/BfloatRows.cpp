// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Words have two steps on x86 and four on arm64, as the instructions of each require. All sums are f32.
//
// How:   1. instructions that multiply words; 2. the same words on CPUs without them, for libraries of several CPUs.

#include "codegen/cpu/tiles/BfloatRows.h"

#include "codegen/Functions.h"
#include "codegen/cpu/VectorBuilder.h"
#include "codegen/cpu/tiles/CoreRows.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace nacre::codegen::cpu {
namespace {

constexpr int64_t kStepsOfX86 = 2, kStepsOfArm64 = 4;

/// Returns the bits of `words` as a vector of `element`.
Value as(VectorBuilder &build, Value words, Type element) {
  auto type = cast<VectorType>(words.getType());
  const int64_t bits = type.getNumElements() * type.getElementTypeBitWidth();
  return vector::BitCastOp::create(build.ops, build.loc,
                                   VectorType::get({bits / element.getIntOrFloatBitWidth()}, element), words);
}

//===----------------------------------------------------------------------===//
// 1. Instructions
//===----------------------------------------------------------------------===//

/// Emits vdpbf16ps, which adds the products of both steps of a word.
Value multiplyAddByDots(VectorBuilder &build, Value lhs, Value rhs, Value sums) {
  const Type element = build.ops.getBF16Type();
  return build.intrinsic("llvm.x86.avx512bf16.dpbf16ps.512", sums.getType(),
                         {sums, as(build, lhs, element), as(build, rhs, element)});
}

constexpr MachineRow dotRow() {
  MachineRow row = rowOf(kAvx512Core, "vdpbf16ps zmm", bfloatsOf(kStepsOfX86));
  row.step.needs |= NACRE_CPU_NEED(NACRE_X86_AVX512_BF16);
  row.step.multiplyAdd = multiplyAddByDots;
  row.geometry.hasHalves = false;
  row.geometry.readsBroadcasts = false;
  return row;
}

/// Emits bfmmla, which multiplies two rows by two columns.
Value multiplyAddByMatrices(VectorBuilder &build, Value lhs, Value rhs, Value sums) {
  const Type element = build.ops.getBF16Type();
  return build.intrinsic("llvm.aarch64.neon.bfmmla", sums.getType(),
                         {sums, as(build, lhs, element), as(build, rhs, element)});
}

constexpr MachineRow matrixRow(const Core &core, const char *instruction) {
  MachineRow row = rowOf(core, instruction, bfloatsOf(kStepsOfArm64));
  row.step.needs |= NACRE_CPU_NEED(NACRE_ARM64_BF16);
  row.step.multiplyAdd = multiplyAddByMatrices;
  row.step.lanes = 2;
  row.step.rows = 2;
  row.step.rowCycles = 0.5; // The words of two rows are joined.
  row.geometry.spareRegisters += 2;
  row.geometry.registersPerLoad = 1; // A register has half as many columns as sums.
  if (core.costs.inOrder)            // Not measured: two cycles for each instruction.
    row.step.multiplyAdds = 2;
  return row;
}

//===----------------------------------------------------------------------===//
// 2. CPUs without these instructions
//===----------------------------------------------------------------------===//

/// Returns one of each two neighbouring bf16 values as f32. The first is shifted, the second's lower half is masked.
Value widened(VectorBuilder &build, Value words, bool second) {
  Term bits{&build, as(build, words, build.ops.getI32Type())};
  return second ? (bits & bits.integer(int64_t(0xffff0000))).f32().value
                : Term{&build, bits.op<arith::ShLIOp>(bits.value, bits.integer(16).value).value}.f32().value;
}

/// Multiplies f32 values. A word of four steps has two sums: of its even steps' products, and of the products two steps
/// later.
Value multiplyAddWidened(VectorBuilder &build, Value lhs, Value rhs, Value sums) {
  for (bool second : {false, true})
    sums = multiplyAddFloats(build, widened(build, lhs, second), widened(build, rhs, second), sums);
  return sums;
}

constexpr MachineRow widenedRow(const Core &core, const char *instruction, int64_t steps) {
  MachineRow row = rowOf(core, instruction, bfloatsOf(steps));
  row.step.multiplyAdd = multiplyAddWidened;
  row.step.sumsOfLane = steps / 2;
  row.step.lanes /= row.step.sumsOfLane;
  row.step.multiplyAdds = 2;
  row.step.rowCycles = core.costs.multiplyAdd * 2;
  row.step.columnCycles = core.costs.multiplyAdd * 2;
  row.geometry.spareRegisters += 3;
  row.geometry.hasHalves = false;
  row.geometry.readsBroadcasts = false;
  row.geometry.registersPerLoad = 1;
  row.geometry.registersPerStream = 1;
  return row;
}

constexpr MachineRow kRows[] = {
    dotRow(),
    matricesOf("tdpbf16ps", "llvm.x86.tdpbf16ps", bfloatsOf(kStepsOfX86), NACRE_X86_AMX_BF16),
    widenedRow(kAvx512Core, "vpslld zmm, vfmadd231ps zmm", kStepsOfX86),
    widenedRow(kAvx2Core, "vpslld ymm, vfmadd231ps ymm", kStepsOfX86),
    widenedRow(kSseCore, "pslld, mulps, addps", kStepsOfX86),
    matrixRow(kBigNeonCore, "bfmmla .4s"),
    matrixRow(kLittleNeonCore, "bfmmla .4s, in order"),
    widenedRow(kBigNeonCore, "shl .4s, fmla .4s", kStepsOfArm64),
    widenedRow(kLittleNeonCore, "shl .4s, fmla .4s, in order", kStepsOfArm64),
};

} // namespace

llvm::ArrayRef<MachineRow> bfloatRows() { return kRows; }

} // namespace nacre::codegen::cpu
