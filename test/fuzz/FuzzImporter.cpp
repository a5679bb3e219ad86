// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  any bytes as a model: the importer makes a function that verifies, or reports an error.
// Why:   attributes and shapes of a well-formed file can still be absurd.

#include "compiler/import/Import.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Verifier.h"

using namespace nacre::importer;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  bool reported = false;
  mlir::ScopedDiagnosticHandler note(&context, [&](mlir::Diagnostic &diagnostic) {
    reported |= diagnostic.getSeverity() == mlir::DiagnosticSeverity::Error;
  });
  ImportOptions options;
  options.maxConstantBytes = 1 << 20;
  llvm::StringRef bytes(reinterpret_cast<const char *>(data), size);
  auto import = [&] {
    reported = false;
    auto module = importModel(llvm::MemoryBufferRef(bytes, "fuzz.onnx"), options, &context);
    if (module ? failed(mlir::verify(*module)) : !reported)
      __builtin_trap();
  };
  import();
  // A graph of TensorFlow with an optimizer, or a model of ONNX, may train itself.
  if (bytes.contains("Apply") || bytes.contains("training")) {
    options.trainsItself.emplace();
    import();
  }
  return 0;
}
