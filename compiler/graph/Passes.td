// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The passes of the graph phase, in the order they first run, those over branches and loops apart. docs/phases/graph.md
//
// Reads:  functions of nn operators as an importer wrote them.
// Writes: the same networks with fewer, larger operators, channels last, and constants settled.

#ifndef NACRE_COMPILER_GRAPH_PASSES
#define NACRE_COMPILER_GRAPH_PASSES

include "compiler/graph/control/Passes.td"
include "mlir/Pass/PassBase.td"

def FoldEmptyPass : Pass<"nacre-fold-empty", "::mlir::func::FuncOp"> {
  let summary = "Make constants of tensors without elements, and of what is computed of such tensors alone";
  let description = [{
    A batch of nothing, a list that found nothing, a layer without inputs are legal in a model. Loops that never turn, sums
    of nothing, averages of nothing would else be a case of their own in every later pass and in every emitter.

    A product of nothing is zero, a reduction what it starts from (a mean NaN, or 0 for integers), a border all that is
    left of a pad; a recurrent layer without steps ends in the state that it began with. A convolution of an image without
    rows reads its padding.

    Requires: nothing.

    Ensures: no operator reads a tensor without elements, or makes one, but constants that are results of the function.

    Example: test/compiler/graph/fold-empty.mlir.
  }];
  let dependentDialects = ["::nacre::nn::NnDialect"];
}

def SimplifyGraphPass : Pass<"nacre-simplify-graph", "::mlir::func::FuncOp"> {
  let summary = "Replace operators by simpler ones of the same value, and drop those that nothing uses";
  let description = [{
    Exporters spell one thing in many ways. Each pattern here turns a spelling into the one that later passes look for: a
    gather of one index is a slice, a transpose that moves only axes of extent one is a reshape, a pooling of everything is
    a reduction, zeros (of integers, any number) around a convolution's input are its pads, an expanded operand of an
    elementwise operator needs no expansion, a sum of slices that stand beside one another between zeros, what gradients of
    slices are, is their concat. Folders of the dialect run along.

    Requires: nothing.

    Ensures: no pattern of this pass applies any more.

    Example: test/compiler/graph/simplify-graph.mlir; a gather of one index with a constant tells where the slice is.
  }];
  let dependentDialects = ["::nacre::nn::NnDialect"];
}

def RecognizeCompositesPass : Pass<"nacre-recognize-composites", "::mlir::func::FuncOp"> {
  let summary = "Turn the long spelling of layer normalization, GELU, softmax and dilated convolutions into the one operator each is";
  let description = [{
    Exporters of older opsets write these functions as five to nine elementwise operators and reductions. As one operator
    each is one sweep over a row, or one scalar function that fuses into the contraction before it. TensorFlow 1 writes a
    convolution with dilation b as an ordinary one between SpaceToBatchND and BatchToSpaceND, which move every element
    twice; pads before it and crops behind it become the convolution's pads.

    Requires: equal subexpressions are one value (`cse`).

    Ensures: no layer normalization (by mean of squared differences), exact GELU or softmax is left in pieces, no
    convolution of stride 1 between blocks that come to the batch and go back.

    Example: test/compiler/graph/recognize-composites.mlir.
  }];
  let dependentDialects = ["::nacre::nn::NnDialect"];
}

def PropagateLayoutsPass : Pass<"nacre-propagate-layouts", "::mlir::func::FuncOp"> {
  let summary = "Cancel transposes by storing what lies between them in another order of axes";
  let description = [{
    Convolutions have channels last; a network written channels first reaches this pass with a transpose on each side of
    every convolution. Operators that do not care about the order of axes (elementwise ones, concat, pad, slice, reductions,
    softmax, most reshapes) can compute on transposed values. A whole region of them changes its order where this makes
    the transposes at its border move fewer bytes.

    A transpose is free where it moves axes of extent one, before a product, whose kernels read with any strides, and
    before a flattening that meets constant weights (`nacre-permute-weights` finishes that).

    Requires: each function has one block.

    Ensures: no region's transposes can be made cheaper by storing the whole region in the order that one of them asks for;
    the answer is the same function.

    Example: test/compiler/graph/propagate-layouts.mlir.
  }];
  let statistics = [
    Statistic<"numRegions", "num-regions", "Number of regions stored in another order">,
    Statistic<"numBytesSaved", "bytes-saved", "Bytes that transposes no longer move in a run">,
  ];
  let dependentDialects = ["::nacre::nn::NnDialect"];
}

