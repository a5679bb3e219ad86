// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shows that the interpreter lacks no operator of the dialect. Tests its promises that networks do not need: control
// flow, numbers outside a range, and rounding.

#include "compiler/evaluate/Operators.h"
#include "compiler/evaluate/Interpreter.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ADT/StringSet.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace nacre::evaluate;
namespace nn = nacre::nn;

namespace {

/// Operators that the interpreter itself runs, and operators that it leaves to others.
const llvm::StringSet<> elsewhere = {"nn.constant", "nn.if",        "nn.for",     "nn.while",
                                     "nn.yield",    "nn.condition", "nn.gradient"};

class Interpreter : public testing::Test {
protected:
  Interpreter() { context.loadDialect<nn::NnDialect, func::FuncDialect>(); }

  /// The first result of the function `text` for `arguments`.
  Tensor run(StringRef text, ArrayRef<Tensor> arguments = {}, Floats floats = Floats::Double) {
    module = parseSourceString<ModuleOp>(text, &context);
    EXPECT_TRUE(module);
    auto results = evaluate(*module->getOps<func::FuncOp>().begin(), arguments, {floats});
    EXPECT_TRUE(succeeded(results));
    return results->front();
  }

  Tensor floats(ArrayRef<double> values) {
    Tensor tensor(RankedTensorType::get(int64_t(values.size()), Float32Type::get(&context)));
    for (auto [i, value] : llvm::enumerate(values))
      tensor.write()[i].number = value;
    return tensor;
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
};

std::vector<double> numbersOf(const Tensor &tensor) {
  std::vector<double> numbers;
  for (int64_t i = 0; i < tensor.size(); ++i)
    numbers.push_back(tensor.isFloat() ? tensor.number(i) : double(tensor.integer(i)));
  return numbers;
}

TEST_F(Interpreter, LacksNoOperator) {
  unsigned count = 0;
  for (RegisteredOperationName name : context.getRegisteredOperationsByDialect("nn")) {
    EXPECT_NE(isEvaluated(name.getStringRef()), elsewhere.contains(name.getStringRef())) << name.getStringRef().str();
    ++count;
  }
  EXPECT_GT(count, 40U);
}

TEST_F(Interpreter, NamesWhatItLeavesToOthers) {
  module = parseSourceString<ModuleOp>(R"mlir(
    func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
      %dx = nn.gradient of(%x : tensor<2xf32>) -> (tensor<2xf32>) {
      ^bb0(%a: tensor<2xf32>):
        %y = nn.binary mul %a, %a : tensor<2xf32>, tensor<2xf32>
        nn.yield %y : tensor<2xf32>
      } loc("slope")
      return %dx : tensor<2xf32>
    })mlir",
                                       &context);
  std::string said, node;
  const ScopedDiagnosticHandler handler(&context, [&](Diagnostic &message) {
    said = message.str();
    if (auto name = dyn_cast<NameLoc>(message.getLocation()))
      node = name.getName().str();
  });
  EXPECT_TRUE(failed(evaluate(*module->getOps<func::FuncOp>().begin(), floats({1, 2}))));
  EXPECT_EQ(said, "cannot be evaluated: the interpreter has no operator 'nn.gradient'");
  EXPECT_EQ(node, "slope");
}

TEST_F(Interpreter, KeepsDoublesBetweenOperators) {
  constexpr StringLiteral thirdThreeTimes = R"mlir(
    func.func @main(%x: tensor<1xf32>, %three: tensor<1xf32>) -> tensor<1xf32> {
      %third = nn.binary div %x, %three : tensor<1xf32>, tensor<1xf32>
      return %third : tensor<1xf32>
    })mlir";
  EXPECT_EQ(run(thirdThreeTimes, {floats({1}), floats({3})}).number(0), 1.0 / 3);
  EXPECT_EQ(run(thirdThreeTimes, {floats({1}), floats({3})}, Floats::Stored).number(0), double(1.0F / 3));
}

