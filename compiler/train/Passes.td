// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The passes of the train phase, in the order they run. docs/phases/train.md
//
// Reads:  functions of nn operators as an importer wrote them, whose weights are variables.
// Writes: the same, with loss, gradients and updates where they train.

#ifndef NACRE_COMPILER_TRAIN_PASSES
#define NACRE_COMPILER_TRAIN_PASSES

include "mlir/Pass/PassBase.td"

def WriteGradientsPass : Pass<"nacre-write-gradients", "::mlir::func::FuncOp"> {
  let summary = "Write the gradients that a model itself asks for";
  let description = [{
    What `nn.gradient` computes stands in its place: its region, then the way back through it (`compiler/train/ReverseWalk.h`). Gradients
    of gradients are written from the inside out. The region is what stands before it once more; what both have in common is
    shared behind this pass.

    Requires: recurrent layers are loops (`nacre-expand-recurrence`).

    Ensures: there is no `nn.gradient`.

    Example: test/compiler/train/write-gradients.mlir, of a product.
  }];
  let dependentDialects = ["::nacre::nn::NnDialect"];
}

def SelectTrainablePass : Pass<"nacre-select-trainable", "::mlir::ModuleOp"> {
  let summary = "Make constants again of the weights that are not trained";
  let description = [{
    The import leaves every weight of a model that is trained as a variable, under its name. Those that no pattern of
    `trainable` matches, or one of `frozen` does, become constants: they are folded and packed as in a model that is not
    trained, and nothing goes back through what they alone are computed of.

    Requires: variables of the role `weight`, one name for one weight in all functions.

    Ensures: the variables of that role are those that are trained, one at least.

    Example: test/compiler/train/select-trainable.mlir; the second weight is frozen.
  }];
  let options = [
    ListOption<"trainable", "trainable", "std::string", "Patterns with * and ? of names of weights">,
    ListOption<"frozen", "frozen", "std::string", "The same, of weights that stay as they are">,
  ];
  let dependentDialects = ["::nacre::nn::NnDialect"];
}

def TurnVariablesPass : Pass<"nacre-turn-variables", "::mlir::ModuleOp"> {
  let summary = "Hold weights that are trained in the order of axes in which they are read";
  let description = [{
    A filter or a matrix that is constant is transposed once, when the model is compiled. One that is trained would be in every run.
    So where all that read a weight transpose it alike, it is held transposed: its argument has the type that is read, its initial
    elements are transposed, and `nn.order` says so to those who see it in the model's layout (apps, files). Gradients and
    moments come to lie as the weight does, and an update moves nothing.

    Requires: variables of the role `weight`, one name for one weight in all functions; none is assigned.

    Ensures: `nn.order` on the arguments of those weights, in all functions.

    Example: test/compiler/train/turn-variables.mlir; the first weight is read transposed, the second in two ways.
  }];
  let dependentDialects = ["::nacre::nn::NnDialect"];
}

def DifferentiatePass : Pass<"nacre-differentiate", "::mlir::ModuleOp"> {
  let summary = "Write the loss, and its gradient for each weight, behind a network";
  let description = [{
    Gradients are values like any other: what follows sees one more network, shares what both ways need, and plans its memory.
    The functions `train` and `evaluate` get labels as inputs and the loss as their first output; `train` gives, beside the
    tensors that losses are of, a result for each weight that the loss depends on, marked `nn.gradient` with its name.

    The reverse walk is `compiler/train/ReverseWalk.h`, each operator's rule a row of `compiler/train/GradientRules.cpp`.

    Requires: recurrent layers are loops (`nacre-expand-recurrence`); the losses' tensors are results of these functions.

    Ensures: `train` has a gradient for one weight at least.

    Example: test/compiler/train/differentiate.mlir, a layer and the mean of its squares.
  }];
  let options = [
    ListOption<"losses", "losses", "std::string", "<kind>:<tensor>, as --loss has them; they are added up">,
  ];
  let dependentDialects = ["::nacre::nn::NnDialect"];
}

def SplitBatchPass : Pass<"nacre-split-batch", "::mlir::ModuleOp"> {
  let summary = "Let a step take its batch part by part";
  let description = [{
    What a step keeps of its layers until it comes back to them grows with the batch; gradients do not. So where memory is short
    the network is one of a part of the batch, and becomes the body of a loop over the parts: inputs are scanned, outputs stacked,
    gradients and the loss added up, and divided by the number of parts behind the loop. What follows sees the whole batch's.

    The function `evaluate whole` says which inputs and outputs have a batch and how large it is. Without it there is nothing to do.

    Requires: `train` and `evaluate` are of a part that divides the batch; losses are means over the batch; no result is a variable's.

    Ensures: no function `evaluate whole`; the inputs and outputs of the others are those that it had.

    Example: test/compiler/train/split-batch.mlir, a batch of six in parts of two.
  }];
  let dependentDialects = ["::nacre::nn::NnDialect"];
}

def AddUpdatePass : Pass<"nacre-add-update", "::mlir::ModuleOp"> {
  let summary = "Make of gradients what weights and moments become, and leave the entries that are asked for";
  let description = [{
    A step reads weights as they were and assigns them when it ends: that is what arguments and results are, so an update is a
    formula, and in which order things happen nobody has to say. Formulas are PyTorch's (`compiler/train/Optimizers.cpp`); the learning
    rate is an input, what an optimizer keeps are variables named after their weight.

    With the entry `gradients` there is a function that gives them as outputs, with `accumulate` one that only adds them up.

    Requires: a function `train` with results marked `nn.gradient`.

    Ensures: no result is marked so; functions are those of `entries`, and `accumulate`.

    Example: test/compiler/train/add-update.mlir, by momentum.
  }];
  let options = [
    Option<"optimizer", "optimizer", "std::string", /*default=*/"\"sgd\"", "As --optimizer has it">,
    Option<"clip", "clip", "std::string", /*default=*/"", "As --clip has it; empty: gradients are taken as they are">,
    Option<"accumulate", "accumulate", "bool", /*default=*/"false", "An entry that adds gradients up">,
    ListOption<"entries", "entries", "std::string", "The functions to leave">,
  ];
  let dependentDialects = ["::nacre::nn::NnDialect"];
}

#endif // NACRE_COMPILER_TRAIN_PASSES
