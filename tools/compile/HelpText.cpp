// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tools/compile/HelpText.h"

#include "compiler/CompilerOptions.h"
#include "tools/compile/Presets.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace nacre::tools {

std::string helpEpilogue() {
  std::string text;
  raw_string_ostream os(text);
  os << "\nPHASES (--compile-to=)\n";
#define PHASE(enumerator, word, what) os << "  " << left_justify(word, 10) << what << "\n";
#include "compiler/Phases.def"
  os << "\nPRESETS (--for=)\n";
  listPresets(os);
  os << "\nEXAMPLES\n"
        "  nacre-compile mobilenet.onnx -o libmobilenet.so\n"
        "      compile for this machine; run with: nacre-run libmobilenet.so --benchmark\n"
        "  nacre-compile mobilenet.onnx -o libmobilenet.so --for=phone\n"
        "      for phones, without a thought for their CPUs\n"
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
        "      what can be trained, and what these patterns choose\n"
        "  nacre-compile model.onnx --check\n"
        "      what would stop this model, all of it at once\n"
        "\nEXIT STATUS\n"
        "  0  compiled, or everything is supported\n"
        "  1  the model cannot be compiled; the messages name its nodes\n"
        "  2  the command line is wrong\n"
        "  4  memory ran out\n";
  return text;
}

} // namespace nacre::tools
