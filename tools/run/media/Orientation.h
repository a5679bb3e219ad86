// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the orientation of a JPEG picture. Phones store what the sensor sees. A network that gets a picture on its side
// answers wrongly, without a visible reason.

#ifndef NACRE_TOOLS_RUN_MEDIA_ORIENTATION_H
#define NACRE_TOOLS_RUN_MEDIA_ORIENTATION_H

#include <string_view>

namespace nacre::run {

/// Returns the EXIF orientation, 1 to 8; 1, upright, if the file has none. The bytes may be hostile.
int findOrientation(std::string_view jpeg);

} // namespace nacre::run

#endif // NACRE_TOOLS_RUN_MEDIA_ORIENTATION_H
