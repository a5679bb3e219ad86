// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The passes of the graph phase, in the order they first run; ControlPasses.td has those over branches and loops.
// docs/phases/graph.md
//
// Reads:  functions of nn operators from an importer.
// Writes: the same networks with fewer, larger operators, channels last, and folded constants.

#ifndef NACRE_COMPILER_GRAPH_PASSES
#define NACRE_COMPILER_GRAPH_PASSES

include "compiler/graph/ControlPasses.td"
include "compiler/graph/QuantizedPasses.td"
include "dialects/plan/PassOptions.td"
include "mlir/Pass/PassBase.td"

def FoldEmptyPass : Pass<"nacre-fold-empty", "::mlir::func::FuncOp"> {
  let summary = "Replace empty tensors, and values computed only from them, by constants";
  let description = [{
    Models may have empty batches, lists without results and layers without inputs. Otherwise, every later pass and emitter
    would need a special case for loops without iterations and for sums or averages of nothing.

    A product of nothing is zero. A reduction of nothing is its neutral element (a mean is NaN, or 0 for integers). Padding of
    nothing is only the border. A recurrent layer without steps ends in its initial state. A convolution of an image
    without rows reads its padding.

    Requires: nothing.

    Ensures: no operator reads or produces an empty tensor, except constants that are results of the function.

    Example: test/compiler/graph/fold-empty.mlir.
  }];
  let dependentDialects = ["::nacre::nn::NnDialect"];
}

def SimplifyGraphPass : Pass<"nacre-simplify-graph", "::mlir::func::FuncOp"> {
  let summary = "Replace operators by simpler ones with the same value, and remove unused ones";
  let description = [{
    Exporters express the same function in many ways. Each pattern rewrites one of them to the form that later passes expect.
    For example, a gather of one index becomes a slice, and a transpose that only moves axes of extent one becomes a reshape.
    Pooling over everything becomes a reduction. Zeros (for integers, any number) around a convolution's input become its
    pads. An elementwise operator needs no expanded operand. A sum of adjacent slices, each padded with zeros, as gradients
    of slices are, becomes their concat. Movement of dequantized constants becomes movement of their codes. The dialect's folders run, too.

    Requires: nothing.

    Ensures: no pattern of this pass applies any more.

    Example: test/compiler/graph/simplify-graph.mlir; the constant index of a gather becomes the start of a slice.
  }];
  let dependentDialects = ["::nacre::nn::NnDialect"];
}

def RecognizeCompositesPass : Pass<"nacre-recognize-composites", "::mlir::func::FuncOp"> {
  let summary = "Replace decomposed layer normalization, GELU, softmax and dilated convolutions by single operators";
  let description = [{
    Exporters of older opsets decompose these functions into five to nine elementwise operators and reductions. A single
    operator is one sweep over a row, or one scalar function that fuses into the contraction before it. TensorFlow 1
    writes a convolution with dilation b as an ordinary one between SpaceToBatchND and BatchToSpaceND, which move every
    element twice; pads before it and crops after it become the convolution's pads.

    Requires: equal subexpressions are merged (`cse`).

    Ensures: no layer normalization (by mean of squared differences), exact GELU or softmax is decomposed; no convolution of
    stride 1 is between a SpaceToBatchND and a BatchToSpaceND.

    Example: test/compiler/graph/recognize-composites.mlir.
  }];
  let dependentDialects = ["::nacre::nn::NnDialect"];
}

def PropagateLayoutsPass : Pass<"nacre-propagate-layouts", "::mlir::func::FuncOp"> {
  let summary = "Cancel transposes by storing the values between them in another order of axes";
  let description = [{
    Convolutions have channels last, so a channels-first network reaches this pass with transposes around every
    convolution. Operators that do not depend on the order of axes (elementwise ones, concat, pad, slice, reductions,
    softmax, most reshapes) can compute on transposed values. A region of them changes its order if the transposes at its
    border then move fewer bytes.

    A transpose is free if it only moves axes of extent one, before a product, whose kernels read with any strides, and
    before a flattening in front of constant weights (`nacre-permute-weights` removes it).

    Requires: each function has one block.

    Ensures: storing a whole region in the order of one of its transposes would not make its transposes cheaper; the function
    is unchanged.

    Example: test/compiler/graph/propagate-layouts.mlir.
  }];
  let statistics = [
    Statistic<"numRegions", "num-regions", "Number of regions stored in another order">,
    Statistic<"numBytesSaved", "bytes-saved", "Bytes that transposes no longer move in a run">,
  ];
  let dependentDialects = ["::nacre::nn::NnDialect"];
}

