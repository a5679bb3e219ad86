// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The passes of the kernels phase, in the order they run. docs/phases/kernels.md
//
// Reads:  functions of `nn` operators.
// Writes: `plan` with kernels, storages and launches.

#ifndef NACRE_COMPILER_KERNELS_PASSES
#define NACRE_COMPILER_KERNELS_PASSES

include "dialects/plan/EnginePass.td"
include "dialects/plan/PassOptions.td"

def ExposeMovementPass : Pass<"nacre-expose-movement", "::mlir::func::FuncOp"> {
  let summary = "Give padding, cropping and moved unit axes operators that can become views";
  let description = [{
    A separate pad can become the halo of its operand's storage, and slices and reshapes can become views. Inside a
    convolution, or as a transpose, they cannot.

    Requires: `nn` operators of static shape.

    Ensures: no `nn.conv` has pads; no constant `nn.pad` crops or does nothing; no `nn.transpose` keeps the order of its axes
    longer than one.

    Example: test/compiler/kernels/expose-movement.mlir.
  }];
  let dependentDialects = ["::nacre::nn::NnDialect"];
}

def PackPortsPass : Pass<"nacre-pack-ports", "::mlir::func::FuncOp"> {
  let summary = "Let inputs and outputs of 4-bit and 2-bit elements be the bytes that an app holds";
  let description = [{
    Models' formats, and so apps, put several such elements into a byte; kernels give each a byte. A bitcast at either end is the
    whole difference.

    Requires: `nn` operators; every argument and result is a tensor of static shape.

    Ensures: no argument and no result has elements of less than a byte, except booleans; `nn.type` has the model's type.

    Example: test/compiler/kernels/pack-ports.mlir; an input of five `i4` becomes three bytes.
  }];
  let dependentDialects = ["::nacre::nn::NnDialect"];
}

def PrepareLoopsPass : Pass<"nacre-prepare-loops", "::mlir::func::FuncOp"> {
  let summary = "Give what loops count, and the numbers they begin with, operators of their own";
  let description = [{
    An iteration's number is data like any other where somebody reads it: a row of a table, or carried and counted up. A state
    that begins as one number repeated is filled, not kept in the model.

    Requires: `nn` operators of static shape.

    Ensures: no region reads its counter, no trips of a loop are read, no loop has a bound of zero; nothing that a loop begins with or a region yields is a constant of one number repeated.

    Example: test/compiler/kernels/prepare-loops.mlir; a loop that reads its iteration's number scans a table.
  }];
  let dependentDialects = ["::nacre::nn::NnDialect"];
}

def AssignEnginePass : Pass<"nacre-assign-engine", "::mlir::ModuleOp"> {
  let summary = "Note that one engine computes everything, if that is decided before kernels are formed";
  let description = [{
    Some forms of kernels have code for the CPU only, others for the GPU only. They are formed where `plan.engine`
    (dialects/plan/Notes.h) says who computes an operator. Without it a kernel has a form that both engines have code for.

    Requires: nothing.

    Ensures: the module has `plan.engine`, or not with `engine=any`.

    Example: test/compiler/kernels/assign-engine.mlir.
  }];
  let options = [WordOption<"engine", "engine", "::nacre::plan::Engine", "Cpu", "cpu, gpu or any", [["Cpu", "cpu"], ["Gpu", "gpu"], ["Any", "any"]]>];
}

def ExpandLossPass : EnginePass<"nacre-expand-loss", "::mlir::func::FuncOp", ["Gpu"]> {
  let summary = "Write the softmax of a loss as reductions and elementwise operators";
  let description = [{
    A loss and its gradient read the logarithm of a softmax, and both are elementwise, with sums of rows. A kernel of the GPU can compute both for
    the rows that it has, but not if a softmax is an operator with a kernel of its own. For a hundred rows of ten classes, launches take much longer than
    their work, and all of the backward pass waits for them.

    Requires: `nn` operators of static shape.

    Ensures: no logarithm of a softmax along the last axis, in f32, is read by several operators, all of them elementwise. Operators with one number as their result
    stand right before their first reader.

    Example: test/compiler/kernels/expand-loss.mlir; the terms of the loss and the gradient of the logits are results of one kernel.
  }];
  let dependentDialects = ["::nacre::nn::NnDialect"];
}

