// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  emits plan.lookup, which reads a table of 256 bytes.
// Why:   no machine gathers bytes. But the table fits in registers, and one instruction looks up many lanes there.
// How:   one instruction looks up 64 entries on NEON, and 128 with AVX-512 VBMI. Other CPUs with AVX-512 look up 16
//        entries at a time. All other CPUs load entries one by one.

#include "codegen/cpu/ScalarOps.h"

#include "runtime/include/nacre/model_format.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include <numeric>

using namespace mlir;

namespace nacre::codegen::cpu {

namespace {

constexpr int64_t kEntries = 256;

class TableReader {
public:
  TableReader(VectorBuilder &build, Value table) : build(build), table(table) {}

  Value read(Value byte) {
    auto type = dyn_cast<VectorType>(byte.getType());
    if (!type)
      return loadEntry(byte);
    constexpr unsigned leastLanes = 8;
    if (build.target.arm64 && type.getNumElements() >= leastLanes)
      return lookUpOnNeon(byte);
    if (build.target.vectors.masks == VectorUnit::Masks::All && type.getNumElements() >= leastLanes)
      return lookUpOnAvx512(byte);
    SmallVector<Value> entries;
    for (unsigned lane = 0; lane < unsigned(type.getNumElements()); ++lane)
      entries.push_back(loadEntry(build.lane(byte, lane)));
    return vector::FromElementsOp::create(build.ops, build.loc, type, entries);
  }

private:
  Value loadEntry(Value byte) {
    return build.loadScalar(table, build.make<arith::IndexCastUIOp>(build.ops.getIndexType(), byte));
  }

  SmallVector<Value> loadParts(unsigned lanes) {
    SmallVector<Value> parts;
    for (int64_t first = 0; first < kEntries; first += lanes)
      parts.push_back(build.load(table, build.index(first), {0, lanes, lanes}));
    return parts;
  }

  /// Looks up 64 entries in four registers. Indices of other entries are left to the next four registers.
  Value lookUpOnNeon(Value bytes) {
    const SmallVector<Value> registers = loadParts(16);
    SmallVector<Value> found;
    for (Value indices : build.split(bytes, 16)) {
      const std::string lanes = ".v" + std::to_string(cast<VectorType>(indices.getType()).getNumElements()) + "i8";
      Value result;
      for (int64_t part = 0; part < 4; ++part) {
        SmallVector<Value> operands(ArrayRef(registers).slice(4 * part, 4));
        if (part > 0) {
          indices = build.make<arith::SubIOp>(indices, build.intConstant(64, indices.getType()));
          operands.insert(operands.begin(), result);
        }
        operands.push_back(indices);
        result = build.intrinsic(std::string("llvm.aarch64.neon.") + (part ? "tbx4" : "tbl4") + lanes,
                                 indices.getType(), operands);
      }
      found.push_back(result);
    }
    return build.join(found);
  }

  /// Returns the first lanes of a vector as a vector of `lanes` lanes. Lanes that the operand does not have are
  /// undefined.
  Value resized(Value vector, int64_t lanes) {
    SmallVector<int64_t> order(lanes, -1);
    const int64_t given = cast<VectorType>(vector.getType()).getNumElements();
    std::iota(order.begin(), order.begin() + std::min(given, lanes), 0);
    return given == lanes ? vector : vector::ShuffleOp::create(build.ops, build.loc, vector, vector, order).getResult();
  }

  Value lookUpOnAvx512(Value bytes) {
    const int64_t given = cast<VectorType>(bytes.getType()).getNumElements();
    constexpr int64_t lanes = 64;
    Value indices = resized(bytes, lanes);
    const bool hasPermutes = (build.target.needs & NACRE_CPU_NEED(NACRE_X86_AVX512_VBMI)) != 0;
    return resized(hasPermutes ? lookUpByHalves(indices) : lookUpByParts(indices), given);
  }

  /// Looks up each half of the table, 128 entries, in one instruction.
  Value lookUpByHalves(Value indices) {
    const SmallVector<Value> registers = loadParts(64);
    auto half = [&](unsigned first) {
      return build.intrinsic("llvm.x86.avx512.vpermi2var.qi.512", indices.getType(),
                             {registers[first], indices, registers[first + 1]});
    };
    Value isUpper =
        build.make<arith::CmpIOp>(arith::CmpIPredicate::slt, indices, build.intConstant(0, indices.getType()));
    return build.make<arith::SelectOp>(isUpper, half(2), half(0));
  }

  /// Looks up sixteen entries at a time, and keeps the results of lanes whose byte has the upper four bits of these
  /// entries.
  Value lookUpByParts(Value indices) {
    const auto type = cast<VectorType>(indices.getType());
    SmallVector<int64_t> copies;
    for (int64_t lane = 0; lane < type.getNumElements(); ++lane)
      copies.push_back(lane % 16);
    Value upper = build.make<arith::ShRUIOp>(indices, build.intConstant(4, type));
    Value lower = build.make<arith::AndIOp>(indices, build.intConstant(15, type));
    Value result;
    for (auto [number, part] : llvm::enumerate(loadParts(16))) {
      Value copied = vector::ShuffleOp::create(build.ops, build.loc, part, part, copies);
      Value here = build.intrinsic("llvm.x86.avx512.pshuf.b.512", type, {copied, lower});
      Value isHere =
          build.make<arith::CmpIOp>(arith::CmpIPredicate::eq, upper, build.intConstant(int64_t(number), type));
      result = result ? build.make<arith::SelectOp>(isHere, here, result) : here;
    }
    return result;
  }

  VectorBuilder &build;
  const Value table;
};

} // namespace

Value emitLookup(VectorBuilder &build, plan::LookupOp op, Value byte) {
  if (op.getIsSigned()) // Adds 128, which flips the highest bit.
    byte = arith::XOrIOp::create(build.ops, build.loc, byte, build.intConstant(-128, byte.getType()));
  return TableReader(build, build.buffers[cast<BlockArgument>(op.getTable()).getArgNumber()]).read(byte);
}

} // namespace nacre::codegen::cpu
