// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lets kernels of quantized layers read scales and zero points as operands, if they differ in nothing else. Every layer
// has its own constants, but blocks repeat. Equal blocks can then share their code (nacre-merge-kernels). A block of a
// transformer is compiled and shipped only once instead of once per layer.
//
// 1. Constants that a body may read as operands.
// 2. Kernels that are equal except for these constants.
// 3. A weight holds the constants that differ, and bodies read it at constant positions.

#include "compiler/kernels/Passes.h"
#include "dialects/plan/KernelText.h"
#include "dialects/plan/Notes.h"
#include "dialects/plan/ScalarOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringMap.h"

namespace nacre::kernels {
#define GEN_PASS_DEF_SHARENUMBERSPASS
#include "compiler/kernels/Passes.h.inc"
} // namespace nacre::kernels

using namespace mlir;
using namespace nacre;

namespace {

//===----------------------------------------------------------------------===//
// 1. Constants
//===----------------------------------------------------------------------===//

/// True if `op` is as fast with its constant in memory as with the constant in its code. This is false for bounds and
/// shift amounts, because emitters choose instructions by their values. It is also false for factors that requantize
/// i32 to bytes, except in attention kernels.
bool mayRead(Operation *op, bool isAttention) {
  return isa<arith::MulFOp, arith::DivFOp, arith::AddFOp, arith::SubFOp, plan::RoundOp>(op) ||
         (isAttention && isa<arith::MulIOp, arith::AddIOp>(op));
}

bool isNumber(arith::ConstantOp constant, bool isAttention) {
  const Type type = constant.getType();
  return isa<linalg::GenericOp>(constant->getParentOp()) && constant->hasOneUse() &&
         (type.isF32() || type.isInteger(32) || type.isInteger(16)) && mayRead(*constant->user_begin(), isAttention);
}

SmallVector<arith::ConstantOp> listNumbers(plan::KernelOp kernel) {
  SmallVector<arith::ConstantOp> numbers;
  const bool isAttention = kernel.getKind() == plan::KernelKind::Attention;
  kernel->walk([&](arith::ConstantOp constant) {
    if (isNumber(constant, isAttention))
      numbers.push_back(constant);
  });
  return numbers;
}

//===----------------------------------------------------------------------===//
// 2. Kernels
//===----------------------------------------------------------------------===//

/// True for products, attention and rows. Convolutions end with instructions that contain their constants.
bool isProductOrRows(plan::KernelOp kernel) {
  if (kernel.getKind() != plan::KernelKind::Contraction)
    return kernel.getKind() == plan::KernelKind::Attention || kernel.getKind() == plan::KernelKind::Row;
  auto product = *kernel.getBody().getOps<linalg::GenericOp>().begin();
  return product.getNumReductionLoops() == 1;
}

bool hasBytes(plan::KernelOp kernel) {
  return llvm::any_of(kernel.getBody().getArgumentTypes(),
                      [](Type type) { return cast<ShapedType>(type).getElementType().isInteger(8); });
}

/// Returns the text of `kernel` with all constants in `numbers` replaced by zeros.
std::string printWithoutNumbers(plan::KernelOp kernel, ArrayRef<arith::ConstantOp> numbers) {
  SmallVector<TypedAttr> values;
  Builder builder(kernel.getContext());
  for (arith::ConstantOp number : numbers) {
    values.push_back(number.getValue());
    number.setValueAttr(builder.getZeroAttr(number.getType()));
  }
  std::string text = plan::printUnnamed(kernel);
  for (auto [number, value] : llvm::zip_equal(numbers, values))
    arith::ConstantOp(number).setValueAttr(value);
  return text;
}

struct Candidate {
  plan::KernelOp kernel;
  SmallVector<arith::ConstantOp> numbers;
  SmallVector<plan::LaunchOp, 1> launches;
};

//===----------------------------------------------------------------------===//
// 3. Reading
//===----------------------------------------------------------------------===//

/// Adds an argument to `kernel` for each type of constant. Bodies read the constants from these arguments.
class NumberReader {
public:
  NumberReader(Candidate &candidate, SymbolTable &symbols) : candidate(candidate), symbols(symbols) {}