def NarrowFloatsPass : Pass<"nacre-narrow-floats", "::mlir::func::FuncOp"> {
  let summary = "Compute in f16 or bf16 between inputs and outputs of f32";
  let description = [{
    On most phones, GPUs read f16 in half the time, big cores multiply twice as many f16 or four times as many bf16 as f32, and such weights need half the memory. Most f32 values become f16 or bf16; kernels
    compute in f32 and round what they store. Some values keep f32: inputs and outputs, and values computed only from inputs
    and constants before the first product; recurrent layers, whose state accumulates over all steps; values computed only from
    integers, such as positions, indices and masks, which f16 could not represent; sampling positions of images and numbers that
    become integers, with the operators that compute them; and scales of integer products. So do operators whose results f16
    would change (`compiler/graph/halves/HalfErrors.h`): epsilons and factors that f16 does not have, values computed from
    them, and differences of large numbers. Finite constants and numbers converted from integers are clamped to the largest finite value
    where they meet it. In functions that train weights, updates, losses, the gradients of losses and sums keep f32, too
    (`compiler/graph/halves/TrainedValues.h`). Functions for the CPU only (`plan.engine`) have an option of their own.

    Requires: nothing.

    Ensures: an operator has f32 operands and results, or f16 or bf16 ones; casts are between them. Contractions with f32 operands are
    warned of, and noted on the function with the reason (`nn.wide_products`).

    Example: test/compiler/graph/narrow-floats.mlir.
  }];
  let options = [
    Option<"gpu", "gpu", "bool", /*default=*/"true", "Narrow functions that a GPU may compute">,
    WordOption<"cpu", "cpu", "::nacre::FloatStorage", "F32", "Storage type of functions that only the CPU computes: fp32, fp16 or bf16",
               [["F32", "fp32"], ["F16", "fp16"], ["BF16", "bf16"]]>,
  ];
}

def PermuteWeightsPass : Pass<"nacre-permute-weights", "::mlir::func::FuncOp"> {
  let summary = "Reorder the rows of constant weights instead of transposing the other operand";
  let description = [{
    A channels-first network flattens its last feature map channel by channel before a fully connected layer, so the
    channels-last map must be transposed first. The transpose only reorders the axis that the product sums over. Reordering
    the weights' rows once, at compile time, has the same effect.

    Requires: transposes are directly before the flattening reshape (`nacre-propagate-layouts` prefers that).

    Ensures: no transpose is only used by a reshape into the summed axis of products with constant weights.

    Example: test/compiler/graph/permute-weights.mlir.
  }];
  let dependentDialects = ["::nacre::nn::NnDialect"];
}

def ExpandQuantizationPass : Pass<"nacre-expand-quantization", "::mlir::func::FuncOp"> {
  let summary = "Rewrite the quantizations that no pass has taken as casts, arithmetic and rounding";
  let description = [{
    Quantized models compute in floats between a dequantization and a quantization, and weights are dequantized constants. Both
    stay one operator each, also of constants, as long as passes look for layers that integers can compute. The rest is computed
    as the model states it: elementwise operators, which kernels take in, and weights that become floats.

    Requires: nothing. No later pass looks for quantizations; `nacre-fold-constants` runs afterwards and computes the weights.

    Ensures: there is no `nn.quantize` and no `nn.dequantize`.

    Example: test/compiler/graph/expand-quantization.mlir.
  }];
  let statistics = [Statistic<"numExpanded", "num-expanded", "Number of operators rewritten">];
  let dependentDialects = ["::nacre::nn::NnDialect"];
}

def FoldScalesPass : Pass<"nacre-fold-scales", "::mlir::func::FuncOp"> {
  let summary = "Move factors of a contraction's output channels into its constant weights";
  let description = [{
    Batch normalization after a convolution is a factor and an addend per output channel. The weights can include the factor;
    one bias remains, which the convolution's kernel adds for free.

    Requires: channels are last (`nacre-propagate-layouts`).

    Ensures: a convolution or product with constant weights and one use is followed by at most one addition of a constant
    per channel, and by no constant factor.

    Example: test/compiler/graph/fold-scales.mlir.
  }];
  let dependentDialects = ["::nacre::nn::NnDialect"];
}

def JoinProductsPass : Pass<"nacre-join-products", "::mlir::func::FuncOp"> {
  let summary = "Merge products of the same value whose columns are heads of attention";
  let description = [{
    Queries, keys and values are three products of the same rows. One product with all their columns is one launch instead of
    three, and large enough to fill a GPU. Each of the three is a view of it, a slice of its heads.

    Requires: a bias is one constant per column (`nacre-fold-scales`).

    Ensures: no two products of one value by constant matrices are split into heads of equal size, except if another operator
    reads the whole product, or if the merged constant would be too large.

    Example: test/compiler/graph/join-products.mlir.
  }];
  let options = [
    Option<"maxConstantBytes", "max-constant-bytes", "int64_t", /*default=*/"int64_t(1) << 30",
           "The largest constant to make, in bytes; splats count as one element">,
  ];
  let statistics = [Statistic<"numJoined", "num-joined", "Number of products merged into larger ones">];
  let dependentDialects = ["::nacre::nn::NnDialect"];
}

