// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/encode/SplitByEngine.h"

#include "dialects/plan/Notes.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;

namespace nacre::encode {

SmallVector<std::pair<plan::KernelOp, plan::KernelOp>>
splitByEngine(ModuleOp module, SymbolTable &symbols,
              llvm::function_ref<std::optional<unsigned>(plan::KernelOp)> groupedInput) {
  struct Reading {
    plan::LaunchOp launch;
    StringRef weight;
  };
  llvm::MapVector<Operation *, SmallVector<Reading>> onCpu; // Launches by kernel.
  llvm::DenseSet<Operation *> onGpu;                        // Kernels that a GPU may compute.
  llvm::StringSet<> readByGpu;
  module.walk([&](plan::LaunchOp launch) {
    auto kernel = symbols.lookup<plan::KernelOp>(launch.getKernel());
    std::optional<unsigned> input = kernel ? groupedInput(kernel) : std::nullopt;
    auto use = input ? launch.getInputs()[*input].getDefiningOp<plan::UseOp>() : plan::UseOp();
    if (!use)
      return;
    if (plan::isOnCpu(launch)) {
      onCpu[kernel].push_back({launch, use.getWeight()});
    } else {
      onGpu.insert(kernel);
      readByGpu.insert(use.getWeight());
    }
  });
  SmallVector<std::pair<plan::KernelOp, plan::KernelOp>> copies;
  for (auto &[op, readings] : onCpu) {
    auto kernel = cast<plan::KernelOp>(op);
    plan::KernelOp copy;
    for (Reading &reading : readings) {
      if (!onGpu.contains(kernel) || readByGpu.contains(reading.weight))
        continue;
      if (!copy) {
        copy = cast<plan::KernelOp>(kernel->clone());
        symbols.insert(copy, std::next(kernel->getIterator())); // `insert` makes the name unique.
        copies.push_back({kernel, copy});
      }
      reading.launch.setKernel(copy.getSymName());
    }
  }
  return copies;
}

} // namespace nacre::encode
