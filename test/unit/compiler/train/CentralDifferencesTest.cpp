// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Gradients by the rules against central differences, on random networks of f64. NACRE_GRAPHS says how many; the suite
// takes a few hundred, a release ten thousand.

#include "RandomNetwork.h"
#include "compiler/train/rules/ReverseWalk.h"

#include "gtest/gtest.h"
#include <cmath>
#include <cstdlib>

namespace nacre::train {
namespace {

/// Returns whether all elements agree; a network that has a kink within a step of where its weights are does not.
bool agrees(mlir::MLIRContext &context, unsigned seed, std::string &what) {
  RandomNetwork network(context, seed);
  mlir::Value loss = network.draw(8);
  ActiveValues active;
  for (mlir::BlockArgument weight : network.getBody().getArguments())
    active.insert(weight);
  active.follow(network.getBody());
  llvm::SetVector<mlir::Operation *> cuts;
  ReverseWalk walk(network.getBuilder(), active, cuts);
  Writer write(network.getBuilder(), loss.getLoc());
  walk.give(loss, write.number(loss, 1));
  if (mlir::failed(walk.run(network.getBody()))) {
    what = "no rule";
    return false;
  }
  for (unsigned index = 0; index < network.getNumWeights(); ++index) {
    std::vector<double> weight = network.getWeight(index).vec();
    mlir::Value gradient = walk.lookup(network.getBody().getArgument(index));
    std::vector<double> given = network.evaluate(gradient, index, weight, what);
    if (given.size() != weight.size())
      return false;
    for (size_t element = 0; element < weight.size(); ++element) {
      constexpr double step = 1e-5;
      auto lossAt = [&](double shift) {
        std::vector<double> moved = weight;
        moved[element] += shift;
        std::vector<double> found = network.evaluate(loss, index, moved, what);
        return found.empty() ? NAN : found[0];
      };
      const double expected = (lossAt(step) - lossAt(-step)) / (2 * step);
      if (!(std::fabs(given[element] - expected) <= 1e-5 * (1 + std::fabs(expected)))) {
        what = "element " + std::to_string(element) + " of weight " + std::to_string(index) + ": " +
               std::to_string(given[element]) + ", but " + std::to_string(expected) + " by differences";
        return false;
      }
    }
  }
  return true;
}

TEST(CentralDifferences, AgreeWithTheRules) {
  mlir::MLIRContext context;
  context.loadDialect<mlir::func::FuncDialect, nn::NnDialect>();
  const char *asked = getenv("NACRE_GRAPHS");
  const unsigned graphs = asked ? unsigned(atoi(asked)) : 300;
  for (unsigned seed = 0; seed < graphs; ++seed) {
    std::string what;
    EXPECT_TRUE(agrees(context, seed, what)) << "network " << seed << ": " << what;
  }
}

} // namespace
} // namespace nacre::train
