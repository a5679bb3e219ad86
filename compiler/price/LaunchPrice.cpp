// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/price/LaunchPrice.h"

#include "dialects/plan/ControlFlow.h"

#include "mlir/IR/SymbolTable.h"

using namespace mlir;

namespace nacre::price {

/// Returns the fraction of a core's peak rate that operations other than products reach.
static double efficiencyOfOthers(WorkForm form) {
  const bool isContraction = form == WorkForm::Product || form == WorkForm::Streamed || form == WorkForm::Depthwise;
  return codegen::efficiencyOf(isContraction ? WorkForm::Pointwise : form).cpuFlops;
}

double priceOf(const LaunchWork &work, const codegen::MachineModel &machine) {
  const double operations = work.products.cpuFlops() / codegen::efficiencyOf(work.form).cpuFlops +
                            work.flops / efficiencyOfOthers(work.form) +
                            work.functions * codegen::kCpuFlopsPerFunction / codegen::kCpuFunctionEfficiency;
  return machine.launchNanoseconds + operations / machine.flopsPerNanosecond() +
         (work.tensors.of(1) + work.weights.of(1)) / machine.memoryBytesPerNanosecond();
}

double priceOf(plan::LaunchOp launch, plan::KernelOp kernel, const codegen::MachineModel &machine) {
  return priceOf(readWork(launch, kernel, /*rivals=*/0), machine);
}

double priceOf(plan::EntryOp entry, const codegen::MachineModel &machine) {
  const SymbolTable symbols(entry->getParentOfType<ModuleOp>());
  double sum = 0;
  entry.walk([&](plan::LaunchOp launch) {
    sum += plan::countExecutions(launch) * priceOf(launch, symbols.lookup<plan::KernelOp>(launch.getKernel()), machine);
  });
  return sum;
}

} // namespace nacre::price
