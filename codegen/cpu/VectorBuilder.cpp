// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Index arithmetic is marked as not wrapping, so that LLVM folds it into addressing modes.

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

Value VectorBuilder::index(int64_t value) { return constant(ops.getIndexAttr(value)); }

Value VectorBuilder::mask(Piece piece) {
  Value &cached = masks[{piece.lanes, piece.width}];
  if (!cached)
    cached = vector::ConstantMaskOp::create(atEntry, loc, VectorType::get({piece.width}, ops.getI1Type()),
                                            ArrayRef<int64_t>{piece.lanes});
  return cached;
}

//===----------------------------------------------------------------------===//
// Memory
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

/// Emits an empty instruction whose result is in the register of its operand.
static Value throughNothing(OpBuilder &ops, Location loc, Value value, StringRef constraints) {
  return LLVM::InlineAsmOp::create(ops, loc, value.getType(), value, /*asm_string=*/"", constraints,
                                   /*has_side_effects=*/false, /*is_align_stack=*/false, LLVM::TailCallKind::None,
                                   LLVM::AsmDialectAttr(), ArrayAttr())
      .getRes();
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

Value VectorBuilder::intrinsic(const Twine &name, Type type, ValueRange operands) {
  return LLVM::CallIntrinsicOp::create(ops, loc, type, ops.getStringAttr(name), operands).getResult(0);
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
