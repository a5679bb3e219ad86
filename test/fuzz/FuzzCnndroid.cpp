// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  any text as a network of CNNdroid, and any other bytes as a file of parameters: the importer makes a function
//        that verifies, or reports an error.
// Why:   parameters lie in files of their own, which another reader reads, and decide the sizes of layers.
// How:   a text finds good parameters in a folder; other bytes are the parameters of a layer of each type that has
//        some.

#include "compiler/import/Import.h"
#include "compiler/import/model/FileKind.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Verifier.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>

using namespace nacre::importer;

namespace {

/// Arrays of MessagePack, all numbers of which are `number`.
std::string pack(std::initializer_list<int> shape, char number) {
  std::string bytes(1, number);
  for (const int *size = shape.end(); size != shape.begin();) {
    std::string inner(1, static_cast<char>(0x90 | *--size));
    for (int index = 0; index < *size; ++index)
      inner += bytes;
    bytes = inner;
  }
  return bytes;
}

/// Arrays of MessagePack with more than 15 numbers.
std::string packRow(char size, char number) {
  return std::string("\xdc\0", 2) + size + std::string(size_t(size), number);
}

/// A folder of parameters, which is removed at the end.
class Folder {
public:
  Folder() {
    char name[] = "cnndroid-XXXXXX";
    if (!mkdtemp(name))
      __builtin_trap();
    path = std::filesystem::absolute(name);
    write("conv.msg", pack({2, 3, 2, 2}, 1) + pack({2}, 2));
    write("fc.msg", packRow(24, 3) + pack({3}, 4));
    write("labels.msg", pack({2, 1, 1, 1}, 1));
  }
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path, ignored);
  }
  Folder(const Folder &) = delete;
  Folder &operator=(const Folder &) = delete;

  void write(const char *name, llvm::StringRef bytes) const {
    std::ofstream(path / name, std::ios::binary | std::ios::trunc).write(bytes.data(), std::streamsize(bytes.size()));
  }
  std::string getPath() const { return path.string(); }

private:
  std::filesystem::path path;
};

void import(llvm::StringRef text, const Folder &folder, llvm::ArrayRef<int64_t> shape) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  bool reported = false;
  mlir::ScopedDiagnosticHandler note(&context, [&](mlir::Diagnostic &diagnostic) {
    reported |= diagnostic.getSeverity() == mlir::DiagnosticSeverity::Error;
  });
  ImportOptions options;
  options.maxConstantBytes = 1 << 20;
  options.weights = folder.getPath();
  options.shapes["data"].assign(shape.begin(), shape.end());
  auto module = importModel(llvm::MemoryBufferRef(text, "fuzz.txt"), options, &context);
  if (module ? failed(mlir::verify(*module)) : !reported)
    __builtin_trap();
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const Folder folder;
  llvm::StringRef bytes(reinterpret_cast<const char *>(data), size);
  if (isText(bytes)) {
    import(bytes, folder, {2, 3, 6, 6});
    return 0;
  }
  folder.write("any.msg", bytes);
  import("auto_tuning: \"on\" layer { type: \"Convolution\" parameters_file: \"any.msg\" }", folder, {2, 3, 6, 6});
  import("auto_tuning: \"on\" layer { type: \"FullyConnected\" parameters_file: \"any.msg\" }", folder, {2, 2, 2, 2});
  import("auto_tuning: \"on\" layer { type: \"FullyConnected\" parameters_file: \"fc.msg\" }"
         "layer { type: \"Accuracy\" parameters_file: \"any.msg\" topk: 1 }",
         folder, {2, 8, 1, 1});
  return 0;
}