def NarrowFloatsPass : Pass<"nacre-narrow-floats", "::mlir::func::FuncOp"> {
  let summary = "Compute in f16 between inputs and outputs of f32";
  let description = [{
    Most phones' GPUs read halves in half the time, and weights of halves take half the room. Every value of f32 becomes one
    of f16; kernels compute in f32 what they read, and round what they write. Inputs and outputs keep their types, and so do
    recurrent layers, whose state adds up over all steps, and what is computed of integers and constants alone: positions,
    indices and masks have more digits than halves, or would be infinite. So do the positions that an image is sampled at, and
    the elementwise operators that make them, and what scales sums of products of integers. Constants beyond the largest half
    become that, infinite ones stay so; and so do numbers made of integers, where they meet halves.

    Requires: nothing.

    Ensures: f32 is left in arguments and their transposes, results, recurrent layers, positions, what is computed of integers, constants and the
    casts beside them only.

    Example: test/compiler/graph/narrow-floats.mlir.
  }];
}

def PermuteWeightsPass : Pass<"nacre-permute-weights", "::mlir::func::FuncOp"> {
  let summary = "Reorder the rows of constant weights instead of transposing what is multiplied by them";
  let description = [{
    A channels-first network flattens its last feature map channel by channel before a fully connected layer, so the
    channels-last map must be transposed first. The transpose only reorders the axis that the product sums over: reordering
    the weights' rows once, when the model is compiled, is the same.

    Requires: transposes stand directly before the flattening reshape (`nacre-propagate-layouts` prefers that).

    Ensures: no transpose whose only use is a reshape into the summed axis of products with constant weights is left.

    Example: test/compiler/graph/permute-weights.mlir.
  }];
  let dependentDialects = ["::nacre::nn::NnDialect"];
}

def FoldScalesPass : Pass<"nacre-fold-scales", "::mlir::func::FuncOp"> {
  let summary = "Move factors of a contraction's output channels into its constant weights";
  let description = [{
    Batch normalization behind a convolution is a factor and an addend for each output channel. The factor can be part of
    the weights; what is left is one bias, which the convolution's kernel adds for free.

    Requires: channels are last (`nacre-propagate-layouts`).

    Ensures: a convolution or product with constant weights and one use is followed by at most one addition of a constant
    for each channel, and by no constant factor.

    Example: test/compiler/graph/fold-scales.mlir.
  }];
  let dependentDialects = ["::nacre::nn::NnDialect"];
}

def JoinProductsPass : Pass<"nacre-join-products", "::mlir::func::FuncOp"> {
  let summary = "Make one product of several of the same value, whose columns are heads of attention";
  let description = [{
    Queries, keys and values are three products of the same rows. One product with all their columns is one launch in place of
    three, and large enough to fill a GPU; each of the three is a view of it, a slice of its heads.

    Requires: a bias is one constant for each column (`nacre-fold-scales`).

    Ensures: no two products of one value by constant matrices are split into heads of one size, but those that something else
    reads as a whole, and those whose matrices would be too large a constant.

    Example: test/compiler/graph/join-products.mlir.
  }];
  let options = [
    Option<"maxConstantBytes", "max-constant-bytes", "int64_t", /*default=*/"int64_t(1) << 30",
           "The largest constant to make, in bytes; splats count as one element">,
  ];
  let statistics = [Statistic<"numJoined", "num-joined", "Number of products that became parts of larger ones">];
  let dependentDialects = ["::nacre::nn::NnDialect"];
}

def SliceEarlyPass : Pass<"nacre-slice-early", "::mlir::func::FuncOp"> {
  let summary = "Compute no rows that nobody reads";
  let description = [{
    A classifier reads the first token of all that a transformer computes. Its last layer needs keys and values of all tokens, but
    scores, the products behind attention, the sums and normalizations of that token alone: of four layers of BERT, a sixth of the
    work.

    Requires: layers are settled (`nacre-recognize-composites`, `nacre-propagate-layouts`), and attention is in pieces.

    Ensures: no slice of half the elements or fewer, of step one, is of a result that nothing else reads and whose operator, with those
    above it of which the same is true, multiplies or normalizes rows one by one.

    Example: test/compiler/graph/slice-early.mlir; one row of a product.
  }];
  let statistics = [Statistic<"numSliced", "num-sliced", "Number of slices that moved up">];
  let dependentDialects = ["::nacre::nn::NnDialect"];
}

