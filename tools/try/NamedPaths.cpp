// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tools/try/NamedPaths.h"
#include "tools/measure/Libc.h"

namespace nacre::tries {
namespace {

enum class Use { Reads, Writes, Fills };

struct Named {
  const char *option;
  const char *path;
  Use use;
};

/// Sets `resolved` to the path without links and dots, or to `path` if there is no such file.
void resolve(const char *path, char (&resolved)[4096]) {
  if (!realpath(path, resolved))
    snprintf(resolved, sizeof resolved, "%s", path);
}

bool collide(Use one, Use other) {
  return one == Use::Writes || other == Use::Writes || (one == Use::Fills) != (other == Use::Fills);
}

Status compare(const Named &one, const Named &other) {
  static char first[4096], second[4096];
  if (!one.path || !other.path || !collide(one.use, other.use))
    return Done;
  resolve(one.path, first);
  resolve(other.path, second);
  if (strcmp(first, second) != 0)
    return Done;
  char text[128];
  snprintf(text, sizeof text, "must not name the file of %s", other.option);
  return fail(WrongUsage, one.option, text);
}

} // namespace

Status checkPaths(const Options &options, int count, char **words) {
  const Named named[] = {{"--profile", options.profileFile, Use::Writes},
                         {"--figures", options.figuresFile, Use::Writes},
                         {"--kernels", options.kernels, Use::Reads},
                         {"--output", options.outputs, Use::Fills},
                         {"--cache", options.session.cache_folder, Use::Fills},
                         {"--weights-file", options.weights, Use::Reads},
                         {"the library", options.library, Use::Reads}};
  constexpr int kNamed = sizeof named / sizeof *named;
  for (int i = 0; i < kNamed; ++i)
    for (int j = i + 1; j < kNamed; ++j)
      if (const Status status = compare(named[i], named[j]))
        return status;
  for (int w = 1; w < count; ++w) {
    const char *text = after(words[w], "--input=");
    // Names of inputs are not known yet, so any text after a '=' may be a file.
    for (const char *equals = text ? strchr(text, '=') : nullptr; equals; equals = strchr(equals + 1, '='))
      for (const Named &other : named)
        if (const Status status = compare(other, {"--input", equals + 1, Use::Reads}))
          return status;
  }
  return Done;
}

} // namespace nacre::tries
