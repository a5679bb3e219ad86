// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  small networks of f64, drawn at random, and their results.
// Why:   the rules' formulas can be held against central differences, without a kernel.
// How:   a function of weights whose operators folding can evaluate; all values stay moderate.

#ifndef NACRE_TEST_UNIT_COMPILER_TRAIN_RANDOMNETWORK_H
#define NACRE_TEST_UNIT_COMPILER_TRAIN_RANDOMNETWORK_H

#include "compiler/train/rules/Writer.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include <random>

namespace nacre::train {

class RandomNetwork {
public:
  RandomNetwork(mlir::MLIRContext &context, unsigned seed);

  /// Draws `operators` more, and a scalar of their results: the loss.
  mlir::Value draw(unsigned operators);

  mlir::Block &getBody() { return function.front(); }
  mlir::OpBuilder &getBuilder() { return builder; }
  llvm::ArrayRef<double> getWeight(unsigned index) const { return weights[index]; }
  unsigned getNumWeights() const { return weights.size(); }

  /// All elements of `value` where weight `index` is `elements`; empty where an operator could not be evaluated, which
  /// `failed` names.
  std::vector<double> evaluate(mlir::Value value, unsigned index, llvm::ArrayRef<double> elements, std::string &failed);

private:
  unsigned below(unsigned end) { return random() % end; }
  double uniform() { return std::uniform_real_distribution<double>(-1, 1)(random); }
  mlir::Value pick() { return pool[below(pool.size())]; }
  mlir::Value table(Dims shape);
  mlir::Value indices(Dims shape, int64_t size);
  mlir::Value drawFunction(mlir::Value x);
  mlir::Value drawPair(mlir::Value x);
  mlir::Value drawAlongAxis(mlir::Value x);
  mlir::Value drawMovement(mlir::Value x);
  mlir::Value drawIndexed(mlir::Value x);

  std::mt19937 random;
  mlir::OpBuilder builder;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  mlir::func::FuncOp function;
  Writer write;
  std::vector<std::vector<double>> weights;
  llvm::SmallVector<mlir::Value> pool;
};

} // namespace nacre::train

#endif // NACRE_TEST_UNIT_COMPILER_TRAIN_RANDOMNETWORK_H
