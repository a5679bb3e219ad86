// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks the file before dlopen, which trusts it.

#include "tools/run/session/ModelLibrary.h"
#include "runtime/inspect/library_check.h"

#include <cstring>
#include <dlfcn.h>

namespace nacre::run {

/// Returns the loader's message, or a clearer one for a library for Android. The loader would only report that it does
/// not find Android's C library.
static std::string explain(std::string reason) {
#if defined(__aarch64__)
  constexpr const char *target = "linux-arm64";
#else
  constexpr const char *target = "linux-x86_64";
#endif
  for (const char *name : {"libc.so:", "libm.so:", "libdl.so:"})
    if (reason.find(name) != std::string::npos)
      return reason +
             "; the model is for Android: run it there with --device=adb, or compile it with --target=" + target;
  return reason;
}

ModelLibrary::~ModelLibrary() {
  if (handle)
    dlclose(handle);
}

Outcome ModelLibrary::open(const std::string &path) {
  nacre_library_facts facts;
  const int verdict = nacre_library_check(path.c_str(), &facts);
  if (verdict == NACRE_LIBRARY_UNREADABLE)
    return usageFailure("cannot read '" + path + "': " + std::strerror(facts.system_error));
  if (verdict == NACRE_LIBRARY_OTHER_MACHINE)
    return usageFailure("'" + path + "' " + facts.reason +
                        "; use the nacre-run of that machine, --device=adb for a phone, or qemu with nacre-run-arm64");
  if (verdict != NACRE_LIBRARY_GOOD)
    return usageFailure("'" + path + "' " + facts.reason);
  symbol = facts.symbol;
  if (symbol.empty())
    return usageFailure("'" + path + "' must be a .so made by nacre-compile, but exports no nacre_model_<name>");
  buildId = facts.build_id;
  codeBytes = facts.code_bytes;

  // Without a slash, dlopen would search the system's folders.
  handle = dlopen((path.find('/') == std::string::npos ? "./" + path : path).c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle)
    return Failure{ExitCode::Refused, explain(dlerror())};
  model = static_cast<const nacre_model *>(dlsym(handle, symbol.c_str()));
  if (!model)
    return Failure{ExitCode::Refused, dlerror()};
  return std::nullopt;
}

} // namespace nacre::run
