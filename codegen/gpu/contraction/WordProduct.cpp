// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "codegen/gpu/contraction/WordProduct.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace nacre::codegen::gpu {
namespace {

constexpr int64_t kWordBytes = 4;

void forEachLoop(LoopedContraction &product, llvm::function_ref<void(ContractionLoop &)> visit) {
  for (auto *loops : {&product.outer, &product.rows, &product.depth})
    llvm::for_each(*loops, visit);
}

/// Divides the strides and the offset of `operand`, which count bytes, by the size of a word.
void countWords(LoopedContraction &product, unsigned operand) {
  product.operands[operand].offset /= kWordBytes;
  forEachLoop(product, [&](ContractionLoop &loop) { loop.strides[operand] /= kWordBytes; });
}

/// True if every word of Lhs begins at a multiple of its size.
bool isLeftAligned(WordProduct &product) {
  const int64_t largest = product.overlap ? product.overlap->largest : 0;
  bool isAligned = product.operands[Contraction::Lhs].offset % kWordBytes == 0 && largest % kWordBytes == 0;
  forEachLoop(product, [&](ContractionLoop &loop) {
    isAligned &= loop.size == 1 || loop.strides[Contraction::Lhs] % kWordBytes == 0;
  });
  return isAligned;
}

} // namespace

std::optional<WordProduct> inWords(const MatrixProduct &product, KernelFunction &function) {
  auto decline = [&](const char *reason) {
    function.declined = reason;
    return std::nullopt;
  };
  const DepthGroups groups = product.groups;
  const ContractionOperand &lhs = product.operands[Contraction::Lhs], &rhs = product.operands[Contraction::Rhs];
  if (groups.k % kWordBytes != 0 || !product.panels || !lhs.elementType.isInteger(8) || !rhs.elementType.isInteger(8))
    return decline("its integers are not bytes in groups of steps");
  const int64_t valid = groups.valid(), words = llvm::divideCeil(valid, kWordBytes);
  if (words > 1 && valid % kWordBytes != 0)
    return decline("a run ends within the second word of its only group");
  if (!function.liesInVectors(rhs.argument, kWordBytes))
    return decline("its panels are not aligned");

  WordProduct made;
  static_cast<MatrixProduct &>(made) = product;
  made.groups = {};
  if (groups.overlap() > 0)
    made.overlap = {unsigned(made.depth.size() - 1), groups.run - groups.k};
  made.hasPairs = words > 1;
  if (made.hasPairs) {
    ContractionLoop within{words, SmallVector<int64_t, 6>(made.operands.size(), 0)};
    within.strides[Contraction::Lhs] = within.strides[Contraction::Rhs] = kWordBytes;
    made.depth.push_back(within);
  }
  if (valid % kWordBytes == 0 && isLeftAligned(made) && function.liesInVectors(lhs.argument, kWordBytes)) {
    countWords(made, Contraction::Lhs);
    if (made.overlap)
      made.overlap->largest /= kWordBytes;
  } else {
    made.joinedBytes = std::min(valid, kWordBytes);
  }
  countWords(made, Contraction::Rhs);
  made.panels->stride /= kWordBytes;
  made.panels->k = groups.k / kWordBytes;
  const Type word = IntegerType::get(lhs.elementType.getContext(), 32);
  made.operands[Contraction::Lhs].elementType = made.operands[Contraction::Rhs].elementType = word;
  return made;
}

Value addDotProducts(OpBuilder &ops, Location loc, const WordProduct &product, Value left, Value right, Value sum) {
  const auto format =
      spirv::PackedVectorFormatAttr::get(ops.getContext(), spirv::PackedVectorFormat::PackedVectorFormat4x8Bit);
  const Type word = ops.getI32Type();
  auto dotProduct = [&](Value a, Value b) -> Value {
    if (product.isUnsignedLhs && product.isUnsignedRhs)
      return spirv::UDotOp::create(ops, loc, word, a, b, format);
    if (product.isUnsignedLhs)
      std::swap(a, b); // The first operand of a mixed product is signed.
    if (product.isUnsignedLhs || product.isUnsignedRhs)
      return spirv::SUDotOp::create(ops, loc, word, a, b, format);
    return spirv::SDotOp::create(ops, loc, word, a, b, format);
  };
  // Instructions that add up by themselves saturate, and GPUs execute these several times slower.
  SmallVector<Value, 4> lanes;
  for (int64_t lane = 0; lane < 4; ++lane)
    lanes.push_back(dotProduct(left, vector::ExtractOp::create(ops, loc, right, lane)));
  Value products = vector::FromElementsOp::create(ops, loc, cast<VectorType>(sum.getType()), lanes);
  return arith::AddIOp::create(ops, loc, sum, products);
}

Value lessSignBits(OpBuilder &ops, Location loc, Value words) {
  const auto bits = DenseElementsAttr::get(cast<VectorType>(words.getType()), kSignBits);
  return arith::XOrIOp::create(ops, loc, words, arith::ConstantOp::create(ops, loc, bits));
}

Value addColumns(OpBuilder &ops, Location loc, ValueRange columns, Value weight, Value sums) {
  const auto format =
      spirv::PackedVectorFormatAttr::get(ops.getContext(), spirv::PackedVectorFormat::PackedVectorFormat4x8Bit);
  SmallVector<Value, 4> lanes;
  for (auto [number, column] : llvm::enumerate(columns)) {
    Value sum = vector::ExtractOp::create(ops, loc, sums, int64_t(number));
    for (int64_t word = 0; word < cast<VectorType>(column.getType()).getNumElements(); ++word) {
      Value bytes = vector::ExtractOp::create(ops, loc, column, word);
      Value products = spirv::SDotOp::create(ops, loc, ops.getI32Type(), bytes, weight, format);
      sum = arith::AddIOp::create(ops, loc, sum, products);
    }
    lanes.push_back(sum);
  }
  return vector::FromElementsOp::create(ops, loc, cast<VectorType>(sums.getType()), lanes);
}

} // namespace nacre::codegen::gpu
