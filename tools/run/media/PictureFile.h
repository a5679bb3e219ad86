// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  a JPEG or PNG file becomes an input.
// Why:   a picture is what there is to try a network on; an array is what needs a program first.
// How:   Decoders.h makes pixels, nacre/image.hpp the input, as in apps; failures name the options that would help.

#ifndef NACRE_TOOLS_RUN_MEDIA_PICTUREFILE_H
#define NACRE_TOOLS_RUN_MEDIA_PICTUREFILE_H

#include "tools/run/media/MediaOptions.h"
#include "tools/run/tensors/Failure.h"
#include "tools/run/tensors/MediaKind.h"

namespace nacre::run {

/// Writes the picture in `bytes`, the file `path`, to the memory of the input that `info` describes. Its name is printable.
Outcome writePicture(const Media &media, std::string_view bytes, const std::string &path, const MediaOptions &options,
                     const nacre_tensor_info &info, void *data);

} // namespace nacre::run

#endif // NACRE_TOOLS_RUN_MEDIA_PICTUREFILE_H
