// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The passes over numbers that stand for others by a scale and a zero point, in the order they run. docs/phases/graph.md

#ifndef NACRE_COMPILER_GRAPH_QUANTIZEDPASSES
#define NACRE_COMPILER_GRAPH_QUANTIZEDPASSES

include "mlir/Pass/PassBase.td"

def ChooseSignsPass : Pass<"nacre-choose-signs", "::mlir::func::FuncOp"> {
  let summary = "Store the left operands of 8-bit contractions with the sign that the target multiplies fastest";
  let description = [{
    Dot product instructions take operands of fixed signs: `vpdpbusd` multiplies unsigned by signed bytes, `sdot` and `smmla` signed by
    signed ones. Models store activations either way. An activation of the other sign is the same bytes with the highest bit
    flipped, and a zero point that is 128 away; whatever rounds to 8 bits can make it at the same price. Values do not change.

    Only bytes that the compiled model does not make itself, or that it returns, need an operator that flips them.

    Requires: `nacre-recognize-quantized`, whose contractions have signed right operands. `nacre-simplify-graph` and
    `nacre-fold-constants` run afterwards and merge the constants of each column.

    Ensures: the left operand of an 8-bit contraction has the chosen sign.

    Example: test/compiler/graph/choose-signs.mlir.
  }];
  let options = [Option<"unsignedLeft", "unsigned-left", "bool", /*default=*/"true", "Whether left operands become unsigned">];
  let statistics = [Statistic<"numFlipped", "num-flipped", "Number of contractions whose left operand changed its sign">];
  let dependentDialects = ["::nacre::nn::NnDialect"];
}

#endif // NACRE_COMPILER_GRAPH_QUANTIZEDPASSES
