// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The passes of the encode phase, in the order they run. docs/phases/encode.md
//
// Reads:  plan entries on storages, kernels.
// Writes: the same with an encoding on every weight and on every input of a kernel that is one, in the type that it is
//         stored as.

#ifndef NACRE_COMPILER_ENCODE_PASSES
#define NACRE_COMPILER_ENCODE_PASSES

include "dialects/plan/EnginePass.td"
include "dialects/plan/PassOptions.td"

def NarrowWeightsPass : Pass<"nacre-narrow-weights", "::mlir::ModuleOp"> {
  let summary = "Store the weights of launches that wait for them as f16 or bf16";
  let description = [{
    A launch is memory-bound if reading its weight takes longer than multiplying by it. Its weight is rounded to the narrow
    type, and the kernel widens it: accumulators, inputs and results stay f32. A roofline of the target's tables decides
    (codegen/cpu/tiles/TileTables.h), which counts the widening; tables that rows are gathered from are always worth it.

    Requires: kernels over whole storages, launches on storages; no encoding on any weight yet.

    Ensures: a narrow weight is one for all that read it, and has `plan.rounding`, what that cost. Kernels that multiply by it have
    `plan.right_decode`, which says how it is stored (codegen/form/RightDecode.h). A weight stays f32 where a launch does not
    gain, where a state begins with it, where a number would become infinite, and where so many are too small for the type that
    digits are lost; of the last two the user is warned.

    Example: test/compiler/encode/narrow-weights.mlir; a row by a matrix reads the matrix as f16.
  }];
  let options = [
    WordOption<"type", "weight-type", "::nacre::FloatStorage", "F16", "Storage type of weights: fp16 or bf16", [["F16", "fp16"], ["BF16", "bf16"]]>,
    Option<"target", "target", "std::string", /*default=*/"\"host\"",
           "Operating system: host, linux-x86_64, linux-arm64, android-arm64 or android-x86_64">,
    Option<"cpu", "cpu", "std::string", /*default=*/"\"\"",
           "LLVM's names of the CPUs, separated by commas; empty for the target's default">,
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def AllowHalfSumsPass : Pass<"nacre-allow-half-sums", "::mlir::ModuleOp"> {
  let summary = "Note which products of halves a CPU may add up in fp16";
  let description = [{
    Cores with fp16 arithmetic multiply and add twice as many halves as floats in one instruction, but a long sum loses digits in
    fp16. A kernel with the note adds up a few steps in fp16, and then adds this sum to one in f32. Weights decide, too: products of
    very small weights lose digits in fp16, and sums of very large ones become infinite. Other numbers are about 1, as in
    nacre-narrow-floats.

    Requires: kernels over whole storages, launches on storages; no encodings of weights yet. Launches whose contractions must
    multiply f32 have `plan.wide_product`.

    Ensures: contractions of two operands of f16 that sum in f32 have `plan.half_sums`: the most steps. Depthwise convolutions have it
    only with at most 64 taps. A launch whose weight is too small or too large, or that must multiply f32, has a kernel without it.

    Example: test/compiler/encode/allow-half-sums.mlir; a product of halves has the note, and the same product of tiny weights has not.
  }];
}

def ChooseHalfStepsPass : Pass<"nacre-choose-half-steps", "::mlir::ModuleOp"> {
  let summary = "Choose for how many steps products of halves are added up in fp16, and how they go by Winograd";
  let description = [{
    Fewer steps are more exact, and take longer. Convolutions by Winograd whose transformed values are f16 are faster than direct ones,
    and add more noise: by tiles of 4 x 4 outputs more than by 2 x 2. A product with few multiply-adds adds as much noise to an output as one
    with many, so compiler/encode/HalfSteps.h chooses the options of all products together: the fastest ones with noise of at most -43 dB
    by a measure that knows no weights. With `predicts`, a network whose predicted noise is below -55 dB gets faster options, and outputs get
    the notes of nacre-predict-noise.

    Requires: `plan.half_sums` has the most steps of each product. Convolutions that may go by Winograd in fp16 have both notes, and panels.

    Ensures: `plan.half_sums` has the chosen steps, and `plan.winograd` the chosen tile. Convolutions by Winograd whose values widen
    to f32 have only the second note, and direct ones only the first.

    Example: test/compiler/encode/choose-half-steps.mlir; of two products in a row, the larger one is added up in fp16 for more steps.
  }];
  let options = [
    Option<"target", "target", "std::string", /*default=*/"\"host\"",
           "Operating system: host, linux-x86_64, linux-arm64, android-arm64 or android-x86_64">,
    Option<"cpu", "cpu", "std::string", /*default=*/"\"\"",
           "LLVM's names of the CPUs, separated by commas; empty for the target's default">,
    Option<"predicts", "predicts", "bool", /*default=*/"false", "Whether predicted noise may allow faster options">,
  ];
}

def PredictNoisePass : Pass<"nacre-predict-noise", "::mlir::ModuleOp"> {
  let summary = "Predict how much noise fp16 causes in the outputs of entries";
  let description = [{
    Rounding stored values and weights to f16, and adding up products in fp16, adds noise. How much of it reaches an output depends on
    all layers after it. The prediction tells users what `--cpu-precision=fp16` costs, without inputs of the model and without a run.
    compiler/encode/noise/Moments.h explains the model. Its inputs are independent normal numbers with mean 0 and variance 1.

    Requires: kernels over whole storages, launches on storages; `plan.half_sums` has the chosen steps.

    Ensures: outputs with noise have `plan.predicted_snr_db`, in entries that only the CPU computes. Entries with states, loops or
    conditionals, in which noise may grow with each iteration, are not predicted.

    Example: test/compiler/encode/predict-noise.mlir; rounding an input, a weight and a result of a product gives three times the noise of
    rounding a number.
  }];
}

def PackOperandsPass : EnginePass<"nacre-pack-operands", "::mlir::ModuleOp", ["Cpu"]> {
  let summary = "Put right operands that are no weights into panels by launches of their own";
  let description = [{
    A contraction reads a weight in panels; another right operand each unit of it would pack for itself, and take all rows to do it
    seldom. If that costs more, as compiler/encode/PackTrade.h counts, or if the convolution gains by Winograd, which reads
    only panels, a launch before it packs the operand into a temporary, and the contraction's kernel reads that. The
    packing also replaces launches that only move data for this reader: transposes, parts, reversed taps. The launch is outside of
    loops in which its operand is invariant, and packs once for all contractions that read the same operand.

    Requires: kernels over whole storages, launches on storages; no encodings of packed operands yet.

    Ensures: `encodings` of a packing kernel has the encoding of its result, and that of its contractions the encoding of the
    input. Unused launches and kernels are removed.

    Example: test/compiler/encode/pack-operands.mlir; a product of two inputs becomes a launch that packs and one that multiplies.
  }];
  let options = [
    Option<"target", "target", "std::string", /*default=*/"\"host\"",
           "Operating system: host, linux-x86_64, linux-arm64, android-arm64 or android-x86_64">,
    Option<"cpu", "cpu", "std::string", /*default=*/"\"\"",
           "LLVM's names of the CPUs, separated by commas; empty for the target's default">,
    AccuracyOption,
  ];
  let dependentDialects = ["::mlir::linalg::LinalgDialect"];
}

def ChooseEncodingsPass : Pass<"nacre-choose-encodings", "::mlir::ModuleOp"> {
  let summary = "Decide how the weights of contractions are packed";
  let description = [{
    A contraction reads its weight in panels of as many columns as its register tile is wide. The tile tables of the target
    choose the width from the shape. A weight has one layout, over all entries. If kernels prefer different ones, the layout
    with the least sum of nanoseconds over all launches of a run wins (compiler/encode/panels/PanelPrices.h). A weight that somebody
    reads in another way stays plain. Kernels of convolutions that are faster by
    Winograd have `plan.winograd` (dialects/plan/Notes.h): the CPU computes them so, from the same panels. Weights that are state lie
    in panels if the CPU computes every launch that touches them (`plan.engine`); GPUs read them as the model has them.

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
    AccuracyOption,
  ];
}

def PackStatesPass : Pass<"nacre-pack-states", "::mlir::ModuleOp"> {
  let summary = "Put states into the panels that were chosen for them";
  let description = [{
    Trained weights are stored in panels like constant ones, and are read in the same way. Updates are elementwise, so gradients and
    moments use the same layout. Apps and files see the model's order, because the runtime knows the encoding. Other readers,
    above all the gradient of an input, read a copy that is made before them. Operands of an update in the usual order are
    copied into panels.

    Requires: `plan.panels` as nacre-choose-encodings leaves it; elementwise kernels write what has it, and contractions whose `encodings` say so.

    Ensures: storages with `plan.panels` are states; what a state begins with (`plan.initial`) is a weight of the same encoding.

    Example: test/compiler/encode/pack-states.mlir; a product reads panels, an update goes over them.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect"];
}

def RateProductsPass : Pass<"nacre-rate-products", "::mlir::ModuleOp"> {
  let summary = "Note how fast kernels multiply, compared with f32";
  let description = [{
    A core multiplies bytes and doubles at other rates than f32. The tables that tiles are chosen from know these rates, but the phases that
    predict times see no instructions. A note on the kernel tells them: the cycles of its products in f32, divided by those in its types,
    both on the first target and multiplied directly. The gain of Winograd has a note of its own (`plan.winograd`).

    Requires: encodings are chosen.

    Ensures: a kernel has `plan.product_rate` if its products take another time than those of f32. Nothing else changes.

    Example: test/compiler/encode/rate-products.mlir; with dot products, bytes are multiplied several times faster.
  }];
  let options = [
    Option<"target", "target", "std::string", /*default=*/"\"host\"",
           "Operating system: host, linux-x86_64, linux-arm64, android-arm64 or android-x86_64">,
    Option<"cpu", "cpu", "std::string", /*default=*/"\"\"",
           "LLVM's names of the CPUs, separated by commas; empty for the target's default">,
  ];
}

#endif // NACRE_COMPILER_ENCODE_PASSES
