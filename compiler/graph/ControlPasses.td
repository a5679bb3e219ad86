// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The passes over branches and loops, in the order they first run. docs/phases/graph.md

#ifndef NACRE_COMPILER_GRAPH_CONTROLPASSES
#define NACRE_COMPILER_GRAPH_CONTROLPASSES

include "mlir/Pass/PassBase.td"

def ResolveControlPass : Pass<"nacre-resolve-control", "::mlir::func::FuncOp"> {
  let summary = "Resolve branches and loops with constant conditions, and remove unused results of others";
  let description = [{
    A branch that is never taken must cost nothing. A loop copies its carried values in every iteration, which is wasted if
    they are unused, and a value that it passes on unchanged does not need to be carried.

    Requires: nothing.

    Ensures: no condition is a constant, and no loop is known to have zero iterations; every result of a branch and every
    value of a loop is used, directly or through other values.

    Example: test/compiler/graph/resolve-control.mlir.
  }];
  let dependentDialects = ["::nacre::nn::NnDialect"];
}

def CountTripsPass : Pass<"nacre-count-trips", "::mlir::func::FuncOp"> {
  let summary = "Convert loops whose conditions only count to counted loops";
  let description = [{
    Every format can express `for` as `while`. Only a counted loop can be unrolled, scan its rows and stack others without a
    test per iteration. A carried number that only grows by a constant is computed from the iteration number.

    A condition is a conjunction of comparisons of such numbers with loop-invariant values; the smallest limit counts. At
    least one limit must be known, or the loop must have a bound. A loop remains if its limit is not representable in the
    number's type: bytes wrap, and halves stop growing.

    Requires: `nacre-resolve-control`, which finds loop-invariant values.

    Ensures: no loop of that kind has a condition; no counted loop carries a number that grows by a constant.

    Example: test/compiler/graph/count-trips.mlir.
  }];
  let statistics = [Statistic<"numLoops", "num-loops", "Number of loops converted to counted loops">];
  let dependentDialects = ["::nacre::nn::NnDialect"];
}

def UnrollLoopsPass : Pass<"nacre-unroll-loops", "::mlir::func::FuncOp"> {
  let summary = "Unroll loops of one iteration, and short ones of few cheap operators";
  let description = [{
    An iteration costs steps of the runtime, views and storages; unrolled operators fuse and fold. If an iteration computes
    more than elementwise operators and views, this cost is relatively small.

    Requires: nothing.

    Ensures: no loop with a known number of iterations has one, or at most `max-iterations` with at most `max-operators` cheap operators.

    Example: test/compiler/graph/unroll-loops.mlir.
  }];
  let options = [
    Option<"maxIterations", "max-iterations", "int64_t", /*default=*/"8", "Maximum number of iterations to unroll">,
    Option<"maxOperators", "max-operators", "int64_t", /*default=*/"8", "Maximum number of operators of an unrolled body">,
  ];
  let statistics = [Statistic<"numLoops", "num-loops", "Number of loops unrolled">];
  let dependentDialects = ["::nacre::nn::NnDialect"];
}

def HoistInvariantsPass : Pass<"nacre-hoist-invariants", "::mlir::func::FuncOp"> {
  let summary = "Move loop-invariant operators out of loops, and constants out of all regions";
  let description = [{
    Loop-invariant values are computed once. A branch keeps its operators, because it must cost nothing if it is not taken.
    Constants cost nothing anywhere, and outside of regions each is one weight.

    Requires: nothing.

    Ensures: every operator in a loop depends on a value of that loop; constants are outside of regions.

    Example: test/compiler/graph/hoist-invariants.mlir.
  }];
  let statistics = [Statistic<"numMoved", "num-moved", "Number of operators moved">];
}

def ScanRowsPass : Pass<"nacre-scan-rows", "::mlir::func::FuncOp"> {
  let summary = "Convert rows that a loop reads by its counter to scans, and rows that it writes to stacks";
  let description = [{
    Exporters without scans read a row with a gather and write one with a scatter. A gather copies the row, and a scatter into a
    carried value copies the whole value in every iteration. Scanned and stacked rows are read and written in place.

    Requires: `nacre-count-trips`; indices are sums and products of the iteration number and constants.

    Ensures: no gather from a value outside of a counted loop has such an index, and no carried value is only written,
    or read and written, at one row per iteration that no other iteration has.

    Example: test/compiler/graph/scan-rows.mlir.
  }];
  let statistics = [
    Statistic<"numScanned", "num-scanned", "Number of gathers converted to scanned rows">,
    Statistic<"numStacked", "num-stacked", "Number of carried values converted to stacks">,
  ];
  let dependentDialects = ["::nacre::nn::NnDialect"];
}

def HoistProductsPass : Pass<"nacre-hoist-products", "::mlir::func::FuncOp"> {
  let summary = "Multiply all scanned rows by loop-invariant matrices at once, before the loop";
  let description = [{
    One product of many rows uses the whole machine; many products of one row do not. Cells join their input and their state
    before one product. Split into a sum of two products, the input's product moves out with the bias, and an iteration only
    multiplies the state. A product stays in the loop if its iterations have many rows and the products of all iterations
    would not fit in a cache.

    Requires: `nacre-scan-rows`, `nacre-hoist-invariants`.

    Ensures: a product of a scanned row and a loop-invariant matrix remains in the loop only if that is faster.

    Example: test/compiler/graph/hoist-products.mlir.
  }];
  let statistics = [Statistic<"numMoved", "num-moved", "Number of products moved">];
  let dependentDialects = ["::nacre::nn::NnDialect"];
}

def SelectBranchesPass : Pass<"nacre-select-branches", "::mlir::func::FuncOp"> {
  let summary = "Replace branches of a few elementwise operators by selections";
  let description = [{
    Computing a few numbers twice costs less than a jump, and fuses with the surrounding operators. Computing the branch that
    is not taken cannot trap: an integer divided by zero is 0.

    Requires: nothing.

    Ensures: no branch has only elementwise operators, at most eight on both sides together, with no more elements than the
    largest result.

    Example: test/compiler/graph/select-branches.mlir.
  }];
  let statistics = [Statistic<"numBranches", "num-branches", "Number of branches replaced by selections">];
  let dependentDialects = ["::nacre::nn::NnDialect"];
}

def RerollLoopsPass : Pass<"nacre-reroll-loops", "::mlir::func::FuncOp"> {
  let summary = "Reroll a recurrent cell that is unrolled over its steps into a loop";
  let description = [{
    Exporters without loops repeat a cell for each step. As a loop, it is compiled once, all steps share one product of their
    inputs, and it is as fast as a recurrent layer.

    The copies must have equal operators, weights and inputs: values of each other, rows of one tensor at equal distances, and
    loop-invariant values. Steps at either end that differ remain unrolled. Rounding does not change.

    A chain that reads no rows, such as layers with shared weights, does not change: it has no product for all steps at once.

    Requires: equal subexpressions are merged (`cse`), and a gather of one index is a slice (`nacre-simplify-graph`).

    Ensures: no product with the same weight is repeated by `min-iterations` or more equal steps of such a chain.

    Example: test/compiler/graph/reroll-loops.mlir.
  }];
  let options = [
    Option<"minIterations", "min-iterations", "unsigned", /*default=*/"4", "Minimum number of steps of a rerolled loop">,
  ];
  let statistics = [Statistic<"numLoops", "num-loops", "Number of loops created">];
  let dependentDialects = ["::nacre::nn::NnDialect"];
}

#endif // NACRE_COMPILER_GRAPH_CONTROLPASSES
