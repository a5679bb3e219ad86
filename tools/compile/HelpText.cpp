// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tools/compile/HelpText.h"

#include "compiler/options/CompilerOptions.h"
#include "tools/ResponseFile.h"
#include "tools/compile/Presets.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"
#include <functional>
#include <vector>

using namespace llvm;

namespace nacre::tools {

/// As it is typed: -o <file>, --name=<value>, --flag.
static std::string spellingOf(const cl::Option &option) {
  const bool isShort = option.ArgStr.size() == 1;
  std::string text = (Twine(isShort ? "-" : "--") + option.ArgStr).str();
  if (option.ValueStr.empty())
    return text;
  const std::string value = (isShort ? " <" : "=<") + option.ValueStr.str() + ">";
  return text + (option.getValueExpectedFlag() == cl::ValueOptional ? "[" + value + "]" : value);
}

static std::vector<const cl::Option *> optionsOf(const cl::OptionCategory *category) {
  std::vector<const cl::Option *> options;
  for (const auto &entry : cl::getRegisteredOptions())
    if (is_contained(entry.second->Categories, category))
      options.push_back(entry.second);
  llvm::sort(options, std::less<>()); // members of one object lie in the order of their declaration
  return options;
}

static void printOptions(raw_ostream &os, ArrayRef<const cl::OptionCategory *> categories) {
  os << "OPTIONS:\n\n";
  constexpr int width = 39; // of all spellings
  const auto print = [&](const Twine &spelling, StringRef text) {
    os << "  " << left_justify(spelling.str(), width) << "- " << text << "\n";
  };
  for (const cl::OptionCategory *category : categories) {
    os << category->getName() << ":\n\n";
    for (const cl::Option *option : optionsOf(category))
      print(spellingOf(*option), option->HelpStr);
    os << "\n";
  }
  os << "General:\n\n";
  print("--help", "Print this text (--help-hidden: also the options of LLVM)");
  print("--version", "Print the version");
}

void printHelp(raw_ostream &os, ArrayRef<const cl::OptionCategory *> categories) {
  os << "OVERVIEW: Compiles a trained network into one shared library with a C header.\n\n"
        "USAGE: nacre-compile [options] <model>\n\n";
  printOptions(os, categories);
  os << "\nLOSSES (--loss=)\n"
        "  softmax-cross-entropy  of logits; ,axis=N of the classes; ,ignore=N, a label to skip; "
        ",label-type=i64|i32|f32\n"
        "  binary-cross-entropy   of logits\n"
        "  mean-squared-error     of any tensor\n"
        "  mean-absolute-error    of any tensor\n"
        "  huber                  of any tensor; squared below ,delta=X, absolute above (default: 1)\n"
        "  model                  the tensor is a loss itself\n"
        "\nOPTIMIZERS (--optimizer=)\n"
        "  sgd       momentum=X, nesterov, weight-decay=X\n"
        "  adam      beta1=X, beta2=X, epsilon=X, weight-decay=X\n"
        "  adamw     beta1=X, beta2=X, epsilon=X, weight-decay=X\n"
        "  rmsprop   decay=X, epsilon=X, momentum=X, weight-decay=X\n"
        "  adagrad   epsilon=X, weight-decay=X\n"
        "  none      gradients only\n";
  os << "\nPHASES (--compile-to=)\n";
#define PHASE(enumerator, word, what) os << "  " << left_justify(word, 10) << what << "\n";
#include "compiler/options/Phases.def"
  os << "\nPRESETS (--for=)\n";
  listPresets(os);
  os << "\nEXAMPLES\n"
        "  nacre-compile mobilenet.onnx -o libmobilenet.so\n"
        "      compile for this machine; run with: nacre-run libmobilenet.so --benchmark\n"
        "  nacre-compile mobilenet.onnx -o libmobilenet.so --for=phone\n"
        "      for phones, whatever CPU and GPU they have\n"
        "  nacre-compile mobilenet.onnx -o libmobilenet.so --target=android-arm64 --cpu=cortex-a76\n"
        "      for phones; the app includes mobilenet.h and nacre/runtime.h\n"
        "  nacre-compile mobilenet.onnx -o libmobilenet.so --target=android-arm64,android-x86_64\n"
        "      android-arm64/libmobilenet.so and android-x86_64/libmobilenet.so; nacre-package makes an AAR of both\n"
        "  nacre-compile detector.onnx -o libdetector.so --shape image=1x3x320x320\n"
        "      give an open input its shape\n"
        "  nacre-compile detector.onnx -o libdetector.so --target=android-arm64 --place=auto --device=snapdragon-778g\n"
        "      on that phone's CPU and GPU, whichever is predicted to be faster for each part\n"
        "  nacre-compile cell.onnx -o libcell.so --state=h_in:h_out --state=c_in:c_out\n"
        "      a recurrent step whose state stays in the model from run to run\n"
        "  nacre-compile lenet.onnx -o liblenet.so --train --loss=softmax-cross-entropy:logits --train-batch=64\n"
        "      a library that can be trained, on a phone or by: nacre-run liblenet.so --train\n"
        "  nacre-compile lenet.onnx --list-weights --trainable='fc*'\n"
        "      show which weights can be trained, and which of them these patterns select\n"
        "  nacre-compile model.onnx --check\n"
        "      what would stop this model, all of it at once\n"
        "\nEXIT STATUS\n"
        "  0  compiled, or everything is supported\n"
        "  1  the model cannot be compiled; the messages name its nodes\n"
        "  2  the command line is wrong\n"
        "  4  memory ran out\n";
  os << kResponseFileHelp;
}

} // namespace nacre::tools
