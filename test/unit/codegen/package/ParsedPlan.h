// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The tables of a plan that is written as text.

#ifndef NACRE_TEST_UNIT_CODEGEN_PACKAGE_PARSEDPLAN_H
#define NACRE_TEST_UNIT_CODEGEN_PACKAGE_PARSEDPLAN_H

#include "codegen/package/TableRows.h"
#include "dialects/plan/PlanDialect.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

namespace nacre::package {

class ParsedPlan : public testing::Test {
protected:
  ParsedPlan() { context.loadDialect<plan::PlanDialect>(); }

  void parse(llvm::StringRef text) {
    module = mlir::parseSourceString<mlir::ModuleOp>(text, mlir::ParserConfig(&context));
    ASSERT_TRUE(module) << text.str();
  }

  /// Returns the tables of the plan, whose kernels have no code.
  llvm::Expected<TableRows> readRows(llvm::ArrayRef<PlacedWeight> weights = {}) {
    if (!module)
      return llvm::createStringError("the text of the test is no plan");
    std::vector<CompiledKernel> kernels;
    for (auto kernel : module->getOps<plan::KernelOp>())
      kernels.push_back({kernel, {}, {}});
    return package::readRows({*module, kernels, weights, 0, "m", "s", "c"});
  }

  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
};

} // namespace nacre::package

#endif // NACRE_TEST_UNIT_CODEGEN_PACKAGE_PARSEDPLAN_H
