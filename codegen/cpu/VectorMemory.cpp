// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The part of VectorBuilder for memory: loads and stores of pieces, of words and of interleaved vectors.

#include "codegen/cpu/VectorBuilder.h"

#include "dialects/StoredBytes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

namespace nacre::codegen::cpu {

Value VectorBuilder::load(Value buffer, Value address, Piece piece) {
  auto type = VectorType::get({piece.width}, cast<MemRefType>(buffer.getType()).getElementType());
  if (!piece.masked())
    return vector::LoadOp::create(ops, loc, type, buffer, address);
  // If a machine has no arithmetic on bf16, LLVM divides masked loads into scalars, and converts these by library
  // calls.
  if (type.getElementType().isBF16()) {
    auto bits = VectorType::get({piece.width}, ops.getI16Type());
    Value zero = constant(cast<TypedAttr>(ops.getZeroAttr(bits)));
    Value loaded = LLVM::MaskedLoadOp::create(ops, loc, bits, asPointer(pointer(buffer, address)), mask(piece), zero,
                                              /*alignment=*/2);
    return arith::BitcastOp::create(ops, loc, type, loaded);
  }
  Value zero = constant(cast<TypedAttr>(ops.getZeroAttr(type)));
  return vector::MaskedLoadOp::create(ops, loc, type, buffer, ValueRange{address}, mask(piece), zero);
}

Value VectorBuilder::loadStrided(Value buffer, Value address, int64_t stride, Piece piece) {
  auto type = VectorType::get({piece.width}, cast<MemRefType>(buffer.getType()).getElementType());
  // Load bf16 as integers, as in `load`.
  const bool isBf16 = type.getElementType().isBF16();
  const Type element = isBf16 ? Type(ops.getI16Type()) : type.getElementType();
  SmallVector<Value> elements;
  for (unsigned lane = 0; lane < piece.lanes; ++lane) {
    Value scalar = loadScalar(buffer, add(address, lane * stride));
    elements.push_back(isBf16 ? arith::BitcastOp::create(ops, loc, element, scalar).getResult() : scalar);
  }
  if (piece.masked())
    elements.resize(piece.width, constant(cast<TypedAttr>(ops.getZeroAttr(element))));
  Value vector = vector::FromElementsOp::create(ops, loc, type.clone(element), elements);
  return isBf16 ? arith::BitcastOp::create(ops, loc, type, vector).getResult() : vector;
}

Value VectorBuilder::pointer(Value buffer, Value address) {
  const int64_t bytes = bytesOfElement(cast<MemRefType>(buffer.getType()).getElementType());
  Value first = memref::ExtractAlignedPointerAsIndexOp::create(ops, loc, buffer);
  return this->address({{first, 0}, {address, 0}}, {1, bytes}, 0);
}

Value VectorBuilder::moved(Value pointer, int64_t bytes) { return hidden(add(pointer, bytes)); }

Value VectorBuilder::loadAt(Value pointer, VectorType type) {
  return LLVM::LoadOp::create(ops, loc, type, asPointer(pointer),
                              /*alignment=*/bytesOfElement(type.getElementType()));
}

/// Loads bytes, because words may have any alignment.
Value VectorBuilder::loadWordsAt(Value pointer, VectorType type) {
  auto bytes = VectorType::get({type.getNumElements() * type.getElementTypeBitWidth() / 8}, ops.getI8Type());
  return vector::BitCastOp::create(ops, loc, type, loadAt(pointer, bytes));
}

Value VectorBuilder::loadWords(Value buffer, Value address, int64_t count, Type word) {
  const Type element = cast<MemRefType>(buffer.getType()).getElementType();
  const unsigned elements = count * word.getIntOrFloatBitWidth() / element.getIntOrFloatBitWidth();
  Value loaded = load(buffer, address, {0, elements, elements});
  return element == word ? loaded : vector::BitCastOp::create(ops, loc, VectorType::get({count}, word), loaded);
}

Value VectorBuilder::loadWord(Value buffer, Value address, Type word, int64_t valid) {
  const Type element = cast<MemRefType>(buffer.getType()).getElementType();
  const int64_t elements = bytesOfElement(word) / bytesOfElement(element);
  if (valid == elements)
    return lane(loadWords(buffer, address, 1, word), 0);
  Value zeros = constant(cast<TypedAttr>(ops.getZeroAttr(VectorType::get({elements}, element))));
  Value all =
      vector::InsertStridedSliceOp::create(ops, loc, load(buffer, address, {0, unsigned(valid), unsigned(valid)}),
                                           zeros, ArrayRef<int64_t>{0}, ArrayRef<int64_t>{1});
  return lane(vector::BitCastOp::create(ops, loc, VectorType::get({1}, word), all), 0);
}

Value VectorBuilder::loadHalfAt(Value pointer, bool isHigh) {
  Value half = LLVM::LoadOp::create(ops, loc, ops.getI64Type(), asPointer(pointer), /*alignment=*/4);
  if (!isHigh)
    return half;
  // If LLVM sees both halves, it merges their loads into one.
  Value index = hidden(arith::IndexCastOp::create(ops, loc, ops.getIndexType(), half));
  return arith::IndexCastOp::create(ops, loc, ops.getI64Type(), index);
}

Value VectorBuilder::joinHalves(Value low, Value high, VectorType type) {
  Value both = vector::FromElementsOp::create(ops, loc, VectorType::get({2}, ops.getI64Type()), ValueRange{low, high});
  return vector::BitCastOp::create(ops, loc, type, both);
}

void VectorBuilder::storeAt(Value vector, Value pointer) {
  LLVM::StoreOp::create(ops, loc, vector, asPointer(pointer),
                        /*alignment=*/bytesOfElement(getElementTypeOrSelf(vector.getType())));
}

/// Returns the name of the NEON intrinsic `instruction` for vectors of `type` in memory.
static StringAttr nameOfNeon(OpBuilder &ops, StringRef instruction, VectorType type) {
  const StringRef kind = isa<FloatType>(type.getElementType()) ? "f" : "i";
  return ops.getStringAttr("llvm.aarch64.neon." + instruction + ".v" + Twine(type.getNumElements()) + kind +
                           Twine(type.getElementTypeBitWidth()) + ".p0");
}

SmallVector<Value, 4> VectorBuilder::loadSeveralAt(Value pointer, unsigned count, VectorType type,
                                                   StringRef instruction) {
  auto all = LLVM::LLVMStructType::getLiteral(ops.getContext(), SmallVector<Type>(count, type));
  auto load =
      LLVM::CallIntrinsicOp::create(ops, loc, all, nameOfNeon(ops, instruction, type), ValueRange{asPointer(pointer)});
  SmallVector<Value, 4> vectors;
  for (int64_t number = 0; number < int64_t(count); ++number)
    vectors.push_back(LLVM::ExtractValueOp::create(ops, loc, load.getResult(0), ArrayRef<int64_t>{number}));
  return vectors;
}

SmallVector<Value, 4> VectorBuilder::loadFourAt(Value pointer, VectorType type) {
  return loadSeveralAt(pointer, 4, type, "ld1x4");
}

SmallVector<Value, 4> VectorBuilder::loadInterleavedAt(Value pointer, unsigned count, VectorType type) {
  return loadSeveralAt(pointer, count, type, "ld" + std::to_string(count));
}

void VectorBuilder::storeInterleavedAt(ArrayRef<Value> vectors, Value pointer) {
  SmallVector<Value> operands(vectors);
  operands.push_back(asPointer(pointer));
  LLVM::CallIntrinsicOp::create(
      ops, loc, nameOfNeon(ops, "st" + std::to_string(vectors.size()), cast<VectorType>(vectors.front().getType())),
      operands);
}

Value VectorBuilder::asPointer(Value pointer) {
  Value integer = arith::IndexCastOp::create(ops, loc, ops.getI64Type(), pointer);
  return LLVM::IntToPtrOp::create(ops, loc, LLVM::LLVMPointerType::get(ops.getContext()), integer);
}

Value VectorBuilder::gather(Value buffer, Value indices) {
  const unsigned lanes = cast<VectorType>(indices.getType()).getNumElements();
  auto type = VectorType::get({lanes}, cast<MemRefType>(buffer.getType()).getElementType());
  Value all = constant(DenseElementsAttr::get(VectorType::get({lanes}, ops.getI1Type()), true));
  Value none = constant(DenseElementsAttr::get(type, ops.getZeroAttr(type.getElementType())));
  return vector::GatherOp::create(ops, loc, type, buffer, ValueRange{index(0)}, indices, all, none);
}

Value VectorBuilder::loadScalar(Value buffer, Value address) {
  return memref::LoadOp::create(ops, loc, buffer, address);
}

void VectorBuilder::store(Value vector, Value buffer, Value address, Piece piece) {
  if (!piece.masked()) {
    vector::StoreOp::create(ops, loc, vector, buffer, address);
    return;
  }
  if (target.vectors.masks == VectorUnit::Masks::All) {
    vector::MaskedStoreOp::create(ops, loc, buffer, ValueRange{address}, mask(piece), vector);
    return;
  }
  // Several stores of halving width are faster than a slow masked store.
  for (const Piece &part : cutIntoPieces(piece.lanes, piece.width, /*masks=*/false)) {
    Value lanes = vector::ExtractStridedSliceOp::create(ops, loc, vector, ArrayRef<int64_t>{part.offset},
                                                        ArrayRef<int64_t>{int64_t(part.lanes)}, ArrayRef<int64_t>{1});
    vector::StoreOp::create(ops, loc, lanes, buffer, add(address, part.offset));
  }
}

void VectorBuilder::storeStrided(Value vector, Value buffer, Value address, int64_t stride, Piece piece) {
  for (unsigned i = 0; i < piece.lanes; ++i)
    storeScalar(lane(vector, i), buffer, add(address, i * stride));
}

void VectorBuilder::storeScalar(Value scalar, Value buffer, Value address) {
  memref::StoreOp::create(ops, loc, scalar, buffer, address);
}

} // namespace nacre::codegen::cpu
