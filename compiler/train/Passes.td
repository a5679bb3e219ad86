// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The passes of the train phase, in the order they run. docs/phases/train.md
//
// Reads:  functions of nn operators from an importer, whose weights are variables.
// Writes: the same functions, with loss, gradients and updates in those that train.

#ifndef NACRE_COMPILER_TRAIN_PASSES
#define NACRE_COMPILER_TRAIN_PASSES

include "mlir/Pass/PassBase.td"

def WriteGradientsPass : Pass<"nacre-write-gradients", "::mlir::func::FuncOp"> {
  let summary = "Expand the gradients that a model itself computes";
  let description = [{
    Each `nn.gradient` is replaced by its region, followed by the backward pass through it (`compiler/train/rules/ReverseWalk.h`).
    Gradients of gradients are expanded from the inside out. The region repeats operators before it; `cse` after this pass
    merges them.

    Requires: recurrent layers are loops (`nacre-expand-recurrence`).

    Ensures: there is no `nn.gradient`.

    Example: test/compiler/train/write-gradients.mlir, of a product.
  }];
  let dependentDialects = ["::nacre::nn::NnDialect"];
}

def NameOwnStepsPass : Pass<"nacre-name-own-steps", "::mlir::ModuleOp"> {
  let summary = "Name a model's own gradients and updates like those of the compiler";
  let description = [{
    Profiles and reports tell forward pass, backward pass and update by the names of nodes (`compiler/report/StepParts.h`). The
    compiler's own steps have names such as `conv1 dX`, `conv1 dW` and `conv1 update`. A model with its own training step has
    nodes for them, whose names follow no rule. This pass appends the ends ` dX`, ` dW` and ` update` to their names.

    A node of `train` that no other function has is not part of the forward pass. If it assigns a variable or does not depend
    on the network, it is an update. If only such updates read it, and one assigns a variable of its type, it is the gradient of
    a weight.

    Requires: operators are located at their nodes; there is no `nn.gradient`.

    Ensures: a node of `train` with none of these ends is also in another function. Without `train`, the pass is a no-op.

    Example: test/compiler/train/name-own-steps.mlir, a product and its momentum.
  }];
  let dependentDialects = ["::nacre::nn::NnDialect"];
}

def SelectTrainablePass : Pass<"nacre-select-trainable", "::mlir::ModuleOp"> {
  let summary = "Convert weights that are not trained to constants";
  let description = [{
    The import makes every weight of a trained model a named variable. A weight becomes a constant if no pattern of `trainable`
    matches its name, or if a pattern of `frozen` does. Constants are folded and packed as in a model for inference, and need
    no backward pass.

    Requires: variables of the role `weight`; a weight has the same name in all functions.

    Ensures: the variables of that role are the trained weights, at least one.

    Example: test/compiler/train/select-trainable.mlir; the second weight is frozen.
  }];
  let options = [
    ListOption<"trainable", "trainable", "std::string", "Name patterns of weights to train, with * and ?">,
    ListOption<"frozen", "frozen", "std::string", "Name patterns of weights to keep constant">,
  ];
  let dependentDialects = ["::nacre::nn::NnDialect"];
}

def TurnVariablesPass : Pass<"nacre-turn-variables", "::mlir::ModuleOp"> {
  let summary = "Store trained weights in the order of axes in which they are read";
  let description = [{
    A constant filter or matrix is transposed once, at compile time. A trained one would be transposed in every run. If all
    readers of a weight transpose it in the same way, it is stored transposed: its argument has the type that is read, its
    initial elements are transposed, and `nn.order` describes this for apps and files, which use the model's layout.
    Gradients and moments get the same layout, so that an update needs no transposes.

    Requires: variables of the role `weight`; a weight has the same name in all functions; none is assigned.

    Ensures: `nn.order` on the arguments of those weights, in all functions.

    Example: test/compiler/train/turn-variables.mlir; the first weight is read transposed, the second in two ways.
  }];
  let dependentDialects = ["::nacre::nn::NnDialect"];
}

