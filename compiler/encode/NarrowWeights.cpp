// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stores the weights of memory-bound launches as f16 or bf16.
// Why: a dense layer of one row, a step of a recurrence and an embedding read each weight once and compute little. Half
//      as many bytes take half the time, and make the app's download smaller.
// How: 1. a weight is a candidate if every launch that reads it becomes faster;
//      2. it is rounded, unless a value would become infinite or too many values would lose digits;
//      3. kernels read the narrow type and widen each value to f32 before they compute with it. Later passes see an
//         ordinary kernel, so all engines use the same data.

#include "codegen/TargetOptions.h"
#include "codegen/cpu/tiles/TileTables.h"
#include "codegen/form/PlainContraction.h"
#include "compiler/encode/Passes.h"
#include "compiler/encode/WeightRounding.h"
#include "dialects/NumberText.h"
#include "dialects/StoredBytes.h"
#include "dialects/nn/ConstantData.h"
#include "dialects/plan/Notes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallBitVector.h"
#include <cstring>

namespace nacre::encode {
#define GEN_PASS_DEF_NARROWWEIGHTSPASS
#include "compiler/encode/Passes.h.inc"
} // namespace nacre::encode

using namespace mlir;
using namespace nacre;
using namespace nacre::codegen;
using namespace nacre::codegen::cpu;

namespace {

//===----------------------------------------------------------------------===//
// 1. Launches that gain
//===----------------------------------------------------------------------===//

/// Smallest size in bytes of a weight that is narrowed. Reading a smaller weight takes less time than its launch.
constexpr int64_t kLeastBytes = 16 << 10;

/// True if all uses of `value`, an argument or a slice of one, accept another element type.
bool canBeNarrowed(Value value) {
  return llvm::all_of(value.getUses(), [](OpOperand &use) {
    if (auto slice = dyn_cast<tensor::ExtractSliceOp>(use.getOwner()))
      return canBeNarrowed(slice.getResult());
    if (auto work = dyn_cast<linalg::GenericOp>(use.getOwner()))
      return work.isDpsInput(&use);
    return isa<tensor::ExtractOp>(use.getOwner());
  });
}

/// True if `value` is only used as a table from which elements are extracted.
bool isTable(Value value) {
  return llvm::all_of(value.getUses(), [](OpOperand &use) {
    auto slice = dyn_cast<tensor::ExtractSliceOp>(use.getOwner());
    return slice ? isTable(slice.getResult()) : isa<tensor::ExtractOp>(use.getOwner());
  });
}

/// Finds the inputs of a kernel that should be narrow if they are weights.
class Candidates {
public:
  Candidates(const Target &target, FloatType element) : target(target), element(element) {}

  bool has(plan::LaunchOp launch, plan::KernelOp kernel, unsigned input) {
    BlockArgument argument = kernel.getInputs()[input];
    auto type = cast<RankedTensorType>(argument.getType());
    if (!type.getElementType().isF32() || storedBytes(type) < kLeastBytes || !canBeNarrowed(argument))
      return false;
    switch (kernel.getKind()) {
    case plan::KernelKind::Contraction:
      return gains(kernel, input, type.getNumElements(), isInLoop(launch));
    case plan::KernelKind::Indexed:
      return isTable(argument);
    default:
      return false;
    }
  }

private:
  static bool isInLoop(plan::LaunchOp launch) {
    return launch->getParentOfType<plan::ForOp>() || launch->getParentOfType<plan::WhileOp>();
  }

  struct Product {
    unsigned rhs = 0;
    double multiplyAdds = 0;
    ProductTypes types; ///< Types of the product if the weight is narrow.
    bool isSingleRow = false;
  };

  std::optional<Product> productOf(plan::KernelOp kernel) {
    auto [known, isNew] = products.try_emplace(kernel);
    if (!isNew)
      return known->second;
    FailureOr<PlainContraction> plain = readContraction(kernel);
    if (failed(plain) || plain->isOfIntegers() || plain->depthwise || plain->prologue)
      return std::nullopt;
    const MatrixProduct product = asProduct(*plain);
    known->second = Product{plain->operands[Contraction::Rhs].argument, product.multiplyAdds(),
                            productsOf(plain->accumulatorType, RightDecode{element}), shapeOf(product).isSingleRow()};
    return known->second;
  }

  bool gains(plan::KernelOp kernel, unsigned input, int64_t elements, bool repeats) {
    std::optional<Product> product = productOf(kernel);
    if (!product || product->rhs != input)
      return false;
    const MachineRow &machine = machineOf(target, product->types, product->isSingleRow);
    return gainsByFewerBytes(machine, {product->multiplyAdds, double(elements), repeats}, product->types.rhs,
                             target.model.l2Bytes);
  }

