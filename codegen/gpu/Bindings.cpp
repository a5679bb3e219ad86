// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "codegen/gpu/Bindings.h"

#include "codegen/Backend.h"
#include "codegen/KernelNotes.h"
#include "codegen/PackWeights.h"
#include "codegen/gpu/InlineBody.h"
#include "codegen/gpu/Passes.h"
#include "dialects/StoredBytes.h"
#include "dialects/plan/PlanDialect.h"
#include "runtime/include/nacre/model_format.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVAttributes.h"
#include "mlir/Dialect/SPIRV/IR/TargetAndABI.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace nacre::codegen::gpu {

static constexpr int64_t mostBindings = 32; // A variant has one bit for each binding.

Value makePushConstant(OpBuilder &builder, Location loc, int64_t number) {
  auto placeholder = UnrealizedConversionCastOp::create(builder, loc, TypeRange{builder.getIndexType()}, ValueRange());
  placeholder->setAttr(notes::kPushConstant, builder.getI64IntegerAttr(number));
  return placeholder.getResult(0);
}

Bindings::Bindings(plan::KernelOp kernel, mlir::gpu::GPUFuncOp function, uint32_t pieceBytes)
    : function(function), pieceBytes(pieceBytes) {
  for (auto [argument, alignment] : llvm::zip_equal(kernel.getBody().getArguments(), readAlignments(kernel))) {
    const Type type = storedType(cast<RankedTensorType>(argument.getType()).getElementType());
    operands.push_back({type, countStoredElements(kernel, argument.getArgNumber()), bytesOfElement(type), alignment});
  }
}

bool Bindings::liesInVectors(unsigned operand, unsigned width) const {
  return operands[operand].elements % width == 0 &&
         operands[operand].alignment % (width * operands[operand].elementBytes) == 0;
}

bool Bindings::isShifted(unsigned operand) const { return operands[operand].alignment < kGpuBufferAlignment; }

int64_t Bindings::countPieces(unsigned operand) const {
  // More than mostBindings pieces are an error, so the count stops there: an operand of terabytes would have a million.
  return pieceBytes == 0 ? 1
                         : std::min<int64_t>(llvm::divideCeil(operands[operand].bytes(), pieceBytes), mostBindings + 1);
}

Value Bindings::addArgument(Type vector, int64_t elements, int64_t binding) {
  MLIRContext *context = function.getContext();
  auto storage = spirv::StorageClassAttr::get(context, spirv::StorageClass::StorageBuffer);
  auto type = MemRefType::get({elements}, vector, MemRefLayoutAttrInterface(), storage);
  Builder builder(context);
  auto abi = builder.getDictionaryAttr(builder.getNamedAttr(
      spirv::getInterfaceVarABIAttrName(), spirv::getInterfaceVarABIAttr(0, binding, std::nullopt, context)));
  const unsigned position = function.getNumArguments();
  [[maybe_unused]] LogicalResult inserted = function.insertArgument(position, type, abi, function.getLoc());
  assert(succeeded(inserted) && "a gpu.func takes any memref");
  return function.getArgument(position);
}

Value Bindings::buffer(unsigned number, unsigned width) {
  assert((width == 1 || width == 2 || width == 4 || (width == 8 && operands[number].elementBytes == 2)) &&
         "SPIR-V has no such vectors");
  Type vector = operands[number].type;
  if (width == 8)
    vector = VectorType::get({4}, IntegerType::get(function.getContext(), 32)); // SPIR-V has no vectors of eight.
  else if (width > 1)
    vector = VectorType::get({int64_t(width)}, vector);
  return bind(number, width, vector);
}

Value Bindings::words(unsigned number, unsigned words) {
  assert((words == 1 || words == 2 || words == 4) && operands[number].elementBytes == 1 && "words of bytes");
  const Type word = IntegerType::get(function.getContext(), 32);
  return bind(number, 4 * words, words == 1 ? word : Type(VectorType::get({int64_t(words)}, word)));
}

Value Bindings::bind(unsigned number, unsigned width, Type vector) {
  for (const Buffer &buffer : buffers)
    if (buffer.operand == number && buffer.vector == vector)
      return buffer.pieces.front();
  const Operand &operand = operands[number];
  assert((width == 1 || liesInVectors(number, width)) && "a storage is read in whole vectors");
  const int64_t first = llvm::find(bound, int64_t(number)) - bound.begin(), pieces = countPieces(number);
  if (first == int64_t(bound.size()))
    bound.append(pieces, number);
  Buffer made{number, width, vector, {}};
  const int64_t elements = operand.elements / width,
                perPiece = pieces == 1 ? elements : pieceBytes / (width * operand.elementBytes);
  for (int64_t piece = 0; piece < pieces; ++piece)
    // The size of a shifted operand is dynamic, because its binding begins before the operand.
    made.pieces.push_back(
        addArgument(vector, isShifted(number) ? ShapedType::kDynamic : std::min(perPiece, elements - piece * perPiece),
                    first + piece));
  buffers.push_back(made);
  return made.pieces.front();
}

bool Bindings::isAnyLargerThan(int64_t bytes) const {
  return llvm::any_of(bound, [&](int64_t operand) { return operands[operand].bytes() > bytes; });
}

