// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The options of nacre-compile by task, the most used options first. --help, the manual page and completions for shells
// list them in this order. They are declared with LLVM's classes, with a category for each task. The in-process linker
// resets such options, so Options.cpp copies them to plain structs immediately.

#ifndef NACRE_TOOLS_COMPILE_DECLARATIONS_H
#define NACRE_TOOLS_COMPILE_DECLARATIONS_H

#include "tools/ModelInputs.h"

#include "llvm/Support/CommandLine.h"
#include <string>

namespace nacre::tools {

struct Declarations {
  llvm::cl::OptionCategory input{"Input"}, target{"Target"}, output{"Output"}, training{"Training"},
      diagnostics{"Diagnostics"};
  const llvm::cl::OptionCategory *const categories[5] = {&input, &target, &output, &training, &diagnostics};

  llvm::cl::opt<std::string> model{llvm::cl::Positional, llvm::cl::desc("<model>"), llvm::cl::cat(input)};

  // Input
  ModelInputs modelInputs{input};
  llvm::cl::list<std::string> inputs{
      "input", llvm::cl::cat(input), llvm::cl::value_desc("tensor"),
      llvm::cl::desc("Use this tensor as an input; repeatable (default: the model's inputs)")};
  llvm::cl::list<std::string> outputs{"output", llvm::cl::cat(input), llvm::cl::value_desc("tensor"),
                                      llvm::cl::desc("Compute this tensor; repeatable (default: the model's outputs)")};
  llvm::cl::list<std::string> states{
      "state", llvm::cl::cat(input), llvm::cl::value_desc("input:output"),
      llvm::cl::desc("Keep this input in the library and update it from that output; repeatable")};
  llvm::cl::opt<uint64_t> seed{
      "seed", llvm::cl::init(0), llvm::cl::cat(input), llvm::cl::value_desc("number"),
      llvm::cl::desc("Seed of random nodes that have none; every run draws the same (default: 0)")};

  // Target
  llvm::cl::opt<std::string> preset{
      "for", llvm::cl::cat(target), llvm::cl::value_desc("phone|board|desktop|list"),
      llvm::cl::desc("Preset that sets several options; explicit options win (see PRESETS)")};
  llvm::cl::list<std::string> targets{"target", llvm::cl::CommaSeparated, llvm::cl::cat(target),
                                      llvm::cl::value_desc("target[,target]"),
                                      llvm::cl::desc("host, linux-x86_64, linux-arm64, android-arm64 or "
                                                     "android-x86_64; several write a folder each (default: host)")};
  llvm::cl::opt<std::string> cpu{"cpu", llvm::cl::cat(target), llvm::cl::value_desc("name[,name]"),
                                 llvm::cl::desc("CPUs by LLVM's names, or phones' chips (list prints them), a variant "
                                                "for each (default: native on the host, else the baseline)")};
  llvm::cl::opt<std::string> place{"place", llvm::cl::init("cpu"), llvm::cl::cat(target),
                                   llvm::cl::value_desc("cpu|gpu|split:percent|auto[,entry=cpu]"),
                                   llvm::cl::desc("cpu, gpu (CPU only where no GPU code exists), split:N (N % of each "
                                                  "kernel on the GPU) or auto (fastest on --device); entry=cpu leaves "
                                                  "an entry to the CPU (default: cpu)")};
  llvm::cl::list<std::string> entryWeights{
      "entry-weight", llvm::cl::CommaSeparated, llvm::cl::cat(target), llvm::cl::value_desc("entry=number"),
      llvm::cl::desc("Factor of an entry's time when plans and layouts of weights are compared; repeatable "
                     "(default: 1)")};
  llvm::cl::opt<std::string> device{
      "device", llvm::cl::cat(target), llvm::cl::value_desc("name|file.json"),
      llvm::cl::desc("Profile for --place=auto and predicted times; list prints them (default: the chip of --cpu)")};
  llvm::cl::opt<std::string> cpuPrecision{
      "cpu-precision", llvm::cl::init("fp32"), llvm::cl::cat(target), llvm::cl::value_desc("fp32|fp16|bf16"),
      llvm::cl::desc("Storage type of values and weights on the CPU, which multiplies this type, too (default: fp32)")};
  llvm::cl::opt<std::string> gpuPrecision{
      "gpu-precision", llvm::cl::init("fp32"), llvm::cl::cat(target), llvm::cl::value_desc("fp32|fp16"),
      llvm::cl::desc("Storage type of values and weights on the GPU; sums stay fp32 (default: fp32)")};
  llvm::cl::opt<std::string> accuracy{
      "accuracy", llvm::cl::init("fast"), llvm::cl::cat(target), llvm::cl::value_desc("fast|strict"),
      llvm::cl::desc(
          "fast: Winograd convolutions, within 2e-4 of the largest output; strict: within 1e-5 (default: fast)")};
  llvm::cl::opt<std::string> weightType{
      "weight-type", llvm::cl::init("fp32"), llvm::cl::cat(target), llvm::cl::value_desc("fp32|fp16|bf16"),
      llvm::cl::desc("Storage type of weights in memory-bound layers; arithmetic stays fp32 (default: fp32)")};
  llvm::cl::opt<int64_t> memoryCap{
      "memory-cap", llvm::cl::cat(target), llvm::cl::value_desc("MiB"),
      llvm::cl::desc("Limit the memory of a session of one thread and its weights (default: as the model states)")};

