// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The passes over numbers that stand for others by a scale and a zero point, in the order they run.
// docs/phases/graph.md

#ifndef NACRE_COMPILER_GRAPH_QUANTIZEDPASSES
#define NACRE_COMPILER_GRAPH_QUANTIZEDPASSES

include "mlir/Pass/PassBase.td"

def RecognizeQuantizedPass : Pass<"nacre-recognize-quantized", "::mlir::func::FuncOp"> {
  let summary = "Compute layers between dequantizations and quantizations in integers";
  let description = [{
    A quantized model states each layer in reals: it dequantizes bytes and weights, computes, and quantizes the result. Here, a
    convolution or product of dequantized bytes becomes one of the bytes, added up in 32 bits, and a scale for each column. Zero points
    and a bias become one constant that is added to the sums. The compiler divides by the scale of the quantization that follows:
    `(xs * ws[c]) / ys` in f32, as ONNX Runtime has it. Bounds as of a relu become those of the bytes.

    The divisor of a quantization moves up through everything linear (sums, averages, bounds, movement) into the scale of integer
    sums. It becomes factors of one or two tensors of codes if all combinations of codes have the same result as in f32, so that sums
    of two quantized values divide nothing when the model runs. Otherwise such a quantization stays, and so does the order of a small
    average and of an interpolation: they are f32, one operation after the other.

    In functions for the CPU, two products with a quantized softmax between them become `nn.attention` of codes, with the scales and zero points
    that dequantizations and quantizations state; GPUs have no kernel for them.

    Contractions that stay in floats, and why, are listed on the function (`nn.in_floats`) for the report.

    Requires: what is only moved between codes is moved as codes, and weights are dequantized constants with their output channels
    last (`nacre-simplify-graph`, `nacre-propagate-layouts`, `nacre-fold-constants`).

    Ensures: no convolution or product of dequantized bytes, with one constant scale of the left operand and one for each column of the right
    one, is computed in floats, if its sums fit in 32 bits.

    Example: test/compiler/graph/recognize-quantized.mlir.
  }];
  let options = [Option<"unsignedLeft", "unsigned-left", "bool", /*default=*/"true",
                        "Whether left operands become unsigned in products of two values that the model computes">,
                 Option<"mostKeys", "most-keys", "int64_t", /*default=*/"4096",
                        "The longest row of scores of attention in one kernel">];
  let statistics = [Statistic<"numContractions", "num-contractions", "Number of contractions that became integer ones">];
  let dependentDialects = ["::nacre::nn::NnDialect"];
}

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
