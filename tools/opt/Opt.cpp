// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  nacre-opt: reads MLIR, runs any passes of Nacre or of MLIR, writes MLIR.
// Why:   the IR is the only interface between phases, so each can be run and tested from a text file.

#include "dialects/nn/NnDialect.h"
#ifdef NACRE_HAS_PLAN
#include "dialects/plan/PlanDialect.h"
#endif
#ifdef NACRE_HAS_GRAPH
#include "compiler/graph/Passes.h"
#endif
#ifdef NACRE_HAS_KERNELS
#include "compiler/kernels/Passes.h"
#endif
#ifdef NACRE_HAS_PLACE
#include "compiler/place/Passes.h"
#endif
#ifdef NACRE_HAS_SCHEDULE
#include "compiler/schedule/Passes.h"
#endif
#ifdef NACRE_HAS_CODEGEN_CPU
#include "codegen/cpu/Passes.h"
#endif

#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/InitAllPasses.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  mlir::registerAllDialects(registry);
  mlir::registerAllExtensions(registry);
  registry.insert<nacre::nn::NnDialect>();
  mlir::registerAllPasses();
#ifdef NACRE_HAS_PLAN
  registry.insert<nacre::plan::PlanDialect>();
#endif
#ifdef NACRE_HAS_GRAPH
  nacre::graph::registerGraphPasses();
  nacre::graph::registerPipeline();
#endif
#ifdef NACRE_HAS_KERNELS
  nacre::kernels::registerKernelsPasses();
#endif
#ifdef NACRE_HAS_PLACE
  nacre::place::registerPlacePasses();
#endif
#ifdef NACRE_HAS_SCHEDULE
  nacre::schedule::registerSchedulePasses();
#endif
#ifdef NACRE_HAS_CODEGEN_CPU
  nacre::codegen::cpu::registerCpuPasses();
#endif
  return mlir::asMainReturnCode(mlir::MlirOptMain(argc, argv, "Nacre's optimizer driver\n", registry));
}