  const Target &target;
  const FloatType element;
  DenseMap<Operation *, std::optional<Product>> products;
};

//===----------------------------------------------------------------------===//
// 2. Weights
//===----------------------------------------------------------------------===//

/// Rounds `weight` to `element` and records the error in a note. Warns and returns failure if rounding loses too much.
LogicalResult roundWeight(plan::WeightOp weight, FloatType element) {
  FailureOr<nn::ConstantView> view = nn::ConstantView::get(weight.getValue());
  if (failed(view))
    return failure();
  auto type = cast<RankedTensorType>(view->getType());
  encode::WeightRounding rounding(element.isF16() ? nn::formatF16 : nn::formatBF16);
  nn::ConstantBuilder narrow(type.clone(element), view->isSplat());
  const int64_t count = view->isSplat() ? 1 : type.getNumElements();
  constexpr int64_t chunk = 4096;
  float numbers[chunk];
  for (int64_t begin = 0; begin < count; begin += chunk) {
    const int64_t size = std::min(chunk, count - begin);
    std::memcpy(numbers, view->at(begin), size * sizeof(float)); // `at` may be unaligned.
    rounding.round(ArrayRef(numbers, size), {reinterpret_cast<uint16_t *>(narrow.at(begin)), size_t(size)});
  }
  const StringRef word = floatStorageWord(element.isF16() ? FloatStorage::F16 : FloatStorage::BF16);
  if (rounding.overflow() != 0)
    return emitWarning(weight.getLoc(), "has a weight that must stay fp32, because ")
           << describeNumber(rounding.overflow(), 4) << " is beyond the numbers of " << word;
  if (!rounding.keepsDigits())
    return emitWarning(weight.getLoc(), "has a weight that must stay fp32, because its numbers are too small for ")
           << word << ": together they would be off by " << describeNumber(rounding.relativeError(), 4)
           << " of themselves";
  plan::setWeightRounding(weight, {storedBytes(type) / 2, rounding.largestRelativeError(), rounding.relativeError()});
  weight.setValueAttr(std::move(narrow).take());
  return success();
}

//===----------------------------------------------------------------------===//
// 3. Kernels
//===----------------------------------------------------------------------===//

Type narrowed(Type type, FloatType element) { return cast<RankedTensorType>(type).clone(element); }

/// Widens `value` for all its users, so that they still read its old type.
void widenUses(Value value, Operation *before, Type wide) {
  OpBuilder builder(before);
  auto extension = arith::ExtFOp::create(builder, value.getLoc(), wide, value);
  value.replaceAllUsesExcept(extension, extension);
}

void narrow(Value value, FloatType element) {
  const Type wide = cast<RankedTensorType>(value.getType()).getElementType();
  value.setType(narrowed(value.getType(), element));
  for (OpOperand &use : llvm::make_early_inc_range(value.getUses())) {
    Operation *user = use.getOwner();
    if (auto slice = dyn_cast<tensor::ExtractSliceOp>(user)) {
      narrow(slice.getResult(), element);
    } else if (auto work = dyn_cast<linalg::GenericOp>(user)) {
      BlockArgument number = work.getMatchingBlockArgument(&use);
      number.setType(element);
      if (!number.use_empty()) // A body may ignore the element, because some inputs only define the extent of a loop.
        widenUses(number, &work.getBody()->front(), wide);
    } else {
      user->getResult(0).setType(element);
      widenUses(user->getResult(0), user->getNextNode(), wide);
    }
  }
}

class WeightNarrower {
public:
  WeightNarrower(ModuleOp module, const Target &target, FloatType element)
      : module(module), element(element), symbols(module), candidates(target, element) {}

  LogicalResult run() {
    if (failed(findWeights()))
      return failure();
    roundWeights();
    module.walk([&](plan::UseOp use) {
      if (wanted.contains(weightOf(use)))
        use.getResult().setType(cast<MemRefType>(use.getType()).clone(element));
    });
    narrowKernels();
    return success();
  }

private:
  Operation *weightOf(plan::UseOp use) { return symbols.lookup(use.getWeight()); }