  /// Replaces the constants with indices `wanted` by reads.
  void read(ArrayRef<size_t> wanted) {
    llvm::MapVector<Type, SmallVector<size_t>> byType;
    for (size_t index : wanted)
      byType[candidate.numbers[index].getType()].push_back(index);
    for (auto &[type, indices] : byType) {
      Value argument = addInput(type, indices);
      for (auto [position, index] : llvm::enumerate(indices))
        replace(candidate.numbers[index], argument, int64_t(position));
    }
  }

private:
  Value addInput(Type type, ArrayRef<size_t> indices) {
    plan::KernelOp kernel = candidate.kernel;
    Location loc = kernel.getLoc();
    SmallVector<Attribute> values =
        llvm::map_to_vector(indices, [&](size_t index) -> Attribute { return candidate.numbers[index].getValue(); });
    auto tensor = RankedTensorType::get(int64_t(values.size()), type);
    OpBuilder builder = OpBuilder::atBlockBegin(cast<ModuleOp>(kernel->getParentOp()).getBody());
    auto weight = plan::WeightOp::create(builder, loc, builder.getStringAttr("numbers"),
                                         DenseElementsAttr::get(tensor, values), plan::EncodingAttr());
    symbols.insert(weight, Block::iterator(weight));
    for (plan::LaunchOp launch : candidate.launches) {
      Operation *entry = launch->getParentOfType<plan::EntryOp>();
      builder.setInsertionPointToStart(&entry->getRegion(0).front());
      Value use = plan::UseOp::create(builder, loc, MemRefType::get(tensor.getShape(), type),
                                      FlatSymbolRefAttr::get(weight.getSymNameAttr()));
      launch.getInputsMutable().append(use);
    }
    const unsigned number = kernel.getNumInputs();
    kernel.setNumInputs(number + 1);
    return kernel.getBody().insertArgument(number, tensor, loc);
  }

  /// Makes the body around the constant `number` read the element at `position` of `argument`.
  void replace(arith::ConstantOp number, Value argument, int64_t position) {
    auto generic = cast<linalg::GenericOp>(number->getParentOp());
    MLIRContext *context = generic.getContext();
    IRRewriter rewriter(generic);
    SmallVector<Value> inputs(generic.getInputs());
    SmallVector<AffineMap> maps = generic.getIndexingMapsArray();
    maps.insert(maps.begin() + int64_t(inputs.size()),
                AffineMap::get(generic.getNumLoops(), 0, getAffineConstantExpr(position, context), context));
    inputs.push_back(argument);
    auto reading = linalg::GenericOp::create(rewriter, generic.getLoc(), generic.getResultTypes(), inputs,
                                             generic.getOutputs(), maps, generic.getIteratorTypesArray());
    reading.getRegion().takeBody(generic.getRegion());
    rewriter.replaceOp(generic, reading.getResults());
    Block &body = reading.getRegion().front();
    rewriter.replaceOp(number, body.insertArgument(unsigned(inputs.size() - 1), number.getType(), number.getLoc()));
  }

  Candidate &candidate;
  SymbolTable &symbols;
};

struct ShareNumbers : kernels::impl::ShareNumbersPassBase<ShareNumbers> {
  void runOnOperation() override {
    llvm::MapVector<StringAttr, Candidate> candidates;
    for (auto kernel : getOperation().getOps<plan::KernelOp>())
      if (isProductOrRows(kernel) && hasBytes(kernel))
        candidates[kernel.getSymNameAttr()] = {kernel, listNumbers(kernel), {}};
    getOperation().walk([&](plan::LaunchOp launch) {
      auto *found = candidates.find(launch.getKernelAttr().getAttr());
      if (found == candidates.end())
        return;
      if (isGiven(launch))
        found->second.launches.push_back(launch);
      else // GPU emitters cannot read them yet.
        candidates.erase(found);
    });
    llvm::StringMap<size_t> numberOf;
    SmallVector<SmallVector<Candidate *>> alike;
    for (auto &[name, candidate] : candidates) {
      if (candidate.numbers.empty())
        continue;
      auto [found, isNew] =
          numberOf.try_emplace(printWithoutNumbers(candidate.kernel, candidate.numbers), alike.size());
      if (isNew)
        alike.emplace_back();
      alike[found->second].push_back(&candidate);
    }
    SymbolTable symbols(getOperation());
    for (ArrayRef<Candidate *> kernels : alike)
      share(kernels, symbols);
  }

  void share(ArrayRef<Candidate *> kernels, SymbolTable &symbols) {
    const Candidate &first = *kernels.front();
    SmallVector<size_t> different;
    for (size_t index = 0; index < first.numbers.size(); ++index) {
      arith::ConstantOp number = first.numbers[index];
      if (llvm::any_of(kernels,
                       [&](Candidate *other) { return other->numbers[index].getValue() != number.getValue(); }))
        different.push_back(index);
    }
    if (different.empty())
      return;
    for (Candidate *candidate : kernels)
      NumberReader(*candidate, symbols).read(different);
    numShared += kernels.size();
  }
};

} // namespace
