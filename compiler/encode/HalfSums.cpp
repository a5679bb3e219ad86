// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Adds a note to kernels whose products of halves a CPU may add up in fp16 (plan::kHalfSums).
// Why: NEON multiplies and adds eight halves in one instruction, but only four floats. A sum that is fp16 only for some
//      steps loses few digits.
// How: 1. a contraction whose two operands are f16 in memory is a candidate. A depthwise convolution is one if a short
//         sum may have all of its taps, because nothing adds up several short sums of it;
//      2. a launch is wide if it must multiply f32, or has a weight whose products are too small or too large for fp16;
//      3. candidates with launches that are not wide get the note, with the most steps. Wide launches of them get a
//         copy without it.

#include "dialects/plan/HalfSums.h"
#include "codegen/form/fused/SeparableForm.h"
#include "compiler/encode/HalfSteps.h"
#include "compiler/encode/Passes.h"
#include "compiler/encode/panels/PanelWishes.h"
#include "dialects/nn/ConstantData.h"
#include "dialects/plan/Notes.h"

#include "llvm/ADT/MapVector.h"
#include <cmath>

namespace nacre::encode {
#define GEN_PASS_DEF_ALLOWHALFSUMSPASS
#include "compiler/encode/Passes.h.inc"
} // namespace nacre::encode

using namespace mlir;
using namespace nacre;
using namespace nacre::codegen;

namespace {

//===----------------------------------------------------------------------===//
// 1. Candidates
//===----------------------------------------------------------------------===//

struct Candidate {
  SmallVector<unsigned, 4> factors = {}; ///< Indices of the arguments that are multiplied.
  SmallVector<plan::LaunchOp> wide = {}, others = {};
};

/// True if sums of `product` may be fp16 for some steps.
bool mayBeHalves(const PlainContraction &product) {
  if (!product.accumulatorType.isF32() || !product.leftType().isF16() || !product.rightType().isF16())
    return false;
  constexpr int64_t mostTaps = 64;
  return !product.depthwise || product.depthSize() <= mostTaps;
}

std::optional<Candidate> findCandidate(plan::KernelOp kernel) {
  const bool isSeparable = kernel.getKind() == plan::KernelKind::Separable;
  if (kernel.getKind() != plan::KernelKind::Contraction && !isSeparable)
    return std::nullopt;
  FailureOr<PlainContraction> product = encode::readProduct(kernel);
  if (failed(product) && !isSeparable)
    product = readContraction(kernel);
  if (failed(product) || !mayBeHalves(*product))
    return std::nullopt;
  Candidate candidate;
  auto addFactors = [&](const PlainContraction &contraction) {
    for (unsigned operand : {Contraction::Lhs, Contraction::Rhs})
      candidate.factors.push_back(contraction.operands[operand].argument);
  };
  addFactors(*product);
  if (isSeparable) // The note is for both halves.
    if (FailureOr<SeparableForm> separable = parseSeparable(kernel); succeeded(separable))
      addFactors(separable->depthwise);
  return candidate;
}

//===----------------------------------------------------------------------===//
// 2. Weights
//===----------------------------------------------------------------------===//

/// True if f16 can represent sums of products of the weight and of usual values. In entries that only the CPU computes,
/// all halves are like this, because nacre-narrow-floats keeps other weights f32.
bool isModerate(plan::WeightOp weight) {
  FailureOr<nn::ConstantView> view = nn::ConstantView::get(weight.getValue());
  if (failed(view))
    return false;
  const int64_t count = view->isSplat() ? 1 : view->getType().getNumElements();
  constexpr int64_t chunk = 4096;
  double numbers[chunk], squares = 0;
  for (int64_t begin = 0; begin < count; begin += chunk) {
    const int64_t size = std::min(chunk, count - begin);
    view->read(begin, 1, size, numbers);
    for (double number : ArrayRef(numbers, size))
      squares += number * number;
  }
  return plan::fitsHalfSums(std::sqrt(squares / double(std::max<int64_t>(1, count))));
}

struct AllowHalfSums : encode::impl::AllowHalfSumsPassBase<AllowHalfSums> {
  void runOnOperation() override {
    moderate.clear();
    SymbolTable symbols(getOperation());
    llvm::MapVector<plan::KernelOp, Candidate> candidates;
    for (auto kernel : getOperation().getOps<plan::KernelOp>())
      if (std::optional<Candidate> candidate = findCandidate(kernel))
        candidates[kernel] = *candidate;
    getOperation().walk([&](plan::LaunchOp launch) {
      auto found = candidates.find(symbols.lookup<plan::KernelOp>(launch.getKernel()));
      if (found == candidates.end())
        return;
      Candidate &candidate = found->second;
      // Weights of entries that only the CPU computes are moderate, and reading all of them takes long.
      const bool isOfCpu = plan::isOnCpu(launch->getParentOfType<plan::EntryOp>());
      const bool mayAdd = isOfCpu || hasModerateWeights(launch, candidate, symbols);
      const bool isWide = plan::hasWideProduct(launch) || !mayAdd;
      (isWide ? candidate.wide : candidate.others).push_back(launch);
    });
    for (auto &[kernel, candidate] : candidates)
      allow(kernel, candidate, symbols);
  }

private:
  /// Adds the note for launches that are not wide.
  static void allow(plan::KernelOp kernel, const Candidate &candidate, SymbolTable &symbols) {
    if (candidate.others.empty())
      return;
    if (!candidate.wide.empty()) {
      plan::KernelOp copy = kernel.clone();
      symbols.insert(copy, std::next(kernel->getIterator()));
      for (plan::LaunchOp launch : candidate.wide)
        launch.setKernel(copy.getSymName());
    }
    plan::setHalfSums(kernel, encode::kMostHalfSteps);
  }

  /// True if all factors of the launch that are weights are moderate.
  bool hasModerateWeights(plan::LaunchOp launch, const Candidate &candidate, const SymbolTable &symbols) {
    return llvm::all_of(candidate.factors, [&](unsigned factor) {
      auto use =
          factor < launch.getInputs().size() ? launch.getInputs()[factor].getDefiningOp<plan::UseOp>() : plan::UseOp();
      if (!use)
        return true;
      auto weight = symbols.lookup<plan::WeightOp>(use.getWeight());
      auto [known, isNew] = moderate.try_emplace(weight, false);
      if (isNew)
        known->second = isModerate(weight);
      return known->second;
    });
  }

  llvm::DenseMap<Operation *, bool> moderate; ///< Results of `isModerate`, by weight.
};

} // namespace