StringRef Bindings::obstacle() const {
  if (int64_t(bound.size()) > mostBindings)
    return "more buffers than a shader binds";
  if (llvm::count_if(bound, [&](int64_t operand) { return isShifted(operand); }) > NACRE_GPU_MOST_SHIFTED)
    return "more operands with variable offsets than push constants";
  if (llvm::any_of(bound, [&](int64_t operand) { return isShifted(operand) && countPieces(operand) > 1; }))
    return "an operand in pieces must begin at an offset that devices can bind";
  return "";
}

//===----------------------------------------------------------------------===//
// 1. Shifts
//===----------------------------------------------------------------------===//

/// Returns the index operand of a load or store of a flat array.
static OpOperand &indexOf(Operation *access) { return access->getOpOperand(access->getNumOperands() - 1); }

/// Returns a bit mask of the shifted bindings.
uint32_t Bindings::shift() {
  uint32_t shifted = 0;
  llvm::DenseMap<unsigned, Value> bytes;
  Location loc = function.getLoc();
  auto builder = OpBuilder::atBlockBegin(&function.getBody().front());
  int64_t number = 2; // Push constants 0 and 1 are the share.
  for (auto [binding, operand] : llvm::enumerate(bound))
    if (isShifted(operand)) {
      shifted |= 1u << binding;
      bytes[operand] = makePushConstant(builder, loc, number++);
    }
  for (const Buffer &buffer : buffers) {
    if (!isShifted(buffer.operand))
      continue;
    Value unit = arith::ConstantIndexOp::create(builder, loc, buffer.width * operands[buffer.operand].elementBytes);
    Value shift = arith::DivUIOp::create(builder, loc, bytes[buffer.operand], unit);
    for (Operation *access : buffer.pieces.front().getUsers()) {
      OpOperand &index = indexOf(access);
      index.set(OpBuilder(access).createOrFold<arith::AddIOp>(loc, index.get(), shift));
    }
  }
  return shifted;
}

//===----------------------------------------------------------------------===//
// 2. Pieces
//===----------------------------------------------------------------------===//

/// Emits `access` on the piece with index `number` if `piece` equals `number`; otherwise, on one of the later pieces.
static Value accessPiece(OpBuilder &builder, Operation *access, ArrayRef<Value> pieces, unsigned number, Value piece,
                         Value within) {
  auto accessHere = [&](OpBuilder &at) {
    IRMapping values;
    values.map(pieces.front(), pieces[number]);
    values.map(indexOf(access).get(), within);
    Operation *made = at.clone(*access, values);
    return made->getNumResults() ? made->getResult(0) : Value();
  };
  if (number + 1 == pieces.size())
    return accessHere(builder);
  Location loc = access->getLoc();
  Value mine = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, piece,
                                     arith::ConstantIndexOp::create(builder, loc, number));
  auto choice = scf::IfOp::create(builder, loc, access->getResultTypes(), mine, /*addThenBlock=*/true,
                                  /*addElseBlock=*/true);
  auto fill = [&](Block *block, auto body) {
    OpBuilder inside = block->empty() ? OpBuilder::atBlockEnd(block) : OpBuilder(&block->front());
    Value value = body(inside);
    if (value)
      scf::YieldOp::create(inside, loc, value);
    else if (block->empty() || !block->back().hasTrait<OpTrait::IsTerminator>())
      scf::YieldOp::create(inside, loc);
  };
  fill(choice.thenBlock(), accessHere);
  fill(choice.elseBlock(),
       [&](OpBuilder &inside) { return accessPiece(inside, access, pieces, number + 1, piece, within); });
  return choice.getNumResults() ? choice.getResult(0) : Value();
}

/// Rewrites accesses so that they select a piece. Pieces are much larger than tiles, so nearby accesses select the same
/// piece.
void Bindings::chooseAmong(const Buffer &buffer) {
  if (buffer.pieces.size() == 1)
    return;
  const int64_t perPiece = pieceBytes / (buffer.width * operands[buffer.operand].elementBytes);
  for (Operation *access : llvm::to_vector(buffer.pieces.front().getUsers())) {
    OpBuilder builder(access);
    Location loc = access->getLoc();
    Value count = arith::ConstantIndexOp::create(builder, loc, perPiece), index = indexOf(access).get();
    Value piece = arith::DivUIOp::create(builder, loc, index, count);
    Value within = arith::RemUIOp::create(builder, loc, index, count);
    if (Value value = accessPiece(builder, access, buffer.pieces, 0, piece, within))
      access->getResult(0).replaceAllUsesWith(value);
    access->erase();
  }
}

void Bindings::finish() {
  const uint32_t shifted = shift();
  for (const Buffer &buffer : buffers)
    chooseAmong(buffer);
  Builder builder(function.getContext());
  function->setAttr(notes::kBindings, builder.getDenseI64ArrayAttr(bound));
  function->setAttr(notes::kShifted, builder.getI64IntegerAttr(shifted));
  function->setAttr(notes::kPieceBytes, builder.getI64IntegerAttr(pieceBytes));
}

} // namespace nacre::codegen::gpu
