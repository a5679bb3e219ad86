// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  any bytes as an ONNX model: the reader accepts them or says why not, and reads every tensor it accepts. With
//        the address sanitizer, whose heap can be asked, it must not take more memory than it promises.
// Why:   the reader is the border; all code after it trusts what it lets through.

#include "compiler/import/onnx/Reader.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include <algorithm>
#include <cstdio>

using namespace nacre::importer;
using namespace nacre::importer::onnx_format;

#if __has_feature(address_sanitizer)
#include <sanitizer/allocator_interface.h>

static size_t heapBytes, heapPeak;

static void countMalloc(const volatile void *, size_t size) {
  heapBytes += size;
  heapPeak = std::max(heapPeak, heapBytes);
}
static void countFree(const volatile void *pointer) {
  if (pointer)
    heapBytes -= __sanitizer_get_allocated_size(const_cast<const void *>(pointer));
}

/// Counts allocated bytes from here on. Traps at the end if they are more than the reader promises for a file of
/// `fileSize`.
struct HeapWatch {
  explicit HeapWatch(size_t fileSize) : limit(getStructureBudget(fileSize) + getDecodeBudget(fileSize)) {
    static const int installed = __sanitizer_install_malloc_and_free_hooks(countMalloc, countFree);
    if (!installed)
      __builtin_trap();
    start = heapPeak = heapBytes = size_t(1) << 40; // far from 0: blocks from before the hooks may be freed
  }
  ~HeapWatch() {
    if (heapPeak - start <= limit)
      return;
    std::fprintf(stderr, "the reader took %zu bytes, but must take at most %zu\n", heapPeak - start, limit);
    __builtin_trap();
  }
  size_t limit, start;
};
#else
struct HeapWatch {
  explicit HeapWatch(size_t) {}
  ~HeapWatch() {}
};
#endif

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  mlir::ScopedDiagnosticHandler silence(&context, [](mlir::Diagnostic &) {});
  llvm::StringRef bytes(reinterpret_cast<const char *>(data), size);
  std::shared_ptr<const llvm::MemoryBuffer> buffer =
      llvm::MemoryBuffer::getMemBuffer(bytes, "fuzz.onnx", /*RequiresNullTerminator=*/false);
  HeapWatch watch(size);
  auto model = OnnxModel::read({buffer, "fuzz.onnx", /*folder=*/""}, &context);
  if (failed(model))
    return 0;

  uint64_t sum = 0;
  auto touch = [&](const onnx::TensorProto &tensor) {
    auto read = (*model)->read(tensor, (*model)->getLocation());
    if (succeeded(read))
      for (char byte : read->bytes)
        sum += static_cast<uint8_t>(byte);
  };
  llvm::SmallVector<const CheckedGraph *> graphs = {&(*model)->getGraph()};
  while (!graphs.empty()) {
    const CheckedGraph *graph = graphs.pop_back_val();
    for (const onnx::TensorProto &tensor : graph->getGraph()->initializer())
      touch(tensor);
    for (const CheckedNode &node : graph->getNodes()) {
      for (const onnx::AttributeProto &attribute : node.proto->attribute())
        if (attribute.has_t())
          touch(attribute.t());
      for (const NestedGraph &nested : node.graphs)
        graphs.push_back(nested.graph.get());
    }
  }
  volatile uint64_t keep = sum; // the reads must not be optimized away
  (void)keep;
  return 0;
}
