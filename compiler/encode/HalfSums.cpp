// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Adds a note to kernels whose products of halves a CPU may add up in fp16 (plan::kHalfSums).
// Why: NEON multiplies and adds eight halves in one instruction, but only four floats. A sum that is fp16 only for some
//      steps loses few digits.
// How: 1. a contraction whose two operands are f16 in memory is a candidate;
//      2. a launch is wide if it must multiply f32, or has a weight whose products are too small or too large for fp16;
//      3. candidates with launches that are not wide get the note. Wide launches of them get a copy without it.

#include "dialects/plan/HalfSums.h"
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

/// Returns the number of steps that a sum of `depth` products may be fp16.
///
/// Relative error (root mean square) of a sum of 2,304 products of random halves, of which so many steps are fp16:
///
///   128: 9.2e-4    64: 5.9e-4    32: 5.2e-4    16: 3.9e-4    none, operands rounded to halves: 2.1e-4
///
/// The error does not grow with the depth if terms are random. But the parts of a deep sum may cancel, and then the
/// error is larger relative to the sum.
int64_t halfSumSteps(int64_t depth) {
  constexpr int64_t deep = 2304;
  return depth > deep ? 32 : 64;
}

struct Candidate {
  int64_t steps = 0;
  unsigned factors[2] = {}; ///< Indices of the arguments that are multiplied.
  SmallVector<plan::LaunchOp> wide = {}, others = {};
};

std::optional<Candidate> findCandidate(plan::KernelOp kernel) {
  if (kernel.getKind() != plan::KernelKind::Contraction && kernel.getKind() != plan::KernelKind::Separable)
    return std::nullopt;
  FailureOr<PlainContraction> product = encode::readProduct(kernel);
  if (failed(product) || !product->accumulatorType.isF32() || !product->leftType().isF16() ||
      !product->rightType().isF16())
    return std::nullopt;
  int64_t depth = 1;
  for (const ProductLoop &loop : product->loops)
    if (!loop.parallel)
      depth *= loop.size;
  return Candidate{halfSumSteps(depth),
                   {product->operands[Contraction::Lhs].argument, product->operands[Contraction::Rhs].argument}};
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
    plan::setHalfSums(kernel, candidate.steps);
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
