// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Index arithmetic is marked as not wrapping, so that LLVM folds it into addressing modes. Loads and stores are in
// VectorMemory.cpp.

#include "codegen/cpu/VectorBuilder.h"

#include "dialects/StoredBytes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/bit.h"

using namespace mlir;

namespace nacre::codegen::cpu {

//===----------------------------------------------------------------------===//
// Pieces and types
//===----------------------------------------------------------------------===//

SmallVector<Piece> cutIntoPieces(int64_t count, unsigned width, bool masks) {
  SmallVector<Piece> pieces;
  int64_t offset = 0;
  for (; count - offset >= width; offset += width)
    pieces.push_back({offset, width, width});
  const unsigned rest = count - offset;
  if (masks && !llvm::has_single_bit(rest) && rest != 0) {
    pieces.push_back({offset, rest, width});
    return pieces;
  }
  while (offset < count) {
    const unsigned lanes = llvm::bit_floor(unsigned(count - offset));
    pieces.push_back({offset, lanes, lanes});
    offset += lanes;
  }
  return pieces;
}

bool hasMasks(const Target &target, unsigned elementBits) {
  switch (target.vectors.masks) {
  case VectorUnit::Masks::All:
    return true;
  case VectorUnit::Masks::Loads:
    return elementBits == 32 || elementBits == 64;
  case VectorUnit::Masks::None:
    return false;
  }
  llvm_unreachable("unknown masks");
}

Type vectorOf(Type element, unsigned width) { return width ? Type(VectorType::get({width}, element)) : element; }

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

VectorBuilder::VectorBuilder(KernelFunction &function)
    : TermBuilder(function.builder, function.loc, /*isShader=*/false), target(function.target),
      buffers(function.buffers), atEntry(OpBuilder::atBlockBegin(function.builder.getInsertionBlock())) {
  // Insert all other constants before this one. They then dominate all operations that are built later.
  atEntry.setInsertionPoint(index(0).getDefiningOp());
}

Value VectorBuilder::constant(TypedAttr value) {
  Value &cached = constants[value];
  if (!cached)
    cached = arith::ConstantOp::create(atEntry, loc, value);
  return cached;
}

Value VectorBuilder::inMemory(ArrayRef<uint8_t> bytes) {
  constexpr int64_t alignment = 64;
  const auto size = int64_t(bytes.size());
  const auto value = DenseElementsAttr::get(VectorType::get({size}, ops.getI8Type()), bytes);
  Value &cached = inStack[value];
  if (!cached) {
    Value count = LLVM::ConstantOp::create(atEntry, loc, ops.getI64Type(), size);
    cached = LLVM::AllocaOp::create(atEntry, loc, LLVM::LLVMPointerType::get(ops.getContext()), ops.getI8Type(), count,
                                    alignment);
    LLVM::StoreOp::create(atEntry, loc, constant(value), cached, alignment);
  }
  return cached;
}

Value VectorBuilder::index(int64_t value) { return constant(ops.getIndexAttr(value)); }

Value VectorBuilder::mask(Piece piece) {
  Value &cached = masks[{piece.lanes, piece.width}];
  if (!cached)
    cached = vector::ConstantMaskOp::create(atEntry, loc, VectorType::get({piece.width}, ops.getI1Type()),
                                            ArrayRef<int64_t>{piece.lanes});
  return cached;
}

//===----------------------------------------------------------------------===//
// Indices and instructions
//===----------------------------------------------------------------------===//

Value VectorBuilder::add(Value value, int64_t constant) {
  if (constant == 0)
    return value;
  return arith::AddIOp::create(ops, loc, value, index(constant), arith::IntegerOverflowFlags::nsw);
}

Value VectorBuilder::address(ArrayRef<Position> at, ArrayRef<int64_t> strides, int64_t offset) {
  Value sum;
  for (auto [position, stride] : llvm::zip_equal(at, strides)) {
    offset += position.constant * stride;
    if (!position.counter || stride == 0)
      continue;
    Value term = position.counter;
    if (stride != 1)
      term = arith::MulIOp::create(ops, loc, term, index(stride), arith::IntegerOverflowFlags::nsw);
    sum = sum ? Value(arith::AddIOp::create(ops, loc, sum, term, arith::IntegerOverflowFlags::nsw)) : term;
  }
  return sum ? add(sum, offset) : index(offset);
}

Value VectorBuilder::divide(Value value, int64_t by) {
  return by == 1 ? value : arith::DivUIOp::create(ops, loc, value, index(by)).getResult();
}

Value VectorBuilder::remainder(Value value, int64_t by) {
  return by == 1 ? index(0) : arith::RemUIOp::create(ops, loc, value, index(by)).getResult();
}

Value VectorBuilder::intrinsic(const Twine &name, Type type, ValueRange operands) {
  return LLVM::CallIntrinsicOp::create(ops, loc, type, ops.getStringAttr(name), operands).getResult(0);
}

/// Emits an empty instruction whose result is in the register of its operand.
static Value throughNothing(OpBuilder &ops, Location loc, Value value, StringRef constraints) {
  return LLVM::InlineAsmOp::create(ops, loc, value.getType(), value, /*asm_string=*/"", constraints,
                                   /*has_side_effects=*/false, /*is_align_stack=*/false, LLVM::TailCallKind::None,
                                   LLVM::AsmDialectAttr(), ArrayAttr())
      .getRes();
}

void VectorBuilder::call(const Twine &name, ValueRange operands) {
  LLVM::CallIntrinsicOp::create(ops, loc, ops.getStringAttr(name), operands);
}

Value VectorBuilder::hidden(Value index) {
  Value integer = arith::IndexCastOp::create(ops, loc, ops.getI64Type(), index);
  return arith::IndexCastOp::create(ops, loc, ops.getIndexType(), throughNothing(ops, loc, integer, "=r,0"));
}

Value VectorBuilder::hiddenVector(Value vector) {
  assert(!target.arm64 && "registers are named as x86 names them");
  return throughNothing(ops, loc, vector, "=x,0");
}

void VectorBuilder::fence() {
  LLVM::InlineAsmOp::create(ops, loc, TypeRange(), ValueRange(), /*asm_string=*/"", /*constraints=*/"",
                            /*has_side_effects=*/true, /*is_align_stack=*/false, LLVM::TailCallKind::None,
                            LLVM::AsmDialectAttr(), ArrayAttr());
}

//===----------------------------------------------------------------------===//
// Lanes
//===----------------------------------------------------------------------===//

Value VectorBuilder::broadcast(Value value, unsigned width) {
  if (width == 0 || isa<VectorType>(value.getType()))
    return value;
  return vector::BroadcastOp::create(ops, loc, VectorType::get({width}, value.getType()), value);
}

Value VectorBuilder::lane(Value vector, unsigned lane) {
  return vector::ExtractOp::create(ops, loc, vector, ArrayRef<int64_t>{lane});
}

SmallVector<Value> VectorBuilder::split(Value vector, unsigned lanes) {
  SmallVector<Value> parts;
  const int64_t all = cast<VectorType>(vector.getType()).getNumElements();
  if (all <= lanes)
    return {vector};
  for (int64_t first = 0; first < all; first += lanes)
    parts.push_back(vector::ExtractStridedSliceOp::create(ops, loc, vector, ArrayRef<int64_t>{first},
                                                          ArrayRef<int64_t>{lanes}, ArrayRef<int64_t>{1}));
  return parts;
}

Value VectorBuilder::join(ArrayRef<Value> parts) {
  SmallVector<Value> joined(parts);
  while (joined.size() > 1) {
    assert(joined.size() % 2 == 0 && "expected a power of two of parts");
    const int64_t lanes = cast<VectorType>(joined.front().getType()).getNumElements();
    for (size_t pair = 0; pair < joined.size() / 2; ++pair)
      joined[pair] = vector::ShuffleOp::create(ops, loc, joined[2 * pair], joined[2 * pair + 1],
                                               llvm::to_vector(llvm::seq<int64_t>(0, 2 * lanes)));
    joined.truncate(joined.size() / 2);
  }
  return joined.front();
}

Value VectorBuilder::widen(Value vector, Piece piece, Value other, unsigned width) {
  if (piece.lanes == width)
    return vector;
  if (piece.masked())
    return arith::SelectOp::create(ops, loc, mask(piece), vector, other);
  return vector::InsertStridedSliceOp::create(ops, loc, vector, other, ArrayRef<int64_t>{0}, ArrayRef<int64_t>{1});
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

SmallVector<Value> VectorBuilder::loop(Value low, Value high, int64_t step, ValueRange carried, Body body) {
  auto loop = scf::ForOp::create(ops, loc, low, high, index(step), carried);
  OpBuilder::InsertionGuard guard(ops);
  ops.setInsertionPointToStart(loop.getBody());
  SmallVector<Value> results = body({loop.getInductionVar(), 0}, loop.getRegionIterArgs());
  if (!carried.empty())
    scf::YieldOp::create(ops, loc, results);
  return llvm::to_vector_of<Value>(loop.getResults());
}

SmallVector<Value> VectorBuilder::loop(int64_t low, int64_t high, int64_t step, ValueRange carried, Body body) {
  if (high <= low)
    return llvm::to_vector(carried);
  if (high - low <= step)
    return body({Value(), low}, carried);
  return loop(index(low), index(high), step, carried, body);
}

void VectorBuilder::loop(int64_t low, int64_t high, int64_t step, llvm::function_ref<void(Position)> body) {
  loop(low, high, step, ValueRange(), [&](Position at, ValueRange) {
    body(at);
    return SmallVector<Value>();
  });
}

void VectorBuilder::loop(Value low, Value high, int64_t step, llvm::function_ref<void(Position)> body) {
  loop(low, high, step, ValueRange(), [&](Position at, ValueRange) {
    body(at);
    return SmallVector<Value>();
  });
}

} // namespace nacre::codegen::cpu
