// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compositions of many operators, in numbers: those of constants fold.

#ifndef NACRE_TEST_UNIT_COMPILER_IMPORT_COMPOSITIONS_FOLDEDNUMBERS_H
#define NACRE_TEST_UNIT_COMPILER_IMPORT_COMPOSITIONS_FOLDEDNUMBERS_H

#include "compiler/import/compositions/Tables.h"
#include "dialects/nn/ConstantData.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "gtest/gtest.h"
#include <cmath>

namespace nacre::importer {

using Doubles = std::vector<double>;

/// Builds compositions of constants, which fold to the numbers that they compute.
class FoldedNumbers : public testing::Test {
protected:
  FoldedNumbers() : builder(&context), module(mlir::ModuleOp::create(builder.getUnknownLoc())) {
    context.loadDialect<nn::NnDialect>();
    builder.setInsertionPointToEnd(module->getBody());
  }

  NnBuilder nn() { return {builder, builder.getUnknownLoc(), state}; }

  mlir::Value make(Ints shape, const Doubles &numbers) {
    NnBuilder build = nn();
    return makeTable<double>(build, mlir::RankedTensorType::get(shape, builder.getF64Type()),
                             [&](int64_t index) { return numbers[index]; });
  }

  static Doubles read(mlir::Value value) {
    mlir::ElementsAttr constant = value ? getConstant(value) : mlir::ElementsAttr();
    if (!constant) {
      ADD_FAILURE() << "must fold";
      return {};
    }
    Doubles numbers(constant.getNumElements());
    llvm::cantFail(mlir::failed(nn::ConstantView::get(constant)) ? llvm::createStringError("no bytes")
                                                                 : llvm::Error::success());
    nn::ConstantView::get(constant)->read(0, 1, constant.getNumElements(), numbers.data());
    return numbers;
  }

  mlir::MLIRContext context{mlir::MLIRContext::Threading::DISABLED};
  mlir::OpBuilder builder;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  ImportState state{ImportOptions()};
};

/// Returns numbers of which none is like another.
inline Doubles someNumbers(int64_t count, double seed) {
  Doubles numbers(count);
  for (int64_t index = 0; index < count; ++index)
    numbers[index] = std::sin(seed + 0.7 * static_cast<double>(index * index % 97) + static_cast<double>(index));
  return numbers;
}

inline void expectNear(const Doubles &actual, const Doubles &expected) {
  ASSERT_EQ(actual.size(), expected.size());
  for (size_t index = 0; index < actual.size(); ++index)
    EXPECT_NEAR(actual[index], expected[index], 1e-9) << "element " << index;
}

} // namespace nacre::importer

#endif // NACRE_TEST_UNIT_COMPILER_IMPORT_COMPOSITIONS_FOLDEDNUMBERS_H