TEST_F(Interpreter, DecidesAsTheTypeDoes) {
  // 0.25 / 0.1 is 2.5 in f32, and just below it in double.
  EXPECT_EQ(run(R"mlir(
    func.func @main(%x: tensor<1xf32>, %scale: tensor<1xf32>) -> tensor<1xf32> {
      %q = nn.binary div %x, %scale : tensor<1xf32>, tensor<1xf32>
      %half = nn.constant dense<0.5> : tensor<1xf32>
      %up = nn.binary add %q, %half : tensor<1xf32>, tensor<1xf32>
      %r = nn.unary floor %up : tensor<1xf32>
      return %r : tensor<1xf32>
    })mlir",
                {floats({0.25}), floats({double(0.1F)})})
                .number(0),
            3);
}

TEST_F(Interpreter, TakesTheBranchAndTheIterationsThatARunDecides) {
  constexpr StringLiteral text = R"mlir(
    func.func @main(%x: tensor<1xf32>) -> tensor<3xf32> {
      %zero = nn.constant dense<0.0> : tensor<1xf32>
      %c = nn.binary greater %x, %zero : tensor<1xf32>, tensor<1xf32>
      %start = nn.if %c : tensor<1xi1> -> (tensor<1xf32>) {
        nn.yield %x : tensor<1xf32>
      } else {
        %n = nn.unary neg %x : tensor<1xf32>
        nn.yield %n : tensor<1xf32>
      }
      %limit = nn.constant dense<10.0> : tensor<1xf32>
      %last, %trips = nn.while bound 50 carried(%start : tensor<1xf32>) -> (tensor<1xf32>) {
      ^bb0(%iteration: tensor<i64>, %v: tensor<1xf32>):
        %less = nn.binary less %v, %limit : tensor<1xf32>, tensor<1xf32>
        nn.condition %less : tensor<1xi1>
      } do {
      ^bb0(%iteration: tensor<i64>, %v: tensor<1xf32>):
        %twice = nn.binary add %v, %v : tensor<1xf32>, tensor<1xf32>
        nn.yield %twice : tensor<1xf32>
      }
      %final, %rows = nn.for 2 carried(%last : tensor<1xf32>) reverse -> (tensor<1xf32>, tensor<2x1xf32>) {
      ^bb0(%iteration: tensor<i64>, %v: tensor<1xf32>):
        %twice = nn.binary add %v, %v : tensor<1xf32>, tensor<1xf32>
        nn.yield %twice : tensor<1xf32> stacked(%v : tensor<1xf32>)
      }
      %flat = nn.reshape %rows : tensor<2x1xf32> to tensor<2xf32>
      %all = nn.concat %flat, %final {axis = 0 : i64} : tensor<2xf32>, tensor<1xf32>
      return %all : tensor<3xf32>
    })mlir";
  EXPECT_EQ(numbersOf(run(text, floats({3}))), (std::vector<double>{24, 12, 48}));
  EXPECT_EQ(numbersOf(run(text, floats({-5}))), (std::vector<double>{20, 10, 40}));
}

TEST_F(Interpreter, IntegersAreExactAndWrap) {
  const Tensor product = run(R"mlir(
    func.func @main() -> tensor<2xi64> {
      %a = nn.constant dense<[9007199254740993, 4611686018427387904]> : tensor<2xi64>
      %b = nn.constant dense<[1, 4]> : tensor<2xi64>
      %p = nn.binary mul %a, %b : tensor<2xi64>, tensor<2xi64>
      return %p : tensor<2xi64>
    })mlir");
  EXPECT_EQ(product.integer(0), 9007199254740993); // no double has it
  EXPECT_EQ(product.integer(1), 0);
}

TEST_F(Interpreter, BytesAreWhatTheyWere) {
  const std::vector<char> codes = {char(0x21), char(0x8f)};
  const auto type = RankedTensorType::get(4, IntegerType::get(&context, 4));
  const Tensor tensor = fromBytes(type, codes);
  EXPECT_EQ(numbersOf(tensor), (std::vector<double>{1, 2, -1, -8}));
  EXPECT_EQ(toBytes(tensor), codes);
}

} // namespace