  // Output
  llvm::cl::opt<std::string> path{"o", llvm::cl::cat(output), llvm::cl::value_desc("file"),
                                  llvm::cl::desc("Library to write, and its C header (default: lib<model>.so)")};
  llvm::cl::opt<std::string> name{
      "name", llvm::cl::cat(output), llvm::cl::value_desc("identifier"),
      llvm::cl::desc("Model name; the library exports nacre_model_<name> (default: the output's stem without 'lib')")};
  llvm::cl::opt<std::string> emit{"emit", llvm::cl::init("so"), llvm::cl::cat(output),
                                  llvm::cl::value_desc("so|obj|asm|llvm-ir"),
                                  llvm::cl::desc("Shared library, object file, assembly or LLVM IR (default: so)")};
  llvm::cl::opt<std::string> weightsIn{
      "weights-in", llvm::cl::init("library"), llvm::cl::cat(output), llvm::cl::value_desc("library|file"),
      llvm::cl::desc("file: write weights to lib<model>.weights, which apps can update separately (default: library)")};
  llvm::cl::list<std::string> keep{
      "keep", llvm::cl::CommaSeparated, llvm::cl::cat(output), llvm::cl::value_desc("all|tensor[,tensor]"),
      llvm::cl::desc("Also output intermediate tensors, all or those listed, for nacre-diff; slower and larger")};
  llvm::cl::opt<std::string> compileTo{"compile-to", llvm::cl::cat(output), llvm::cl::value_desc("phase"),
                                       llvm::cl::desc("Stop after a phase and print its IR (see PHASES)")};

