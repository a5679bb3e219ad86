// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bytes of a model, and their origin.

#include "compiler/import/files/ModelFile.h"
#include "compiler/import/files/MappedPaths.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace mlir;

namespace nacre::importer {

thread_local MappedPaths *MappedPaths::current = nullptr;

void MappedPaths::add(StringRef path) {
  if (current && !llvm::is_contained(current->paths, path))
    current->paths.push_back(path.str());
}

FailureOr<FileBytes> mapFile(StringRef path, Location loc) {
  // The type of the file is checked first, because opening a pipe or a device may block forever.
  llvm::sys::fs::file_status status;
  if (std::error_code error = llvm::sys::fs::status(path, status))
    return emitError(loc) << "cannot open '" << path << "': " << error.message();
  if (status.type() != llvm::sys::fs::file_type::regular_file)
    return emitError(loc) << "'" << path << "' must be a regular file";
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (!buffer)
    return emitError(loc) << "cannot open '" << path << "': " << buffer.getError().message();
  MappedPaths::add(path);
  return FileBytes(std::move(*buffer));
}

FailureOr<FileBytes> mapFileInside(StringRef folder, StringRef path, StringRef what, StringRef where, Location loc) {
  namespace paths = llvm::sys::path;
  bool leavesFolder = path.empty() || path.contains('\0') || paths::is_absolute(path) ||
                      llvm::is_contained(llvm::make_range(paths::begin(path), paths::end(path)), "..");
  if (folder.empty() || leavesFolder)
    return emitError(loc) << what << " must be a file inside " << where << ", but is '" << path << "'";

  // A link inside the folder may still lead out of it, so the resolved paths are compared.
  SmallString<256> file(folder), realFile, realFolder;
  paths::append(file, path);
  std::error_code error = llvm::sys::fs::real_path(file, realFile);
  if (!error)
    error = llvm::sys::fs::real_path(folder, realFolder);
  if (error)
    return emitError(loc) << "cannot open " << what << " '" << path << "': " << error.message();
  if (!realFolder.ends_with("/"))
    realFolder.push_back('/');
  if (!realFile.starts_with(realFolder))
    return emitError(loc) << what << " must be a file inside " << where << ", but '" << path
                          << "' is a link that leads out of it";
  return mapFile(realFile, loc);
}

} // namespace nacre::importer
