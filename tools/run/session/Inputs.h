// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fills the inputs and the state of a session from files, given values, or random values.

#ifndef NACRE_TOOLS_RUN_SESSION_INPUTS_H
#define NACRE_TOOLS_RUN_SESSION_INPUTS_H

#include "tools/run/session/ModelSession.h"
#include "tools/run/tensors/MediaKind.h"

namespace nacre::run {

/// Splits "name=rest" after the name of a port, which may contain '='. Sets `rest` and returns the port; nullptr if
/// there is no such port.
Port *splitNamed(const std::string &text, std::vector<Port> &ports, std::string &rest);

/// Splits "name=file" like splitNamed(). The failure lists the known names.
Outcome splitNamedFile(const std::string &text, const char *option, std::vector<Port> &ports, Port *&port,
                       std::string &file);

/// Sets all elements of an input to a number: "name=number".
Outcome setNumber(const std::string &text, std::vector<Port> &ports);

/// Loads the state from the files of --resume and --weights.
Outcome loadStateFiles(ModelSession &session, const Options &options);

/// Function that fills an input from the bytes of a picture or a sound (MediaInputs.h).
using MediaFiller = Outcome (*)(Port &port, const Media &media, std::string_view bytes, const std::string &path,
                                const Options &options);

/// Fills each input from its file, a given value, or random values. Without a filler, pictures and sounds are refused.
Outcome fillPorts(std::vector<Port> &inputs, const Options &options, MediaFiller filler = nullptr);

/// Fills each input like fillPorts(). Also fills the state: first from files of states, then from files of single
/// tensors.
Outcome fillInputs(ModelSession &session, const Options &options, MediaFiller filler);

} // namespace nacre::run

#endif // NACRE_TOOLS_RUN_SESSION_INPUTS_H
