// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/schedule/LaunchPrice.h"

#include "dialects/StoredBytes.h"
#include "dialects/plan/ControlFlow.h"
#include "dialects/plan/Notes.h"
#include "dialects/plan/SerialIterations.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/SymbolTable.h"

using namespace mlir;

namespace nacre::schedule {

using codegen::efficiencyOf;
using codegen::WorkForm;

/// Operations of a map that one of its body stands for.
static double operationsOf(Operation &op) {
  constexpr double function =
      codegen::kCpuFlopsPerFunction * efficiencyOf(WorkForm::Pointwise).cpuFlops / codegen::kCpuFunctionEfficiency;
  return isa<math::MathDialect>(op.getDialect()) ? function : 1;
}

double priceOf(plan::LaunchOp launch, plan::KernelOp kernel, const codegen::MachineModel &machine) {
  double multiplied = 0, computed = 0, bytes = 0;
  kernel.walk([&](linalg::GenericOp work) {
    double iterations = 1, operations = 0;
    for (int64_t size : work.getStaticLoopRanges())
      iterations *= double(size);
    for (Operation &op : work.getBody()->without_terminator())
      operations += operationsOf(op);
    const bool isProduct = work.getNumReductionLoops() > 0 && work.getNumDpsInputs() >= 2;
    (isProduct ? multiplied : computed) += iterations * operations;
  });
  kernel.walk([&](scf::ForallOp points) {
    points.walk([&](Operation *op) {
      if (op != points)
        computed += plan::countPoints(points) * plan::countIterations(points, op) * operationsOf(*op);
    });
  });
  if (const std::optional<plan::WinogradNote> note = plan::winogradOf(kernel))
    multiplied *= double(note->cycles) / double(note->directCycles);
  for (Value operand : launch->getOperands())
    bytes += double(storedBytes(cast<ShapedType>(operand.getType())));
  const double flops =
      multiplied / efficiencyOf(WorkForm::Product).cpuFlops + computed / efficiencyOf(WorkForm::Pointwise).cpuFlops;
  return machine.launchNanoseconds + flops / machine.flopsPerNanosecond() + bytes / machine.memoryBytesPerNanosecond();
}

double priceOf(ModuleOp module, const codegen::MachineModel &machine) {
  SymbolTable symbols(module);
  double sum = 0;
  module.walk([&](plan::LaunchOp launch) {
    sum += plan::countExecutions(launch) * priceOf(launch, symbols.lookup<plan::KernelOp>(launch.getKernel()), machine);
  });
  return sum;
}

} // namespace nacre::schedule
