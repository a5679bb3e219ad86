// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "codegen/package/WeightsFile.h"
#include "codegen/package/GpuRows.h"

#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/Errno.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/xxhash.h"
#include <cstring>
#include <unistd.h>

using namespace llvm;

namespace nacre::package {
namespace {

/// Combines hashes of all data that give the weights a meaning, in order.
class Fingerprint {
public:
  void add(const void *data, size_t bytes) {
    parts.push_back(xxh3_64bits(ArrayRef(static_cast<const uint8_t *>(data), bytes)));
  }
  /// Adds rows, after `forget` has removed texts from each.
  template <typename Row, typename Forget> void addRows(ArrayRef<Row> rows, Forget forget) {
    for (Row row : rows) {
      forget(row);
      add(&row, sizeof row);
    }
    parts.push_back(rows.size());
  }
  void addNumber(uint64_t number) { parts.push_back(number); }

  uint64_t take() {
    add(parts.data(), parts.size() * sizeof parts[0]);
    return parts.back() ? parts.back() : 1; // 0 means that the model has no weights file.
  }

private:
  SmallVector<uint64_t> parts;
};

void forgetName(nacre_tensor &row) { row.name = 0; }

} // namespace

std::string weightsPathOf(StringRef libraryPath) {
  SmallString<128> path = libraryPath;
  sys::path::replace_extension(path, "weights");
  return path.str().str();
}

uint64_t weightsLayout(const TableInputs &inputs, const TableRows &rows) {
  Fingerprint print;
  for (const CompiledKernel &kernel : inputs.kernels)
    for (const codegen::KernelCode &code : kernel.variants)
      print.add(code.object.data(), code.object.size());
  print.addNumber(hashOfGpuCode(inputs.kernels));
  print.addNumber(inputs.weightsBytes);
  print.addRows(ArrayRef(rows.weights), [](nacre_weight &row) { row.name = 0; });
  print.addRows(ArrayRef(rows.variables), [](nacre_variable &row) {
    forgetName(row.tensor);
    row.file_row = row.file_type = row.file_shape = 0;
  });
  print.add(rows.dims.data(), rows.dims.size() * sizeof rows.dims[0]);
  for (const EntryRows &entry : rows.entries) {
    print.addNumber(entry.arenaBytes);
    print.addRows(ArrayRef(entry.inputs), forgetName);
    print.addRows(ArrayRef(entry.outputs), forgetName);
    print.addRows(ArrayRef(entry.steps), [](nacre_step &row) { row.name = 0; });
    print.addRows(ArrayRef(entry.operands), [](nacre_operand &) {});
  }
  return print.take();
}

nacre_weights_header weightsHead(StringRef modelName, uint64_t layout, uint64_t bytes) {
  nacre_weights_header head{};
  std::memcpy(head.magic, NACRE_WEIGHTS_MAGIC, sizeof head.magic);
  head.version = NACRE_WEIGHTS_VERSION;
  head.bytes = sizeof head + bytes;
  head.layout = layout;
  const StringRef name = modelName.take_front(sizeof head.model - 1);
  std::memcpy(head.model, name.data(), name.size());
  return head;
}

Error sealWeightsFile(const std::string &path) {
  auto fail = [&](const std::string &why) { return createStringError("cannot write '" + path + "': " + why); };
  ErrorOr<std::unique_ptr<MemoryBuffer>> buffer =
      MemoryBuffer::getFile(path, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (!buffer)
    return fail(buffer.getError().message());
  const uint64_t hash = xxHash64((*buffer)->getBuffer().drop_front(offsetof(nacre_weights_header, layout)));
  int file;
  if (std::error_code error = sys::fs::openFileForReadWrite(path, file, sys::fs::CD_OpenExisting, sys::fs::OF_None))
    return fail(error.message());
  scope_exit closeFile([&] { close(file); });
  const ssize_t written =
      sys::RetryAfterSignal(-1, pwrite, file, &hash, sizeof hash, off_t(offsetof(nacre_weights_header, hash)));
  return written == ssize_t(sizeof hash) ? Error::success() : fail(sys::StrError());
}

} // namespace nacre::package
