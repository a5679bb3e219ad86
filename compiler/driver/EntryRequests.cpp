// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/driver/EntryRequests.h"

#include "dialects/plan/Notes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace nacre {

LogicalResult assignEngines(ModuleOp module, const CompilerOptions &options) {
  module.getContext()->getOrLoadDialect<plan::PlanDialect>();
  for (const auto &[name, request] : options.entries) {
    auto function = module.lookupSymbol<func::FuncOp>(name);
    if (!function) {
      auto names = llvm::map_range(module.getOps<func::FuncOp>(), [](func::FuncOp one) { return one.getSymName(); });
      return emitError(UnknownLoc::get(module.getContext()))
             << (request.isOnCpu ? "--place" : "--entry-weight") << " must name entries of the model ("
             << llvm::join(names, ", ") << "), but names '" << name << "'";
    }
    if (request.isOnCpu)
      plan::setEngine(function, plan::Engine::Cpu);
  }
  return success();
}

double weightOf(const CompilerOptions &options, StringRef entry) {
  const auto request = options.entries.find(entry.str());
  return request == options.entries.end() ? 1 : request->second.weight;
}

} // namespace nacre