def SliceEarlyPass : Pass<"nacre-slice-early", "::mlir::func::FuncOp"> {
  let summary = "Skip the computation of unused rows";
  let description = [{
    A classifier reads only the first token of a transformer's result. The last layer needs keys and values of all tokens, but
    scores, the products after attention, sums and normalizations only of that token. This saves a sixth of the work of a
    four-layer BERT.

    Requires: layers are final (`nacre-recognize-composites`, `nacre-propagate-layouts`), and attention is not fused.

    Ensures: no slice of step one reads half the elements or fewer of a value with no other use, if the value is computed row by
    row by products or normalizations.

    Example: test/compiler/graph/slice-early.mlir; one row of a product.
  }];
  let statistics = [Statistic<"numSliced", "num-sliced", "Number of slices that moved up">];
  let dependentDialects = ["::nacre::nn::NnDialect"];
}

def FoldConstantsPass : Pass<"nacre-fold-constants", "::mlir::ModuleOp"> {
  let summary = "Compute operators with only constant operands, of any size";
  let description = [{
    The dialect's folders stop at small constants, because they run often. This pass runs a few times and also transposes,
    scales and joins weights. It frees unused bytes at once, so that at most one copy of a weight exists besides the
    model's own.

    Requires: operators precede their users, as in any block.

    Ensures: no operator that `nn::evaluate` knows has constant operands only, unless its result would be larger than
    `max-constant-bytes`, or much larger than its operands (computing an expansion is cheaper than storing it), or it is an
    `nn.dequantize` of several elements.

    Example: test/compiler/graph/fold-constants.mlir.
  }];
  let options = [
    Option<"maxConstantBytes", "max-constant-bytes", "int64_t", /*default=*/"int64_t(1) << 30",
           "The largest constant to make, in bytes; splats count as one element">,
  ];
  let statistics = [
    Statistic<"numFolded", "num-folded", "Number of operators computed">,
  ];
  let dependentDialects = ["::nacre::nn::NnDialect"];
}

def ExpandConvTransposePass : Pass<"nacre-expand-conv-transpose", "::mlir::func::FuncOp"> {
  let summary = "Rewrite transposed convolutions as ordinary ones";
  let description = [{
    A transposed convolution of stride s is s*s ordinary ones of stride 1, each with every s-th tap of the filter. Their
    results are interleaved; kernels write them in place. Elementwise operators after it move before the interleaving, so
    that they fuse with the kernels. With many phases or few channels, one convolution with columns for all phases is used
    instead, and its result is reordered.

    Requires: scales and biases are folded (`nacre-fold-scales`), because one filter becomes several; `nacre-fold-constants`
    runs afterwards and computes them.

    Quantized ones are expanded early, by phases, so that nacre-recognize-quantized finds the convolutions. They have no scales to fold.

    Ensures: there is no `nn.conv_transpose`, or, with `only-quantized`, none of dequantized values.

    Example: test/compiler/graph/expand-conv-transpose.mlir.
  }];
  let options = [Option<"onlyQuantized", "only-quantized", "bool", /*default=*/"false",
                        "Whether only transposed convolutions of dequantized values are rewritten">];
  let dependentDialects = ["::nacre::nn::NnDialect"];
}

def ExpandRecurrencePass : Pass<"nacre-expand-recurrence", "::mlir::func::FuncOp"> {
  let summary = "Rewrite LSTM, GRU and RNN layers as loops over their steps";
  let description = [{
    Values that do not depend on the previous step are computed for all steps at once: the input's product with the biases, and
    the ended rows of the batch. An iteration is a product with the recurrence matrix (two for a GRU that resets the state),
    and the cell. If the input products of all steps would not fit in a cache, each iteration multiplies its own input.

    Requires: layers have steps, rows and units (`nacre-fold-empty`). No later pass needs layers. `nacre-fold-constants` runs
    afterwards and splits matrices and biases.

    Ensures: there is no `nn.recurrent`.

    Example: test/compiler/graph/expand-recurrence.mlir.
  }];
  let dependentDialects = ["::nacre::nn::NnDialect"];
}