def DifferentiatePass : Pass<"nacre-differentiate", "::mlir::ModuleOp"> {
  let summary = "Append the loss, and its gradient for each weight, to a network";
  let description = [{
    Gradients are ordinary values: later passes see one larger network, share common values, and plan its memory. The functions
    `train` and `evaluate` get labels as inputs and the loss as their first output. Besides the tensors of losses, `train`
    returns a result for each weight that the loss depends on, marked `nn.gradient` with its name.

    The reverse walk is in `compiler/train/rules/ReverseWalk.h`; `compiler/train/rules/GradientRules.cpp` has a rule per operator.

    With `scale-loss`, the backward pass begins with the variable `#loss_scale` instead of 1, and each gradient is divided by it
    (`compiler/train/LossScale.h`).

    Requires: recurrent layers are loops (`nacre-expand-recurrence`); the losses' tensors are results of these functions.

    Ensures: `train` has a gradient for at least one weight.

    Example: test/compiler/train/differentiate.mlir, a layer and the mean of its squares.
  }];
  let options = [
    ListOption<"losses", "losses", "std::string", "Losses <kind>:<tensor>, as for --loss; their sum is trained">,
    Option<"scaleLoss", "scale-loss", "bool", /*default=*/"false", "Multiply the loss by a variable before the backward pass">,
  ];
  let dependentDialects = ["::nacre::nn::NnDialect"];
}

def SplitBatchPass : Pass<"nacre-split-batch", "::mlir::ModuleOp"> {
  let summary = "Split the batch of a training step into parts";
  let description = [{
    The values that a step keeps for the backward pass grow with the batch; gradients do not. To save memory, the network
    computes a part of the batch, as the body of a loop over the parts: inputs are scanned, outputs stacked, and gradients and
    the loss summed, and divided by the number of parts after the loop. Later passes see the whole batch.

    The function `evaluate whole` states the size of the batch, and which inputs and outputs have one. Without it, the pass is
    a no-op.

    Requires: `train` and `evaluate` compute a part whose size divides the batch; losses are means over the batch; no result
    updates a variable.

    Ensures: the function `evaluate whole` is removed; the other functions have its inputs and outputs.

    Example: test/compiler/train/split-batch.mlir, a batch of six in parts of two.
  }];
  let dependentDialects = ["::nacre::nn::NnDialect"];
}

def AddUpdatePass : Pass<"nacre-add-update", "::mlir::ModuleOp"> {
  let summary = "Compute new weights and moments from gradients, and keep the requested entries";
  let description = [{
    A step reads weights when it begins and assigns them when it ends, like arguments and results. So an update is a formula,
    and needs no explicit order. Formulas are PyTorch's (`compiler/train/Optimizers.cpp`). The learning rate is an input; an
    optimizer's moments are variables named after their weight.

    The entry `gradients` is a function that returns them as outputs; `accumulate` is one that only adds them up.

    With `scale-loss`, a step with a gradient that is not finite keeps all variables. The scale of the loss shrinks after such a
    step, and grows after 2000 others (`compiler/train/LossScale.h`).

    Requires: a function `train` with results marked `nn.gradient`.

    Ensures: no result has that mark; the functions are those of `entries`, and `accumulate`.

    Example: test/compiler/train/add-update.mlir, by momentum.
  }];
  let options = [
    Option<"optimizer", "optimizer", "std::string", /*default=*/"\"sgd\"", "Optimizer, as for --optimizer">,
    Option<"clip", "clip", "std::string", /*default=*/"", "Gradient clipping, as for --clip; empty: no clipping">,
    Option<"accumulate", "accumulate", "bool", /*default=*/"false", "Add an entry that adds gradients up">,
    Option<"scaleLoss", "scale-loss", "bool", /*default=*/"false", "Skip steps whose gradients overflow, and adapt the loss scale">,
    ListOption<"entries", "entries", "std::string", "Functions to keep">,
  ];
  let dependentDialects = ["::nacre::nn::NnDialect"];
}

#endif // NACRE_COMPILER_TRAIN_PASSES
