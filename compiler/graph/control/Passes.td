// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The passes over branches and loops, in the order they first run. docs/phases/graph.md

#ifndef NACRE_COMPILER_GRAPH_CONTROL_PASSES
#define NACRE_COMPILER_GRAPH_CONTROL_PASSES

include "mlir/Pass/PassBase.td"

def ResolveControlPass : Pass<"nacre-resolve-control", "::mlir::func::FuncOp"> {
  let summary = "Write out branches and loops that constants decide, and drop what others compute for nobody";
  let description = [{
    A branch that is never taken must cost nothing. A loop copies or keeps what it carries in every turn, for nobody where
    nothing comes of it, and what it hands on as it got it is no carried value at all.

    Requires: nothing.

    Ensures: no condition is a constant, no loop is known not to turn; every result of a branch, and every value of a loop, is
    read, or something that is read is computed of it.

    Example: test/compiler/graph/resolve-control.mlir.
  }];
  let dependentDialects = ["::nacre::nn::NnDialect"];
}

def CountTripsPass : Pass<"nacre-count-trips", "::mlir::func::FuncOp"> {
  let summary = "Turn loops whose conditions only count into counted ones";
  let description = [{
    Every format can write `for` as `while`. Only a counted loop can be unrolled, scan its rows and stack others without a
    test in every turn. A number that a loop carries only to add to it is computed of the turn's number.

    A condition is a conjunction of comparisons of such numbers with what no turn changes; the least of what they allow counts.
    One at least must be known, or the loop bounded. A number that its type does not have is never reached: bytes wrap, halves
    stand still, and such a loop stays.

    Requires: `nacre-resolve-control`, which knows what no turn changes.

    Ensures: no loop of that kind has a condition; no counted one carries a number that grows by a constant.

    Example: test/compiler/graph/count-trips.mlir.
  }];
  let statistics = [Statistic<"numLoops", "num-loops", "Number of loops that are counted now">];
  let dependentDialects = ["::nacre::nn::NnDialect"];
}

def UnrollLoopsPass : Pass<"nacre-unroll-loops", "::mlir::func::FuncOp"> {
  let summary = "Write out loops of one turn, and short ones of few cheap operators";
  let description = [{
    A turn costs steps of the runtime, views and storages; operators that are written out fuse and fold. Where a turn computes
    more than elementwise operators and views, what that costs is small beside it.

    Requires: nothing.

    Ensures: no loop with a known number of turns has one, or at most `max-turns` of at most `max-operators` cheap operators.

    Example: test/compiler/graph/unroll-loops.mlir.
  }];
  let options = [
    Option<"maxTurns", "max-turns", "int64_t", /*default=*/"8", "The most turns that are written out">,
    Option<"maxOperators", "max-operators", "int64_t", /*default=*/"8", "The most operators of a body that is written out">,
  ];
  let statistics = [Statistic<"numLoops", "num-loops", "Number of loops written out">];
  let dependentDialects = ["::nacre::nn::NnDialect"];
}

def HoistInvariantsPass : Pass<"nacre-hoist-invariants", "::mlir::func::FuncOp"> {
  let summary = "Move out of loops what is the same in every turn, and constants out of all regions";
  let description = [{
    What is the same in every turn is computed once. A branch keeps what it computes, since it must cost nothing where it is not
    taken; constants cost nothing anywhere, and outside of regions each is one weight.

    Requires: nothing.

    Ensures: what an operator of a loop reads is computed in that loop, at least in part; constants stand outside of regions.

    Example: test/compiler/graph/hoist-invariants.mlir.
  }];
  let statistics = [Statistic<"numMoved", "num-moved", "Number of operators moved">];
}

def ScanRowsPass : Pass<"nacre-scan-rows", "::mlir::func::FuncOp"> {
  let summary = "Scan the rows that a loop picks by its counter, and stack those that it writes so";
  let description = [{
    Exporters that have no scans pick a row by a gather and write one by a scatter. A gather copies the row, a scatter into what
    the loop carries copies everything in every turn; rows that are scanned or stacked are read and written in place.

    Requires: `nacre-count-trips`; indices are sums and products of the turn's number and constants.

    Ensures: no gather of what is computed outside of a counted loop has such an index, and no carried
    value is written at one row a turn alone.

    Example: test/compiler/graph/scan-rows.mlir.
  }];
  let statistics = [
    Statistic<"numScanned", "num-scanned", "Number of gathers that became scanned rows">,
    Statistic<"numStacked", "num-stacked", "Number of carried values that became stacks">,
  ];
  let dependentDialects = ["::nacre::nn::NnDialect"];
}

def HoistProductsPass : Pass<"nacre-hoist-products", "::mlir::func::FuncOp"> {
  let summary = "Multiply all rows that a loop scans by what no turn changes at once, before the loop";
  let description = [{
    One product of many rows fills the machine, many of one row do not. Cells join their input and their state before one
    product; as a sum of two products, the input's moves out, with the bias, and a turn multiplies the state alone. Where turns
    have many rows and all turns' products would be more than a cache holds, the matrix is read from a cache in each turn instead.

    Requires: `nacre-scan-rows`, `nacre-hoist-invariants`.

    Ensures: a product of a scanned row and a matrix from outside of the loop is left in it only where that pays.

    Example: test/compiler/graph/hoist-products.mlir.
  }];
  let statistics = [Statistic<"numMoved", "num-moved", "Number of products moved">];
  let dependentDialects = ["::nacre::nn::NnDialect"];
}

def SelectBranchesPass : Pass<"nacre-select-branches", "::mlir::func::FuncOp"> {
  let summary = "Compute both branches where they are a few elementwise operators, and select";
  let description = [{
    To compute a few numbers twice costs less than a jump, and fuses with what is around. Nothing that is computed in vain can
    trap: an integer divided by zero is 0.

    Requires: nothing.

    Ensures: no branch is left in which there are but elementwise operators, eight at most on both sides, with no more elements
    than the largest result.

    Example: test/compiler/graph/select-branches.mlir.
  }];
  let statistics = [Statistic<"numBranches", "num-branches", "Number of branches that became selections">];
  let dependentDialects = ["::nacre::nn::NnDialect"];
}

def RerollLoopsPass : Pass<"nacre-reroll-loops", "::mlir::func::FuncOp"> {
  let summary = "Make a loop of a recurrent cell that is written once for each step";
  let description = [{
    Exporters that have no loops write a cell as often as there are steps. As a loop it is compiled once, the product of its
    inputs is one for all steps, and its speed is that of any other spelling.

    The copies must be equal in their operators, their weights and what they read: each other's values, rows of one tensor at
    equal distances, what no step changes. Steps at either end that differ stay written out. Rounding is that of the
    operators as they were.

    Requires: equal subexpressions are one value (`cse`), and a gather of one index is a slice (`nacre-simplify-graph`).

    A chain that reads no rows, as layers that share their weights, stays as it is: nothing of it is computed for all at once.

    Ensures: no product by one weight is left that `min-turns` steps or more of such a chain compute alike.

    Example: test/compiler/graph/reroll-loops.mlir.
  }];
  let options = [
    Option<"minTurns", "min-turns", "unsigned", /*default=*/"4", "The fewest steps that become a loop">,
  ];
  let statistics = [Statistic<"numLoops", "num-loops", "Number of loops made">];
  let dependentDialects = ["::nacre::nn::NnDialect"];
}

#endif // NACRE_COMPILER_GRAPH_CONTROL_PASSES
