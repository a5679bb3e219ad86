// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The arguments of the link are explained one by one below. docs/phases/package.md describes the layout of the result.

#include "codegen/package/Linker.h"
#include "codegen/package/BuildId.h"
#include "codegen/package/EmbeddedFiles.h"

#include "lld/Common/Driver.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Errno.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Signals.h"
#include "llvm/Support/raw_ostream.h"
#include <mutex>
#include <vector>

LLD_HAS_DRIVER(elf)

using namespace llvm;

namespace nacre::package {
namespace {

/// File with given contents that LLD can open. The destructor removes it.
class TemporaryFile {
public:
  /// Writes `bytes` to a new file whose name begins with `prefix`.
  static Expected<TemporaryFile> create(const Twine &prefix, StringRef bytes) {
    int descriptor;
    SmallString<128> path;
    if (std::error_code error = sys::fs::createUniqueFile(prefix + "-%%%%%%%%", descriptor, path))
      return createStringError("cannot write '" + path + "': " + error.message());
    TemporaryFile file(path.str().str());
    sys::RemoveFileOnSignal(path);
    raw_fd_ostream stream(descriptor, /*shouldClose=*/true);
    stream << bytes;
    stream.close();
    if (stream.has_error()) {
      const std::string problem = stream.error().message();
      stream.clear_error();
      return createStringError("cannot write '" + path + "': " + problem);
    }
    return file;
  }

  TemporaryFile(TemporaryFile &&other) : path(std::exchange(other.path, "")) {}
  TemporaryFile(const TemporaryFile &) = delete;
  ~TemporaryFile() {
    if (path.empty())
      return;
    (void)sys::fs::remove(path);
    sys::DontRemoveFileOnSignal(path);
  }

  const std::string &getPath() const { return path; }

private:
  explicit TemporaryFile(std::string path) : path(std::move(path)) {}
  std::string path;
};

/// Command line of one link, and its input files, which are next to its output.
class LinkLine {
public:
  LinkLine(const codegen::Target &target, const std::string &output)
      : prefix(output), arguments{"ld.lld", "-m", target.arm64 ? "aarch64linux" : "elf_x86_64", "-o", output} {}

  void add(ArrayRef<std::string> more) { append_range(arguments, more); }

  Expected<std::string> makeFile(StringRef name, StringRef bytes) {
    Expected<TemporaryFile> file = TemporaryFile::create(prefix + "." + name, bytes);
    if (!file)
      return file.takeError();
    files.push_back(std::move(*file));
    return files.back().getPath();
  }

  Error addFile(StringRef name, StringRef bytes) {
    Expected<std::string> path = makeFile(name, bytes);
    if (!path)
      return path.takeError();
    arguments.push_back(*path);
    return Error::success();
  }

  Error run() {
    SmallVector<const char *> pointers;
    for (const std::string &argument : arguments)
      pointers.push_back(argument.c_str());
    static std::mutex oneAtATime;
    std::lock_guard<std::mutex> lock(oneAtATime);
    std::string messages;
    raw_string_ostream stream(messages);
    lld::Result result = lld::lldMain(pointers, stream, stream, {{lld::Gnu, &lld::elf::link}});
    if (result.retCode != 0 && StringRef(messages).contains(sys::StrError(ENOMEM)))
      report_bad_alloc_error("the linker ran out of memory");
    if (result.retCode != 0)
      return createStringError("the link failed, a defect of nacre-compile; please report it: " + joinLines(messages));
    return Error::success();
  }

private:
  const std::string prefix;
  std::vector<TemporaryFile> files;
  SmallVector<std::string> arguments;
};

} // namespace

std::string joinLines(StringRef text) {
  SmallVector<StringRef> lines;
  text.split(lines, '\n', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  return join(map_range(lines, [](StringRef line) { return line.trim(); }), "; ");
}

Error link(const LinkInputs &inputs, const codegen::Target &target, const std::string &path) {
  LinkLine line(target, path);
  Expected<std::string> exports = line.makeFile("exports", "{ global: " + inputs.exportedSymbol + "; local: *; };");
  if (!exports)
    return exports.takeError();
  line.add(
      {"-shared", "--soname=" + inputs.soname, "--version-script=" + *exports,
       // Both page sizes are necessary. Otherwise RELRO ends inside a page of 16 KiB, and a kernel with such pages
       // cannot protect it.
       "-z", "max-page-size=16384", "-z", "common-page-size=16384", "-z", "now", "-z", "relro", "-z", "noexecstack",
       "--hash-style=gnu",
       // Functions keep their names for profilers. Local symbols, such as tables and their parts, lose their
       // names.
       "--discard-all",
       // The same input gives the same file. Unused code is removed, equal functions are kept once, and a text that
       // ends another one is a part of it. A symbol that the stubs lack is also missing on phones, so it is an
       // error.
       reserveBuildId(), "--gc-sections", "--icf=all", "-O2", "--no-undefined",
       "--threads=" + std::to_string(inputs.threads)});
  for (auto [index, object] : enumerate(inputs.objects))
    if (Error error = line.addFile("object" + std::to_string(index), object))
      return error;
  bool found = false;
  for (const EmbeddedFile &embedded : embeddedFiles()) {
    if (embedded.target != target.name)
      continue;
    if (Error error = line.addFile(embedded.name, embedded.bytes))
      return error;
    found = true;
  }
  if (!found)
    return createStringError("this nacre-compile was built without a runtime for '" + target.name + "'");
  if (!inputs.lastObject.empty())
    if (Error error = line.addFile("last", inputs.lastObject))
      return error;
  return line.run();
}

Error linkRelocatable(ArrayRef<StringRef> objects, StringRef lastPath, const codegen::Target &target,
                      const std::string &path) {
  LinkLine line(target, path);
  line.add({"-r"});
  for (auto [index, object] : enumerate(objects))
    if (Error error = line.addFile("object" + std::to_string(index), object))
      return error;
  if (!lastPath.empty())
    line.add({lastPath.str()});
  return line.run();
}

} // namespace nacre::package
