// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  how a JPEG file's picture is turned.
// Why:   phones store what the sensor sees; a network that gets a cat on its side answers wrongly, and nobody sees why.

#ifndef NACRE_TOOLS_RUN_MEDIA_ORIENTATION_H
#define NACRE_TOOLS_RUN_MEDIA_ORIENTATION_H

#include <string_view>

namespace nacre::run {

/// Returns the EXIF orientation, 1 to 8; 1, upright, if the file has none. The bytes may be hostile.
int findOrientation(std::string_view jpeg);

} // namespace nacre::run

#endif // NACRE_TOOLS_RUN_MEDIA_ORIENTATION_H
