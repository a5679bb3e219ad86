// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  emits reads of a table of 256 bytes whose index is a byte of an operand. Such tables are functions of 8-bit
//        integers.
// Why:   no machine gathers bytes. But the table fits in registers, and one instruction looks up many lanes there.
// How:   1. find the byte from which the index is computed;
//        2. one instruction looks up 64 entries on NEON, and 128 with AVX-512 VBMI. Other CPUs with AVX-512 look up 16
//           entries at a time. All other CPUs load entries one by one.

#include "codegen/cpu/BodyChains.h"
#include "codegen/form/ScalarBody.h"

#include "runtime/include/nacre/model_format.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include <numeric>

using namespace mlir;

namespace nacre::codegen::cpu {

namespace {

constexpr int64_t kEntries = 256;

//===----------------------------------------------------------------------===//
// 1. The byte
//===----------------------------------------------------------------------===//

std::optional<int64_t> integerOf(Value value) {
  APInt constant;
  if (!matchPattern(value, m_ConstantInt(&constant)))
    return std::nullopt;
  return constant.getSExtValue();
}

/// Returns the index before it was clamped to the table's entries. Also undoes the step that counts negative indices
/// from the end. Null if `index` does not have the form of emitClampedIndex in compiler/kernels/bodies/TableReads.cpp.
Value unclamped(Value index) {
  auto most = index.getDefiningOp<arith::MinSIOp>();
  if (!most || integerOf(most.getRhs()) != kEntries - 1)
    return {};
  auto least = most.getLhs().getDefiningOp<arith::MaxSIOp>();
  if (!least || integerOf(least.getRhs()) != 0)
    return {};
  auto select = least.getLhs().getDefiningOp<arith::SelectOp>();
  auto isNegative = select ? select.getCondition().getDefiningOp<arith::CmpIOp>() : arith::CmpIOp();
  auto fromEnd = select ? select.getTrueValue().getDefiningOp<arith::AddIOp>() : arith::AddIOp();
  Value counted = select ? select.getFalseValue() : Value();
  const bool fits = isNegative && fromEnd && isNegative.getPredicate() == arith::CmpIPredicate::slt &&
                    isNegative.getLhs() == counted && integerOf(isNegative.getRhs()) == 0 &&
                    fromEnd.getLhs() == counted && integerOf(fromEnd.getRhs()) == kEntries;
  return fits ? counted : Value();
}

/// Byte from which the index is computed. If `isTurned`, its sign bit must be flipped, because the byte is the index
/// minus 128.
struct ByteIndex {
  Value byte;
  bool isTurned = false;
};

std::optional<ByteIndex> readByteIndex(Value index) {
  index = unclamped(index);
  if (!index)
    return std::nullopt;
  int64_t added = 0;
  if (auto add = index.getDefiningOp<arith::AddIOp>(); add && integerOf(add.getRhs())) {
    added = *integerOf(add.getRhs());
    index = add.getLhs();
  } else if (auto sub = index.getDefiningOp<arith::SubIOp>(); sub && integerOf(sub.getRhs())) {
    added = -*integerOf(sub.getRhs());
    index = sub.getLhs();
  }
  Operation *extend = index.getDefiningOp();
  if (!isa_and_nonnull<arith::ExtSIOp, arith::ExtUIOp>(extend) || !extend->getOperand(0).getType().isInteger(8))
    return std::nullopt;
  // A negative index counts from the end, so that its entry is the entry of the unsigned byte.
  if (added == 0)
    return ByteIndex{extend->getOperand(0), false};
  if (added == 128 && isa<arith::ExtSIOp>(extend))
    return ByteIndex{extend->getOperand(0), true};
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// 2. The table
//===----------------------------------------------------------------------===//

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

std::optional<BodyChain> readTableChain(Operation *op, const Target & /*target*/) {
  if (!isTableRead(*op))
    return std::nullopt;
  auto read = cast<tensor::ExtractOp>(op);
  if (!read.getType().isInteger(8) || read.getTensor().getType().getShape() != ArrayRef<int64_t>{kEntries})
    return std::nullopt;
  std::optional<ByteIndex> index = readByteIndex(read.getIndices()[0].getDefiningOp<arith::IndexCastOp>().getIn());
  if (!index)
    return std::nullopt;
  const unsigned argument = cast<BlockArgument>(read.getTensor()).getArgNumber();
  return BodyChain{
      {index->byte}, [argument, isTurned = index->isTurned](VectorBuilder &build, ArrayRef<Value> operands) {
        Value byte = operands.front();
        if (isTurned)
          byte = arith::XOrIOp::create(build.ops, build.loc, byte, build.intConstant(-128, byte.getType()));
        return TableReader(build, build.buffers[argument]).read(byte);
      }};
}

} // namespace nacre::codegen::cpu
