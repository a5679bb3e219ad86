// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// nacre-package: a compiled model's libraries in, an Android library out.

#include "dialects/OutputFile.h"
#include "tools/CommandLine.h"
#include "tools/OutOfMemory.h"
#include "tools/package/Aar.h"

#include "llvm/Support/InitLLVM.h"

using namespace llvm;
using namespace nacre;

static cl::OptionCategory category("nacre-package options");
static cl::list<std::string> libraries(cl::Positional, cl::OneOrMore, cl::desc("<library>..."), cl::cat(category));
static cl::opt<std::string> output("o", cl::value_desc("file.aar"), cl::cat(category),
                                   cl::desc("AAR to write (default: <model>.aar)"));
static cl::opt<std::string>
    className("class", cl::value_desc("package.Class"), cl::cat(category),
              cl::desc("Java class with the model's inputs and outputs (default: dev.nacre.model.<Model>)"));
constexpr StringLiteral kClosing = R"(
EXAMPLES
  nacre-compile mobilenet.onnx -o libmobilenet.so \
    --target=android-arm64,android-x86_64
  nacre-package android-*/libmobilenet.so -o mobilenet.aar
      an app with this AAR and nacre-runtime.aar calls
      new dev.nacre.model.Mobilenet()

EXIT STATUS
  0  the AAR is written
  1  the libraries cannot be packaged; the message says which one and why
  2  the command line is wrong
  4  memory ran out
)";

static Error package() {
  std::vector<tools::ModelFile> models;
  for (const std::string &path : libraries) {
    Expected<tools::ModelFile> model = tools::readModelFile(path);
    if (!model)
      return model.takeError();
    models.push_back(std::move(*model));
  }
  Expected<std::string> aar = tools::writeAar(models, {className});
  if (!aar)
    return aar.takeError();
  const std::string path = output.empty() ? models.front().name + ".aar" : output;
  const std::string problem = writeFile(path, *aar);
  return problem.empty() ? Error::success() : createStringError("cannot write '" + path + "': " + problem);
}

int main(int argc, char **argv) {
  InitLLVM init(argc, argv);
  tools::handleOutOfMemory();
  cl::HideUnrelatedOptions(category);
  tools::setVersion("nacre-package");
  const tools::Help help{"Packages a compiled model as an Android library (AAR).",
                         "nacre-package [options] <library>...",
                         &category,
                         {{"Android library", {"o", "class"}}},
                         kClosing.str()};
  if (Error error = tools::parseOptions(argc, argv, help)) {
    errs() << "nacre-package: " << toString(std::move(error)) << "\n";
    return 2;
  }
  if (Error error = package()) {
    errs() << "nacre-package: " << toString(std::move(error)) << "\n";
    return 1;
  }
  return 0;
}
