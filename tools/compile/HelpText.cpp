// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tools/compile/HelpText.h"

#include "compiler/options/CompilerOptions.h"
#include "tools/compile/ChipList.h"
#include "tools/compile/Presets.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"
#include <functional>

using namespace llvm;

namespace nacre::tools {

static HelpGroup groupOf(const cl::OptionCategory *category) {
  std::vector<const cl::Option *> options;
  for (const auto &entry : cl::getRegisteredOptions())
    if (is_contained(entry.second->Categories, category))
      options.push_back(entry.second);
  llvm::sort(options, std::less<>()); // by address, because members of an object are in the order of their declarations
  HelpGroup group{category->getName(), {}};
  for (const cl::Option *option : options)
    group.names.push_back(option->ArgStr);
  return group;
}

constexpr StringLiteral kExamples = R"(
EXAMPLES
  nacre-compile mobilenet.onnx -o libmobilenet.so
      compile for this machine; run with: nacre-run libmobilenet.so --benchmark
  nacre-compile mobilenet.onnx -o libmobilenet.so --for=phone
      for phones, whatever CPU and GPU they have
  nacre-compile mobilenet.onnx -o libmobilenet.so --target=android-arm64 \
    --cpu=cortex-a76
      for phones; the app includes mobilenet.h and nacre/runtime.h
  nacre-compile mobilenet.onnx -o libmobilenet.so \
    --target=android-arm64,android-x86_64
      a library in the folder of each target; nacre-package makes an AAR of both
  nacre-compile detector.onnx -o libdetector.so --shape image=1x3x320x320
      give an open input its shape
  nacre-compile mobilenet.onnx -o libmobilenet.so \
    --preprocess=image:mean=0.485,0.456,0.406:std=0.229,0.224,0.225
      a library that takes the pixels of pictures and scales them itself
  nacre-compile detector.onnx -o libdetector.so --target=android-arm64 \
    --place=auto --device=snapdragon-778g
      on that phone's CPU and GPU, whichever is predicted to be faster for
      each part
  nacre-compile cell.onnx -o libcell.so --state=h_in:h_out --state=c_in:c_out
      a recurrent step whose state stays in the model from run to run
  nacre-compile lenet.onnx -o liblenet.so --train --train-batch=64 \
    --loss=softmax-cross-entropy:logits
      a library that can be trained, on a phone or by nacre-run --train
  nacre-compile lenet.onnx --list-weights --trainable='fc*'
      show which weights can be trained, and which of them these patterns
      select
  nacre-compile model.onnx --check
      what would stop this model, all of it at once

EXIT STATUS
  0  compiled, or everything is supported
  1  the model cannot be compiled, and the messages name its nodes; or an output
     cannot be written
  2  the command line is wrong
  4  memory ran out
)";

static void printLosses(raw_ostream &os) {
  os << "\nLOSSES (--loss=)\n";
  printEntry(os, "softmax-cross-entropy",
             "of logits; ,axis=N of the classes; ,ignore=N, a label to skip; ,label-type=i64|i32|f32", 25);
  printEntry(os, "binary-cross-entropy", "of logits", 25);
  printEntry(os, "mean-squared-error", "of any tensor", 25);
  printEntry(os, "mean-absolute-error", "of any tensor", 25);
  printEntry(os, "huber", "of any tensor; squared below ,delta=X, absolute above (default: 1)", 25);
  printEntry(os, "model", "the tensor is a loss itself", 25);
  printEntry(os, "<any of these>*<factor>", "times a number: huber:y,delta=2*0.5", 25);
  os << "\nOPTIMIZERS (--optimizer=)\n"
        "  sgd      momentum=X, nesterov, weight-decay=X\n"
        "  adam     beta1=X, beta2=X, epsilon=X, weight-decay=X\n"
        "  adamw    beta1=X, beta2=X, epsilon=X, weight-decay=X\n"
        "  rmsprop  decay=X, epsilon=X, momentum=X, weight-decay=X\n"
        "  adagrad  epsilon=X, weight-decay=X\n"
        "  none     gradients only\n";
}

static void printShapes(raw_ostream &os) {
  os << R"(
SHAPES (--shape=)
  <input>=1x3x224x224 sets the sizes of an input. Several shapes make several
  entries of one library, over the same weights: main@16, main@64. A session has
  one of them, or all. nacre-run takes the entry that fits the given arrays.
)";
  printEntry(os, "'ids=1x{16,64}'", "two shapes; a shell without the quotes writes two options, which means the same",
             25);
  printEntry(os, "'x=1x{8,9}x{8,9}'", "all combinations: 8x8, 8x9, 9x8, 9x9", 25);
  printEntry(os, "two inputs", "the first shapes of both make an entry, then the second ones, and so on", 25);
}

static void printBounds(raw_ostream &os) {
  os << R"(
BOUNDS (--bound=)
  Memory is planned for the largest size of each tensor. If numbers of an input
  decide a size, such as the durations of sounds, only you know the largest one.
  Without it, the error names the tensor that holds the size. A run fails if the
  tensor is larger than its bound.
)";
  printEntry(os, "frames=512", "the tensor 'frames' of the main graph, or an input, is at most 512 in each run", 25);
  printEntry(os, "shape=512", "the same for each element of a list that only a run knows", 25);
}

static void printPixels(raw_ostream &os) {
  os << R"(
PIXELS (--preprocess=)
  <input> takes bytes of height x width x channels, as cameras and decoders give
  them. The model computes (pixel * range / 255 - mean) / std of them.
)";
  printEntry(os, ":mean=X[,Y,Z]", "for all channels, or for each in the network's order (default: 0)", 25);
  printEntry(os, ":std=X[,Y,Z]", "likewise (default: 1)", 25);
  printEntry(os, ":range=X", "value of a white pixel (default: 1)", 25);
  printEntry(os, ":pixels=<order>", "rgb, bgr, rgba, bgra or gray, as the app has them (default: rgb, or gray)", 25);
  printEntry(os, ":channels=<rgb|bgr>", "order that the network wants (default: rgb)", 25);
  printEntry(os, ":layout=<nchw|nhwc>", "place of the network's channels (default: the axis of 1 or 3)", 25);
}

Help describeOptions(ArrayRef<const cl::OptionCategory *> categories) {
  Help help{"Compiles a trained network into one shared library with a C header.",
            "nacre-compile [options] <model>",
            nullptr,
            {},
            ""};
  for (const cl::OptionCategory *category : categories)
    help.groups.push_back(groupOf(category));
  raw_string_ostream os(help.closing);
  os << "\nPRESETS (--for=)\n";
  listPresets(os);
  printShapes(os);
  printBounds(os);
  printPixels(os);
  os << "\nCHIPS OF PHONES (--cpu=)\n";
  listChipNames(os);
  printLosses(os);
  os << "\nPHASES (--compile-to=)\n";
#define PHASE(enumerator, word, what) printEntry(os, word, what, 12);
#include "compiler/options/Phases.def"
  os << kExamples;
  return help;
}

} // namespace nacre::tools
