// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The table of rules is about all of the dialect: an operator is never new to training by oversight.

#include "compiler/train/GradientRules.h"

#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/StringSet.h"
#include "gtest/gtest.h"

namespace nacre::train {
namespace {

TEST(RuleTable, HasARowForEveryOperator) {
  mlir::MLIRContext context;
  context.loadDialect<nn::NnDialect>();
  llvm::StringSet<> rows, operators;
  for (const RuleRow &row : getRules())
    EXPECT_TRUE(rows.insert(row.name).second) << row.name.str() << " has two rows";
  for (mlir::RegisteredOperationName name : context.getRegisteredOperationsByDialect("nn")) {
    operators.insert(name.getStringRef());
    EXPECT_TRUE(rows.contains(name.getStringRef()))
        << name.getStringRef().str() << " has no row in compiler/train/GradientRules.cpp";
  }
  EXPECT_EQ(rows.size(), operators.size());
}

} // namespace
} // namespace nacre::train