def FoldConstantsPass : Pass<"nacre-fold-constants", "::mlir::ModuleOp"> {
  let summary = "Compute what depends on constants alone, however large";
  let description = [{
    The folders of the dialect stop at small constants, because they run often. This pass runs a few times and computes
    weights too: transposed, scaled, joined. Bytes that nothing uses any more are given back at once, so that at most
    one copy of a weight beside the model's own is alive.

    Requires: operators precede their users, as in any block.

    Ensures: no operator that `nn::evaluate` knows has constant operands only, unless its result would be larger than
    `max-constant-bytes`, or much larger than its operands (an expansion is cheaper to do than to store).

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
  let summary = "Write transposed convolutions as ordinary ones";
  let description = [{
    A transposed convolution of stride s is s*s ordinary ones of stride 1, each with every s-th tap of the filter, whose
    results are interleaved; kernels write them where they belong. Elementwise operators behind it move in front of the
    interleaving, so that they join the kernels. Of many phases, or few channels, one convolution with columns for all phases is
    made instead, and its result put in order.

    Requires: scales and biases are folded (`nacre-fold-scales`), since one filter becomes several; `nacre-fold-constants` runs
    afterwards and computes those.

    Ensures: there is no `nn.conv_transpose`.

    Example: test/compiler/graph/expand-conv-transpose.mlir.
  }];
  let dependentDialects = ["::nacre::nn::NnDialect"];
}

def ExpandRecurrencePass : Pass<"nacre-expand-recurrence", "::mlir::func::FuncOp"> {
  let summary = "Write LSTM, GRU and RNN layers as loops over their steps";
  let description = [{
    What does not depend on the step before is computed for all steps at once: the input's product with the biases, and which
    rows of the batch have ended. A turn is a product with the recurrence matrix, two for a GRU that resets the state, and the
    cell. Where all steps' products of the input would be more than a cache holds, a turn multiplies its own input.

    Requires: layers have steps, rows and units (`nacre-fold-empty`); no pass behind this one wants to see layers, but
    `nacre-fold-constants` runs, which takes matrices and biases apart.

    Ensures: there is no `nn.recurrent`.

    Example: test/compiler/graph/expand-recurrence.mlir.
  }];
  let dependentDialects = ["::nacre::nn::NnDialect"];
}

def FuseAttentionPass : Pass<"nacre-fuse-attention", "::mlir::func::FuncOp"> {
  let summary = "Make one operator of a product, a softmax and the product with its values";
  let description = [{
    The scores of attention are the largest tensors of a transformer, and nothing but the softmax and the second product reads them.
    As one kernel a few rows of them are alive at a time, where they are computed, and a layer takes one launch for three.

    More keys than `most-keys` stay three operators: a workgroup of a GPU holds few rows of so many, and large products of their own
    are faster then.

    Requires: nothing; but factors that can be part of weights should be (`nacre-fold-scales`).

    Ensures: no product has on its left, within that bound, a softmax along the last axis that nothing else reads, of scores that are a
    product, times a number, plus a mask.

    Example: test/compiler/graph/fuse-attention.mlir.
  }];
  let options = [Option<"mostKeys", "most-keys", "int64_t", /*default=*/"4096", "The longest row of scores">];
  let statistics = [Statistic<"numFused", "num-fused", "Number of products that became attention">];
  let dependentDialects = ["::nacre::nn::NnDialect"];
}

def VerifyGraphPass : Pass<"nacre-verify-graph", "::mlir::func::FuncOp"> {
  let summary = "Check what later phases rely on";
  let description = [{
    A defect of this phase must surface here, under the name of the pass that made it, not as a slow or wrong kernel.

    Requires: the graph phase has run.

    Ensures: each function is one block of nn operators (and its return); no operator but constants reads or makes a
    tensor without elements; no operator is computable when compiling; no transpose leaves its elements in place or
    follows a transpose.

    Example: test/compiler/graph/verify-graph-invalid.mlir; refused, with a note that names nacre-fold-constants.
  }];
  let options = [
    Option<"maxConstantBytes", "max-constant-bytes", "int64_t", /*default=*/"int64_t(1) << 30",
           "The largest constant that nacre-fold-constants was allowed to make, in bytes">,
  ];
}

#endif // NACRE_COMPILER_GRAPH_PASSES