def SumEarlyPass : EnginePass<"nacre-sum-early", "::mlir::func::FuncOp", ["Gpu"]> {
  let summary = "Add up the gradient of a pool's result instead of that of its input";
  let description = [{
    The gradient of a bias before a max pool is the sum of the gradient of the pool's input. That has a zero wherever no maximum is,
    and so some four times the elements of the gradient of the pool's result. Each of those whose code names a cell has one place in it, so
    their sum has the same terms in another order.

    Requires: `nn` operators of static shape.

    Ensures: no `nn.reduce` sums all but the channels of an `nn.unpool`, reshaped and padded with zeros.

    Example: test/compiler/kernels/sum-early.mlir; the sum reads the windows and their codes.
  }];
  let dependentDialects = ["::nacre::nn::NnDialect"];
}

def BatchPositionsPass : EnginePass<"nacre-batch-positions", "::mlir::func::FuncOp", ["Gpu"]> {
  let summary = "Multiply flattened images by a matrix position by position";
  let description = [{
    A model whose images have their channels first flattens them channel by channel. Kernels have the channels of a pixel side by side, so a
    launch would reorder the images before a dense layer, and the gradient after it. The rows of the matrix that belong to one position are
    a batch, whose left operand is a slice of the images as they are.

    Requires: `nn` operators of static shape. Only products by matrices that are no constants are changed.

    Ensures: no product with a sum long enough for parts (SumParts.h), or whose result becomes images, reads or writes flattened images through a
    transpose that moves data, unless there are more positions than twice the parts.

    Example: test/compiler/kernels/batch-positions.mlir; four positions are four parts of the sum.
  }];
  let dependentDialects = ["::nacre::nn::NnDialect"];
}

def SplitSumsPass : EnginePass<"nacre-split-sums", "::mlir::func::FuncOp", ["Gpu", "Any"]> {
  let summary = "Add up long sums with few results in two steps, parts first";
  let description = [{
    A GPU computes the gradient of a filter, or of a bias, by few workgroups, because it has few elements, but each of these is a sum over all
    positions of all images. As sums of equal parts of the images and rows it has enough workgroups. A second kernel adds
    the parts, in their order, and continues with the update of the weight. The number of parts depends on shapes only (SumParts.h), never on a
    device or a cut, so that the bits do not either. A dense layer of a few hundred rows and columns, and the gradient of a recurrence's weight,
    are alike: their depth is divided, and the bias and activation follow the second kernel's sum.

    Requires: `nn` operators of static shape. The CPU's units divide no sum, so its sums stay as they are.

    Ensures: `nn.filter_gradient`, sums over the images and positions, and products of matrices
    without constants have `SumParts` parts, followed by a sum over these.

    Example: test/compiler/kernels/split-sums.mlir.
  }];
  let dependentDialects = ["::nacre::nn::NnDialect"];
  let statistics = [Statistic<"numSplit", "num-split", "Number of sums divided">];
}

def PartProductsPass : EnginePass<"nacre-part-products", "::mlir::func::FuncOp", ["Cpu"]> {
  let summary = "Let what follows a product whose columns are read in equal parts work on the parts";
  let description = [{
    The gates of a recurrent cell are columns of one product, and meet unit by unit. A kernel of the CPU that has the same units
    of all gates in registers computes the new state at once; but a bias or the input's product stands between, as wide as all
    gates together.

    Requires: `nn` operators of static shape.

    Ensures: if all readers of a product, after a chain of elementwise operators, are slices of two to four equal parts, whose
    readers are elementwise, those slices are the product's.

    Example: test/compiler/kernels/part-products.mlir.
  }];
  let dependentDialects = ["::nacre::nn::NnDialect"];
}