  // Training
  llvm::cl::opt<bool> train{"train", llvm::cl::cat(training),
                            llvm::cl::desc("Add the entries train and evaluate, which share main's weights as state")};
  llvm::cl::list<std::string> losses{
      "loss", llvm::cl::cat(training), llvm::cl::value_desc("kind:tensor[,label=name]"),
      llvm::cl::desc("Loss to minimize (see LOSSES); repeatable, losses are added (default: the model's own)")};
  llvm::cl::opt<std::string> trainOp{
      "train-op", llvm::cl::cat(training), llvm::cl::value_desc("node[,loss=tensor]"),
      llvm::cl::desc("Node of a TensorFlow graph that runs a step, and its loss (default: the only one)")};
  llvm::cl::opt<std::string> optimizer{"optimizer", llvm::cl::init("sgd"), llvm::cl::cat(training),
                                       llvm::cl::value_desc("kind[:constant=X,...]"),
                                       llvm::cl::desc("Update rule and its constants (see OPTIMIZERS) (default: sgd)")};
  llvm::cl::list<std::string> trainable{"trainable", llvm::cl::CommaSeparated, llvm::cl::cat(training),
                                        llvm::cl::value_desc("pattern[,pattern]"),
                                        llvm::cl::desc("Weights to train, by their names, with * and ? (default: *)")};
  llvm::cl::list<std::string> frozen{"frozen", llvm::cl::CommaSeparated, llvm::cl::cat(training),
                                     llvm::cl::value_desc("pattern[,pattern]"),
                                     llvm::cl::desc("Weights to leave as they are; wins over --trainable")};
  llvm::cl::opt<int64_t> trainBatch{"train-batch", llvm::cl::init(0), llvm::cl::cat(training),
                                    llvm::cl::value_desc("N"),
                                    llvm::cl::desc("Batch size of train and evaluate (default: the model's)")};
  llvm::cl::list<std::string> batchAxes{"batch-axis", llvm::cl::cat(training),
                                        llvm::cl::value_desc("input:axis|input:none"),
                                        llvm::cl::desc("Batch axis of an input, if it is not 0; repeatable")};
  llvm::cl::opt<std::string> microBatch{
      "micro-batch", llvm::cl::init("auto"), llvm::cl::cat(training), llvm::cl::value_desc("N|auto"),
      llvm::cl::desc(
          "Add the gradients of parts of N examples to save memory (default: auto, as --memory-cap requires)")};
  llvm::cl::opt<std::string> clip{"clip", llvm::cl::cat(training), llvm::cl::value_desc("norm:X|value:X"),
                                  llvm::cl::desc("Clip gradients by global norm or per element")};
  llvm::cl::list<std::string> dropouts{"dropout", llvm::cl::cat(training), llvm::cl::value_desc("tensor:ratio"),
                                       llvm::cl::desc("Drop this share of a tensor's elements in train; repeatable")};
  llvm::cl::opt<std::string> batchNorm{
      "batch-norm", llvm::cl::init("train"), llvm::cl::cat(training), llvm::cl::value_desc("train|frozen"),
      llvm::cl::desc(
          "train: normalize by the batch and update statistics; frozen: use stored statistics (default: train)")};
  llvm::cl::opt<bool> accumulate{
      "accumulate", llvm::cl::cat(training),
      llvm::cl::desc("Add the entry accumulate: it adds gradients, the next step takes their mean")};
  llvm::cl::list<std::string> entries{
      "entries", llvm::cl::CommaSeparated, llvm::cl::cat(training), llvm::cl::value_desc("entry[,entry]"),
      llvm::cl::desc("main, train, evaluate, gradients or accumulate; entries to compile (default: the first three)")};
  llvm::cl::opt<bool> listWeights{
      "list-weights", llvm::cl::cat(training),
      llvm::cl::desc("List the weights that can be trained and the nodes that read them; compile nothing")};

  // Diagnostics
  llvm::cl::opt<bool> check{
      "check", llvm::cl::cat(diagnostics),
      llvm::cl::desc("List everything that is not supported; compile nothing (exit status 1 if there is any)")};
  llvm::cl::opt<bool> listOperators{"list-operators", llvm::cl::cat(diagnostics),
                                    llvm::cl::desc("Print all supported operators as Markdown")};
  llvm::cl::opt<std::string> report{"report", llvm::cl::cat(diagnostics), llvm::cl::value_desc("file"),
                                    llvm::cl::desc("Write a report: JSON, or a page if the name ends in .html")};
  llvm::cl::opt<std::string> advice{
      "advice", llvm::cl::init("on"), llvm::cl::cat(diagnostics), llvm::cl::value_desc("on|off"),
      llvm::cl::desc("Suggest changes to the model or options that would save at least 5 % (default: on)")};
  llvm::cl::opt<std::string> timeTrace{
      "time-trace", llvm::cl::ValueOptional, llvm::cl::cat(diagnostics), llvm::cl::value_desc("file"),
      llvm::cl::desc("Write a Chrome trace of the compiler's time (default: <output>.time-trace.json)")};
  llvm::cl::opt<int64_t> maxConstant{"max-constant", llvm::cl::init(1024), llvm::cl::cat(diagnostics),
                                     llvm::cl::value_desc("MiB"),
                                     llvm::cl::desc("Largest constant that folding may create (default: 1024)")};
  llvm::cl::opt<unsigned> jobs{"jobs", llvm::cl::init(0), llvm::cl::cat(diagnostics), llvm::cl::value_desc("N"),
                               llvm::cl::desc("Compiler threads (default: all cores)")};
  llvm::cl::opt<std::string> kernelCache{
      "kernel-cache", llvm::cl::cat(diagnostics), llvm::cl::value_desc("folder|off"),
      llvm::cl::desc("Keep the code of kernels for later compilations there (default: nacre/kernels in the user's "
                     "cache folder; NACRE_CACHE names another one)")};
  llvm::cl::alias jobsShort{"j", llvm::cl::aliasopt(jobs), llvm::cl::cat(diagnostics),
                            llvm::cl::desc("The same as --jobs")};
  llvm::cl::opt<bool> quiet{"quiet", llvm::cl::cat(diagnostics), llvm::cl::desc("Print errors and warnings only")};
};

} // namespace nacre::tools

#endif // NACRE_TOOLS_COMPILE_DECLARATIONS_H
