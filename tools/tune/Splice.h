// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Replaces a member's value in the text of a JSON object. A tuned profile keeps the unmeasured parts of its base word
// for word. This needs no JSON library on a phone.

#ifndef NACRE_TOOLS_TUNE_SPLICE_H
#define NACRE_TOOLS_TUNE_SPLICE_H

#include <optional>
#include <string>
#include <string_view>

namespace nacre::tune {

/// Returns the value of the outermost object's member `name`, within `object`. Returns nullopt if there is no such
/// member, or if the text is not closed.
std::optional<std::string_view> findMember(std::string_view object, std::string_view name);

/// Returns `object` with that value replaced, or nullopt if findMember returns nullopt.
std::optional<std::string> replaceMember(std::string_view object, std::string_view name, std::string_view value);

/// Returns the same, but a missing member becomes the first one.
std::optional<std::string> setMember(std::string_view object, std::string_view name, std::string_view value);

} // namespace nacre::tune

#endif // NACRE_TOOLS_TUNE_SPLICE_H
