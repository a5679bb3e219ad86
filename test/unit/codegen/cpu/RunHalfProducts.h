// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  a fixture that runs products of halves on an arm64 CPU under qemu.
// Why:   tests differ only in how they compare the results.

#ifndef NACRE_TEST_UNIT_CODEGEN_CPU_RUNHALFPRODUCTS_H
#define NACRE_TEST_UNIT_CODEGEN_CPU_RUNHALFPRODUCTS_H

#include "dialects/plan/Notes.h"
#include "test/unit/codegen/cpu/Arm64Kernels.h"
#include "test/unit/codegen/cpu/HalfProducts.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

namespace nacre::codegen::test {

class RunHalfProducts : public testing::Test {
protected:
  RunHalfProducts() { context.loadDialect<plan::PlanDialect>(); }

  /// Runs `products` on `cpu` with the note `steps`; 0 for no note. `change` changes the storages before. `compare`
  /// gets each product with its storages.
  void run(const std::string &cpu, int64_t steps, llvm::ArrayRef<Product> products,
           llvm::function_ref<void(const Product &, std::vector<Storage> &)> compare,
           llvm::function_ref<void(std::vector<Storage> &)> change = nullptr) {
    if (!runsArm64())
      GTEST_SKIP() << "qemu-aarch64 and aarch64-linux-gnu-g++ are not installed";
    Arm64Kernels kernels(cpu);
    for (const Product &product : products) {
      auto module = mlir::parseSourceString<mlir::ModuleOp>(product.text, mlir::ParserConfig(&context));
      ASSERT_TRUE(module) << product.text;
      auto kernel = *module->getOps<plan::KernelOp>().begin();
      if (steps)
        plan::setHalfSums(kernel, steps);
      std::mt19937 random(1);
      std::vector<Storage> storages;
      for (mlir::Type type : kernel.getBody().getArgumentTypes())
        storages.emplace_back(llvm::cast<mlir::RankedTensorType>(type)).fill(random);
      if (change)
        change(storages);
      kernels.add(kernel, std::move(storages));
      if (HasFatalFailure())
        return;
    }
    kernels.run();
    for (auto [number, product] : llvm::enumerate(products)) {
      SCOPED_TRACE(cpu + "\n" + product.text);
      compare(product, kernels.storagesOf(number));
      if (HasFatalFailure())
        return;
    }
  }

  mlir::MLIRContext context;
};

} // namespace nacre::codegen::test

#endif // NACRE_TEST_UNIT_CODEGEN_CPU_RUNHALFPRODUCTS_H
