// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  any bytes as an ONNX model: the reader accepts them or says why not, and reads every tensor it accepts.
// Why:   the reader is the border; all code behind it trusts what it lets through.

#include "compiler/import/onnx/OnnxReader.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"

using namespace nacre::importer;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  mlir::ScopedDiagnosticHandler silence(&context, [](mlir::Diagnostic &) {});
  llvm::StringRef bytes(reinterpret_cast<const char *>(data), size);
  std::shared_ptr<const llvm::MemoryBuffer> buffer =
      llvm::MemoryBuffer::getMemBuffer(bytes, "fuzz.onnx", /*RequiresNullTerminator=*/false);
  auto model = OnnxModel::parse(buffer, "fuzz.onnx", /*folder=*/"", &context);
  if (failed(model))
    return 0;

  uint64_t sum = 0;
  auto touch = [&](const onnx::TensorProto &tensor) {
    auto read = (*model)->read(tensor, (*model)->getLocation());
    if (succeeded(read))
      for (char byte : read->bytes)
        sum += static_cast<uint8_t>(byte);
  };
  for (const onnx::TensorProto &tensor : (*model)->getGraph().initializer())
    touch(tensor);
  for (const onnx::NodeProto *node : (*model)->getNodes())
    for (const onnx::AttributeProto &attribute : node->attribute())
      if (attribute.has_t())
        touch(attribute.t());
  volatile uint64_t keep = sum; // the reads must not be optimized away
  (void)keep;
  return 0;
}