def PartHeadsPass : EnginePass<"nacre-part-heads", "::mlir::func::FuncOp", ["Cpu"]> {
  let summary = "Let queries, keys and values that are one product be tensors of their own";
  let description = [{
    As slices of one tensor they all live until the last of them is read. As results of one kernel, parts of its columns, each has a
    storage: attention's result may lie where the queries did, and keys and values are gone when attention is done.

    Requires: `nn` operators of static shape.

    Ensures: no product of f32 by a constant, with a bias, is read through a reshape to heads by slices of two to four equal parts of
    only the heads; those slices are of the product's columns, before the bias.

    Example: test/compiler/kernels/part-heads.mlir.
  }];
  let dependentDialects = ["::nacre::nn::NnDialect"];
}

def BlockRowsPass : EnginePass<"nacre-block-rows", "::mlir::func::FuncOp", ["Cpu"]> {
  let summary = "Compute kernels with wide tensors between them by blocks of rows";
  let description = [{
    The feed-forward block of a transformer is four times as wide inside as outside. The intermediate values of a block of
    rows die with it, and the next block uses the same memory. Each block reads the matrices again, so blocks are
    few. They are of equal size, since they share their kernels.

    The pass divides sequences of the fusion policy's groups: products by constants, normalizations of rows, lookups and elementwise
    operators. In a quantized network, floats between bytes take four times the memory of the bytes.

    Requires: `nn` operators of static shape; all passes that decide which operators share a kernel. A GPU wants one large launch,
    so its operators stay as they are.

    Ensures: if only the next group reads the result of each group, and tensors grow from the first group on and then shrink, the
    intermediate values take no more bytes than the operand and the result (or half of them, if matrices are bytes). That is, unless
    no equal blocks of 48 rows (or 32) or more are small enough.

    Example: test/compiler/kernels/block-rows.mlir; the rows of a feed-forward block in two halves.
  }];
  let dependentDialects = ["::nacre::nn::NnDialect"];
  let statistics = [Statistic<"numChains", "num-chains", "Number of sequences of kernels divided">];
}

def MarkLoopsPass : EnginePass<"nacre-mark-loops", "::mlir::func::FuncOp", ["Gpu"]> {
  let summary = "Choose the loops whose iterations one kernel computes";
  let description = [{
    A step of a small recurrence takes a GPU less time than a launch. If the rows of a batch do not depend on each other, a
    workgroup can compute all steps of some rows. A number that repeats as a loop's initial value is then part of the
    kernel, so no launch fills memory with it.

    Requires: nacre-prepare-loops.

    Ensures: `plan.one_kernel` is on each `nn.for` for which `compiler/kernels/iterations/IterationPlan.h` has a plan. No such loop
    begins with a broadcast of one number.

    Example: test/compiler/kernels/mark-loops.mlir; a recurrence over four steps.
  }];
  let dependentDialects = ["::nacre::nn::NnDialect"];
}

def FormKernelsPass : Pass<"nacre-form-kernels", "::mlir::ModuleOp"> {
  let summary = "Group operators into kernels of linalg, and launch them on tensors";
  let description = [{
    Fusion saves passes over memory, so it is decided before values have addresses. The policy is in
    FusionPolicy.h, the forms of the bodies are in docs/phases/kernels.md.

    If `plan.engine` gives an operator to one engine, the kernel may have a form that only this engine has code for: on the CPU
    products whose results are read in parts or update weights, on the GPU separable convolutions and products that make their left
    operand. Operators of different engines share no kernel.

    Requires: nacre-expose-movement, nacre-pack-ports, nacre-prepare-loops; arguments and results of every function carry `nn.name`.

    Ensures: no function is left. Each `plan.entry` holds inputs, launches on tensors, loops and conditionals, outputs, and of
    `nn` only reshapes, slices of step one, concatenations and constant pads. Only values that cross the borders of regions have memory.

    Example: test/compiler/kernels/form-kernels.mlir; an elementwise operator runs where the product is still in
    registers.
  }];
  let dependentDialects = ["::nacre::nn::NnDialect", "::nacre::plan::PlanDialect"];
}

