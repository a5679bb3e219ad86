// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  any text as a network of Caffe, and any other bytes as the weights of one: the importer makes a function that
//        verifies, or reports an error.
// Why:   weights lie in a file of their own, which is another reader's.
// How:   a network draws its weights, so that layers that have some are met at all.

#include "compiler/import/Import.h"
#include "compiler/import/model/FileKind.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Verifier.h"

#include <sys/mman.h>
#include <unistd.h>

using namespace nacre::importer;

namespace {

/// The network whose weights are fuzzed.
constexpr llvm::StringLiteral trained = R"(
input: "x" input_dim: 2 input_dim: 3 input_dim: 1 input_dim: 1
layer { name: "fc" type: "InnerProduct" bottom: "x" top: "fc" inner_product_param { num_output: 2 } }
layer { name: "slope" type: "PReLU" bottom: "fc" top: "slope" prelu_param { channel_shared: true } }
layer { name: "old" type: "InnerProduct" bottom: "slope" top: "old" inner_product_param { num_output: 2 } }
layer { name: "first" type: "InnerProduct" bottom: "old" top: "first" inner_product_param { num_output: 1 } }
)";

/// A file that is nowhere but in memory.
class Scratch {
public:
  explicit Scratch(llvm::StringRef bytes) : file(memfd_create("weights", 0)) {
    if (file < 0 || write(file, bytes.data(), bytes.size()) != static_cast<ssize_t>(bytes.size()))
      __builtin_trap();
  }
  ~Scratch() { close(file); }
  Scratch(const Scratch &) = delete;
  Scratch &operator=(const Scratch &) = delete;

  std::string getPath() const { return "/proc/self/fd/" + std::to_string(file); }

private:
  int file;
};

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  bool reported = false;
  mlir::ScopedDiagnosticHandler note(&context, [&](mlir::Diagnostic &diagnostic) {
    reported |= diagnostic.getSeverity() == mlir::DiagnosticSeverity::Error;
  });
  llvm::StringRef bytes(reinterpret_cast<const char *>(data), size);
  const bool isNetwork = isText(bytes);
  Scratch scratch(bytes);
  ImportOptions options;
  options.maxConstantBytes = 1 << 20;
  if (isNetwork)
    options.randomWeights = 1;
  else
    options.weights = scratch.getPath();
  auto module = importModel(llvm::MemoryBufferRef(isNetwork ? bytes : llvm::StringRef(trained), "fuzz.prototxt"),
                            options, &context);
  if (module ? failed(mlir::verify(*module)) : !reported)
    __builtin_trap();
  return 0;
}
