// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The passes of the encode phase, in the order they run. docs/phases/encode.md
//
// Reads:  plan entries on storages, kernels.
// Writes: the same with an encoding on every weight and on every input of a kernel that is one, in the type that it is stored as.

#ifndef NACRE_COMPILER_ENCODE_PASSES
#define NACRE_COMPILER_ENCODE_PASSES

include "mlir/Pass/PassBase.td"

def NarrowWeightsPass : Pass<"nacre-narrow-weights", "::mlir::ModuleOp"> {
  let summary = "Store the weights of launches that wait for them as f16 or bf16";
  let description = [{
    A launch whose weight takes longer to come than to be multiplied by is as fast as memory. Its weight is rounded to the narrow
    type, and the kernel widens what it reads: accumulators, inputs and results stay f32. A roofline of the target's tables decides
    (codegen/cpu/contraction/TileTables.h), which counts the widening; tables that rows are gathered from are always worth it.

    Requires: kernels over whole storages, launches on storages; no encoding on any weight yet.

    Ensures: a narrow weight is one for all that read it, and has `plan.rounding`, what that cost. A weight stays f32 where a launch does not
    gain, where a state begins with it, where a number would become infinite, and where so many are too small for the type that
    digits are lost; of the last two the user is warned.

    Example: test/compiler/encode/narrow-weights.mlir; a row by a matrix reads the matrix as f16.
  }];
  let options = [
    Option<"type", "weight-type", "std::string", /*default=*/"\"fp16\"", "What weights are stored as: fp16 or bf16">,
    Option<"target", "target", "std::string", /*default=*/"\"host\"",
           "Operating system: host, linux-x86_64, linux-arm64, android-arm64 or android-x86_64">,
    Option<"cpu", "cpu", "std::string", /*default=*/"\"\"",
           "LLVM's names of the CPUs, separated by commas; empty for the target's default">,
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def PackOperandsPass : Pass<"nacre-pack-operands", "::mlir::ModuleOp"> {
  let summary = "Put right operands that are no weights into panels by launches of their own";
  let description = [{
    A contraction reads a weight in panels; another right operand each unit of it would pack for itself, and take all rows to do it
    seldom. Where that costs more, as compiler/encode/PackTrade.h counts, or where the convolution gains by Winograd, which reads
    panels alone, a launch before it packs the operand into a temporary, and the contraction's kernel reads that. What other
    launches only move for this reader the packing does itself: transposes, parts, taps in reverse. The launch stands before the
    loops that do not change what it reads, and packs once for all contractions that read the same.

    Requires: kernels over whole storages, launches on storages, all computed by the CPU; no encodings of what is packed yet.

    Ensures: `encodings` of a kernel that packs has that of what it writes, of its contractions that of the input. Launches whose
    results nobody reads are gone, and so are kernels that nobody launches.

    Example: test/compiler/encode/pack-operands.mlir; a product of two inputs becomes a launch that packs and one that multiplies.
  }];
  let options = [
    Option<"target", "target", "std::string", /*default=*/"\"host\"",
           "Operating system: host, linux-x86_64, linux-arm64, android-arm64 or android-x86_64">,
    Option<"cpu", "cpu", "std::string", /*default=*/"\"\"",
           "LLVM's names of the CPUs, separated by commas; empty for the target's default">,
    Option<"accuracy", "accuracy", "std::string", /*default=*/"\"fast\"", "fast or strict: whether Winograd is taken">,
  ];
  let dependentDialects = ["::mlir::linalg::LinalgDialect"];
}

def ChooseEncodingsPass : Pass<"nacre-choose-encodings", "::mlir::ModuleOp"> {
  let summary = "Decide how the weights of contractions are packed";
  let description = [{
    A contraction reads its weight in panels of as many columns as its register tile is wide. The tile tables of the target
    choose the width from the shape. A weight has one layout, over all entries: where kernels disagree, the one with the most
    work decides, and a weight that somebody reads in another way stays plain. Kernels of convolutions that are faster by
    Winograd have `plan.winograd` (dialects/plan/Notes.h): the CPU computes them so, from the same panels.

    Requires: kernels over whole storages, launches on storages.

    Ensures: `encodings` of every contraction and `encoding` of its weights agree; the grain of a kernel that is cut along its
    columns is a panel, of one with `plan.winograd` that is cut along its rows a tile.

    Example: test/compiler/encode/choose-encodings.mlir; a weight is packed as wide as the register tile; kernel and weight
    agree.
  }];
  let options = [
    Option<"target", "target", "std::string", /*default=*/"\"host\"",
           "Operating system: host, linux-x86_64, linux-arm64, android-arm64 or android-x86_64">,
    Option<"cpu", "cpu", "std::string", /*default=*/"\"\"",
           "LLVM's names of the CPUs, separated by commas; empty for the target's default">,
    Option<"accuracy", "accuracy", "std::string", /*default=*/"\"fast\"", "fast or strict: whether Winograd is taken">,
    Option<"packsStates", "packs-states", "bool", /*default=*/"true",
           "Weights that are state lie in panels, too; GPUs read them as the model has them">,
  ];
}

def PackStatesPass : Pass<"nacre-pack-states", "::mlir::ModuleOp"> {
  let summary = "Put states into the panels that were chosen for them";
  let description = [{
    A weight that is trained is read as a constant one is: it lies in panels, for as long as it lives. What updates it does the same to each
    element, so updates and moments lie as it does. The memory of a state in panels is that of its panels' rows;
    apps and files see it in the model's order, for the runtime knows the encoding. Launches that read it in another way, the gradient of
    an input above all, read a copy that is made before them, and what comes to an update in the usual order is copied into panels.

    Requires: `plan.panels` as nacre-choose-encodings leaves it; elementwise kernels write what has it, and contractions whose `encodings` say so.

    Ensures: storages with `plan.panels` are states; what a state begins with (`plan.initial`) is a weight of the same encoding.

    Example: test/compiler/encode/pack-states.mlir; a product reads panels, an update goes over them.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect"];
}

#endif // NACRE_COMPILER_ENCODE_PASSES
