// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Chooses for how many steps products of halves are added up in fp16 (plan::kHalfSums). It reads the network that
// HalfSteps.h needs from launches on storages.

#include "compiler/encode/HalfSteps.h"
#include "compiler/encode/Passes.h"
#include "compiler/encode/panels/PanelWishes.h"
#include "dialects/plan/ControlFlow.h"
#include "dialects/plan/Notes.h"

#include "llvm/ADT/MapVector.h"

namespace nacre::encode {
#define GEN_PASS_DEF_CHOOSEHALFSTEPSPASS
#include "compiler/encode/Passes.h.inc"
} // namespace nacre::encode

using namespace mlir;
using namespace nacre;
using namespace nacre::encode;

namespace {

/// Returns the product of one execution of the kernel, or nothing if it adds up no halves.
std::optional<HalfProduct> readHalfProduct(plan::KernelOp kernel) {
  const int64_t steps = plan::halfSumsOf(kernel);
  if (steps == 0)
    return std::nullopt;
  if (FailureOr<codegen::WinogradConvolution> convolution = codegen::parseWinograd(kernel); succeeded(convolution))
    return HalfProduct{convolution->multiplyAdds() * convolution->method.share(), convolution->channels.size, steps,
                       /*isWhole=*/false, /*isWinograd=*/true};
  FailureOr<codegen::PlainContraction> plain = readProduct(kernel);
  if (failed(plain))
    plain = codegen::readContraction(kernel);
  if (failed(plain))
    return std::nullopt;
  HalfProduct product{plain->multiplyAdds(), plain->depthSize(), steps, plain->depthwise};
  int64_t rows = 1;
  for (const codegen::ProductLoop &loop : plain->loops)
    if (loop.parallel && loop.movesLhs)
      rows *= loop.size;
  // A single row waits for its weight, so its flushes cost little.
  constexpr int64_t mostOfSingleRow = 32;
  if (rows == 1 && !product.isWhole)
    product.mostSteps = std::min(product.mostSteps, mostOfSingleRow);
  return product;
}

struct ChooseHalfSteps : encode::impl::ChooseHalfStepsPassBase<ChooseHalfSteps> {
  void runOnOperation() override {
    llvm::MapVector<plan::KernelOp, HalfProduct> kernels;
    for (auto kernel : getOperation().getOps<plan::KernelOp>())
      if (std::optional<HalfProduct> product = readHalfProduct(kernel))
        kernels[kernel] = *product;

    SmallVector<HalfProduct> products;
    for (const auto &[kernel, product] : kernels)
      products.push_back({0, product.depth, product.mostSteps, product.isWhole, product.isWinograd});
    const SmallVector<HalfLaunch> launches = readLaunches(kernels, products);
    for (auto [kernel, steps] : llvm::zip_equal(llvm::make_first_range(kernels), chooseHalfSteps(products, launches)))
      plan::setHalfSums(kernel, steps);
  }

private:
  /// Returns all launches. Adds the multiply-adds of each launch to its product.
  SmallVector<HalfLaunch> readLaunches(llvm::MapVector<plan::KernelOp, HalfProduct> &kernels,
                                       MutableArrayRef<HalfProduct> products) {
    SymbolTable symbols(getOperation());
    llvm::DenseMap<Value, unsigned> numbers;
    auto numberOf = [&](Value value) {
      return numbers.try_emplace(plan::rootOf(value), unsigned(numbers.size())).first->second;
    };
    SmallVector<HalfLaunch> launches;
    getOperation().walk([&](plan::LaunchOp launch) {
      HalfLaunch &added = launches.emplace_back();
      added.reads = llvm::map_to_vector<0>(launch.getInputs(), numberOf);
      added.writes = llvm::map_to_vector<0>(launch.getOutputs(), numberOf);
      auto *found = kernels.find(symbols.lookup<plan::KernelOp>(launch.getKernel()));
      if (found == kernels.end())
        return;
      added.product = found - kernels.begin();
      HalfProduct &product = products[*added.product];
      const double executions = plan::countExecutions(launch);
      product.multiplyAdds += executions * found->second.multiplyAdds;
      // The noise of an iteration may grow in the next ones.
      constexpr int64_t mostInLoop = 64;
      if (executions > 1)
        product.mostSteps = std::min(product.mostSteps, mostInLoop);
    });
    return launches;
  }
};

} // namespace