def AssignStoragesPass : Pass<"nacre-assign-storages", "::mlir::ModuleOp"> {
  let summary = "Give every tensor a storage and a place in it, and launch kernels on storages";
  let description = [{
    Concatenations, slices, reshapes and pads cost nothing where the producer can write what the consumer wants to read: into
    a part of a larger storage, or with a halo around it. Where that is impossible a copy is launched. On the CPU attention may write
    over its queries and an update over its state, and products begin at any row.

    Requires: nacre-form-kernels.

    Ensures: launches work on `memref`s, kernels take whole storages as docs/phases/kernels.md says; no `nn` operator is left.

    Example: test/compiler/kernels/assign-storages.mlir; a padded convolution's input gets a halo, which the kernel that
    produces it fills.
  }];
  let statistics = [Statistic<"numCopies", "num-copies", "Number of copies launched">];
}

def ShareWeightsPass : Pass<"nacre-share-weights", "::mlir::ModuleOp"> {
  let summary = "Let entries share equal weights of the same nodes";
  let description = [{
    Entries are folded separately, so a constant that folding made is another one in each entry. As one weight it gets one encoding, and is
    stored once.

    Requires: weights have no encoding yet.

    Ensures: if there are several entries, no two weights with the same location have the same data.

    Example: test/compiler/kernels/share-weights.mlir.
  }];
  let statistics = [Statistic<"numShared", "num-shared", "Number of weights that were copies of others">];
}

def ShareNumbersPass : EnginePass<"nacre-share-numbers", "::mlir::ModuleOp", ["Cpu"]> {
  let summary = "Let kernels of quantized layers read the scales and zero points in which they differ";
  let description = [{
    Blocks of a quantized network are equal except for their numbers. As operands of a launch, in a weight, the numbers leave kernels that
    `nacre-merge-kernels` finds equal. Only products, attention and rows with 8-bit operands: other emitters, and those of
    GPUs, choose instructions by the numbers. So kernels that a GPU may launch stay as they are. Zero points of plan.round are i16 operands.

    Requires: kernels take whole storages (nacre-assign-storages).

    Ensures: no two of these kernels differ only in f32 factors, divisors and addends (in attention also those of sums of i32).

    Example: test/compiler/kernels/share-numbers.mlir.
  }];
  let statistics = [Statistic<"numShared", "num-shared", "Number of kernels that read numbers">];
  let dependentDialects = ["::nacre::plan::PlanDialect"];
}

def MergeKernelsPass : Pass<"nacre-merge-kernels", "::mlir::ModuleOp"> {
  let summary = "Let launches of equal kernels share one";
  let description = [{
    Networks repeat their blocks; code is generated and shipped for each kernel that is left.

    Requires: kernels take whole storages (nacre-assign-storages), so that equal text means equal work.

    Ensures: no two kernels differ in their name and locations only; every launch names the first of its equals.

    Example: test/compiler/kernels/merge-kernels.mlir.
  }];
  let statistics = [Statistic<"numMerged", "num-merged", "Number of kernels that were copies of others">];
}

def VerifyKernelsPass : Pass<"nacre-verify-kernels", "::mlir::ModuleOp"> {
  let summary = "Check what the kernels phase promises to place, schedule and codegen";
  let description = [{
    Requires: nothing.

    Ensures: the module holds only weights, kernels and entries; every kernel has the form of its kind, and every launch works on
    storages that match its kernel's arguments.

    Example: test/compiler/kernels/verify-kernels-invalid.mlir; refused, with a note that names nacre-assign-storages.
  }];
}

#endif // NACRE_COMPILER_KERNELS_PASSES