  /// Fills `wanted` with the weights that all their readers want narrow. Weights must have only launches as users.
  /// Views are excluded, and initial values of states, because an app may train them.
  LogicalResult findWeights() {
    DenseSet<Operation *> refused;
    WalkResult walk = module.walk([&](Operation *op) -> WalkResult {
      if (auto initial = op->getAttrOfType<FlatSymbolRefAttr>(plan::kInitial))
        refused.insert(symbols.lookup(initial.getValue()));
      auto use = dyn_cast<plan::UseOp>(op);
      if (!use)
        return WalkResult::advance();
      for (OpOperand &operand : use->getUses()) {
        auto launch = dyn_cast<plan::LaunchOp>(operand.getOwner());
        auto kernel = launch ? symbols.lookup<plan::KernelOp>(launch.getKernel()) : plan::KernelOp();
        if (launch && !kernel)
          return launch.emitOpError("must name a kernel of the module, but '") << launch.getKernel() << "' is not one";
        if (kernel && candidates.has(launch, kernel, operand.getOperandNumber()))
          wanted.insert(weightOf(use));
        else
          refused.insert(weightOf(use));
      }
      return WalkResult::advance();
    });
    for (Operation *weight : refused)
      wanted.remove(weight);
    return failure(walk.wasInterrupted());
  }

  void roundWeights() {
    wanted.remove_if([&](Operation *op) {
      auto weight = cast<plan::WeightOp>(op);
      auto wide = dyn_cast<DenseResourceElementsAttr>(weight.getValue());
      if (failed(roundWeight(weight, element)))
        return true;
      if (wide)
        dropBytes(wide);
      return false;
    });
  }

  /// Frees the f32 data of a weight if no other weight shares it. Otherwise, the context would keep it until its end.
  void dropBytes(DenseResourceElementsAttr bytes) {
    auto isSame = [&](plan::WeightOp other) {
      auto others = dyn_cast<DenseResourceElementsAttr>(other.getValue());
      return others && others.getRawHandle() == bytes.getRawHandle();
    };
    if (llvm::none_of(module.getOps<plan::WeightOp>(), isSame))
      bytes.getRawHandle().getResource()->setBlob(AsmResourceBlob());
  }

  /// Narrows kernels. If one launch reads a narrow weight and another launch a wide one, each gets its own version of
  /// the kernel.
  void narrowKernels() {
    llvm::MapVector<Operation *, SmallVector<std::pair<plan::LaunchOp, llvm::SmallBitVector>>> launches;
    module.walk([&](plan::LaunchOp launch) {
      llvm::SmallBitVector inputs(launch.getInputs().size());
      for (auto [input, value] : llvm::enumerate(launch.getInputs()))
        if (auto use = value.getDefiningOp<plan::UseOp>(); use && wanted.contains(weightOf(use)))
          inputs.set(input);
      launches[symbols.lookup(launch.getKernel())].push_back({launch, inputs});
    });
    for (auto &[kernel, readers] : launches) {
      // The first readers keep the original kernel. Others get clones of it.
      SmallVector<std::pair<llvm::SmallBitVector, plan::KernelOp>> versions;
      for (auto &reader : readers) {
        auto *version = llvm::find_if(versions, [&](auto &known) { return known.first == reader.second; });
        if (version == versions.end()) {
          versions.push_back({reader.second, copyOf(cast<plan::KernelOp>(kernel), !versions.empty())});
          version = &versions.back();
        }
        reader.first.setKernel(version->second.getSymName());
      }
      for (auto &[inputs, version] : versions)
        for (unsigned input : inputs.set_bits()) {
          narrow(version.getInputs()[input], element);
          // Only the right operand of a contraction is a candidate. Bodies of other kernels decode their tables.
          if (version.getKind() == plan::KernelKind::Contraction)
            plan::setRightDecode(version, {input, element});
        }
    }
  }

  plan::KernelOp copyOf(plan::KernelOp kernel, bool isFurther) {
    if (!isFurther)
      return kernel;
    auto copy = cast<plan::KernelOp>(kernel->clone());
    symbols.insert(copy, std::next(kernel->getIterator())); // `insert` makes the name unique.
    return copy;
  }

  ModuleOp module;
  FloatType element;
  SymbolTable symbols;
  Candidates candidates;
  llvm::SetVector<Operation *> wanted;
};

struct NarrowWeights : encode::impl::NarrowWeightsPassBase<NarrowWeights> {
  using NarrowWeightsPassBase::NarrowWeightsPassBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    FailureOr<SmallVector<Target, 1>> targets = readTargetOptions(module, target, cpu);
    if (failed(targets))
      return signalPassFailure();
    FloatType element = type == FloatStorage::F16 ? FloatType(Float16Type::get(&getContext()))
                                                  : FloatType(BFloat16Type::get(&getContext()));
    if (failed(WeightNarrower(module, targets->front(), element).run()))
      signalPassFailure();
  }
};

} // namespace