def TabulateFunctionsPass : Pass<"nacre-tabulate-functions", "::mlir::func::FuncOp"> {
  let summary = "Replace functions of one 8-bit tensor by tables";
  let description = [{
    A chain of elementwise operators from one tensor of 8 bits to another has 256 values: a logistic function or a GELU between two
    quantizations. CPUs look up 16 to 64 of them in a few instructions, where the arithmetic takes dozens for each vector of floats.
    The values are those of constant folding, on every engine. A chain without an exponential, a division or the like stays: its
    arithmetic is as fast.

    Requires: nothing. Quantizations should already be arithmetic.

    Ensures: no chain of 40 operators or fewer whose operands are one tensor of 8 bits and numbers computes such a function of at
    least 256 elements.

    Example: test/compiler/graph/tabulate-functions.mlir.
  }];
  let statistics = [Statistic<"numTabulated", "num-tabulated", "Number of tables">];
  let dependentDialects = ["::nacre::nn::NnDialect"];
}

def ExpandAttentionPass : Pass<"nacre-expand-attention", "::mlir::func::FuncOp"> {
  let summary = "Spell out attention that no kernel computes";
  let description = [{
    Importers write attention as one `nn.attention`. If no kernel computes it, or the kernel is slow, it becomes products and a softmax
    again: for rows of more than `most-keys` scores, or of more than `most-keys-on-gpu` if a GPU may compute the function, and for f64. With
    `all`, every attention of floats is spelled out, because only the parts have gradients.

    Requires: nothing. Runs before passes that match products or softmax.

    Ensures: attention of floats has operands of at most 32 bits and at most the given number of keys. With `all`, no attention of floats exists.

    Example: test/compiler/graph/expand-attention.mlir.
  }];
  let options = [
    Option<"mostKeys", "most-keys", "int64_t", /*default=*/"4096", "The longest row of scores">,
    Option<"mostKeysOnGpu", "most-keys-on-gpu", "int64_t", /*default=*/"256", "The longest one if a GPU may compute it">,
    Option<"all", "all", "bool", /*default=*/"false", "Whether all attention of floats is spelled out">,
  ];
  let statistics = [Statistic<"numExpanded", "num-expanded", "Number of attentions that were spelled out">];
  let dependentDialects = ["::nacre::nn::NnDialect"];
}

def FuseAttentionPass : Pass<"nacre-fuse-attention", "::mlir::func::FuncOp"> {
  let summary = "Fuse a product, a softmax and the product with its values";
  let description = [{
    The scores of attention are the largest tensors of a transformer, and only the softmax and the second product read them.
    In one kernel, only a few rows of them are alive at a time, and a layer takes one launch instead of three.

    With more keys than `most-keys`, the three operators remain, because separate large products are faster. If a GPU may
    compute the function (no `plan.engine` note of the CPU), the limit is `most-keys-on-gpu`: the shared memory of a
    workgroup holds the scores of sixteen rows of so many keys.

    Products of 8-bit codes are fused earlier (`nacre-recognize-quantized`). A transpose after elementwise operators on their sums, such as their
    quantization, moves before these, because the kernel writes its result in any order.

    Requires: nothing. Factors should already be part of weights if possible (`nacre-fold-scales`).

    Ensures: within that bound, no product's left operand is a softmax along the last axis with no other use whose operand is a product, times a number, plus a mask.

    Example: test/compiler/graph/fuse-attention.mlir.
  }];
  let options = [
    Option<"mostKeys", "most-keys", "int64_t", /*default=*/"4096", "The longest row of scores">,
    Option<"mostKeysOnGpu", "most-keys-on-gpu", "int64_t", /*default=*/"256", "The longest one if a GPU may compute it">,
  ];
  let statistics = [Statistic<"numFused", "num-fused", "Number of products that became attention">];
  let dependentDialects = ["::nacre::nn::NnDialect"];
}

def VerifyGraphPass : Pass<"nacre-verify-graph", "::mlir::func::FuncOp"> {
  let summary = "Check the invariants that later phases rely on";
  let description = [{
    A bug of this phase is reported here, with the name of the pass at fault, and not as a slow or wrong kernel.

    Requires: the graph phase has run.

    Ensures: each function is one block of nn operators (and its return); no operator except constants reads or produces an
    empty tensor; no operator can be computed at compile time; no transpose keeps its elements in place or follows a
    transpose.

    Example: test/compiler/graph/verify-graph-invalid.mlir; refused, with a note that names nacre-fold-constants.
  }];
  let options = [
    Option<"maxConstantBytes", "max-constant-bytes", "int64_t", /*default=*/"int64_t(1) << 30",
           "The largest constant that nacre-fold-constants was allowed to make, in bytes">,
  ];
}

#endif // NACRE_COMPILER_GRAPH_PASSES
