// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Converts a JPEG or PNG file to an input, so that users can try a network without converting pictures to arrays.
// Decoders.h decodes the pixels, and nacre/image.hpp makes the input, as in apps. Failures name the options that solve
// the problem.

#ifndef NACRE_TOOLS_RUN_MEDIA_PICTUREFILE_H
#define NACRE_TOOLS_RUN_MEDIA_PICTUREFILE_H

#include "tools/run/media/MediaOptions.h"
#include "tools/run/tensors/Failure.h"
#include "tools/run/tensors/MediaKind.h"

namespace nacre::run {

/// Writes the picture in `bytes` to the memory of the input that `info` describes. `path` is a printable name for
/// messages.
Outcome writePicture(const Media &media, std::string_view bytes, const std::string &path, const MediaOptions &options,
                     const nacre_tensor_info &info, void *data);

} // namespace nacre::run

#endif // NACRE_TOOLS_RUN_MEDIA_PICTUREFILE_H
