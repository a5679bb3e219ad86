// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tools/run/InfoFile.h"
#include "tools/run/session/Text.h"

namespace nacre::run {
namespace {

template <typename Values, typename Text> std::string list(const Values &values, Text text) {
  std::string json = "[";
  for (const auto &value : values)
    json += (json.size() > 1 ? ", " : "") + text(value);
  return json + "]";
}

std::string number(int64_t value) { return std::to_string(value); }

std::string head(const Port &port) {
  return "{" + member("name", jsonText(port.name)) + ", " +
         member("type", jsonText(findElementType(port.tensor.type)->name)) + ", " +
         member("shape", list(port.tensor.dims, number)) + ", " + member("bytes", port.tensor.bytes());
}

std::string quantization(const Quantization &quantization) {
  std::string json =
      member("scale", exactText(quantization.scale)) + ", " + member("zero_point", number(quantization.zeroPoint));
  if (!quantization.channels.empty())
    json += ", " + member("channel_axis", quantization.channelAxis) + ", " +
            member("scales",
                   list(quantization.channels, [](const nacre_channel_info &row) { return exactText(row.scale); })) +
            ", " +
            member("zero_points",
                   list(quantization.channels, [](const nacre_channel_info &row) { return number(row.zero_point); }));
  return json;
}

std::string portRow(const Port &port) {
  std::vector<uint32_t> open;
  for (uint32_t axis = 0; axis < 32; ++axis)
    if (port.openAxes >> axis & 1)
      open.push_back(axis);
  return head(port) + ", " + member("open_axes", list(open, number)) + ", " + quantization(port.quantization) + "}";
}

std::string stateRow(const Port &port) { return head(port) + "}"; }

std::string launchRow(const nacre_launch_info &launch) {
  return "{" + member("nodes", jsonText(launch.name)) + ", " + member("kernel", jsonText(launch.kernel)) + ", " +
         member("kind", jsonText(launch.kind)) + "}";
}

/// Returns a JSON list with a row on each line.
template <typename Rows, typename Text> std::string table(const char *name, const Rows &rows, Text text) {
  std::string json = std::string("\"") + name + "\": [";
  for (size_t i = 0; i < rows.size(); ++i)
    json += (i ? ",\n  " : "\n  ") + text(rows[i]);
  return json + "]";
}

} // namespace

std::string infoJson(const ModelSession &session, const nacre_session_info &engines,
                     const std::vector<nacre_launch_info> &launches, const std::string &symbol, size_t codeBytes) {
  const nacre_memory_info &memory = session.memory;
  const std::pair<const char *, uint64_t> numbers[] = {{"threads", memory.threads},
                                                       {"weight_bytes", session.info.weight_bytes},
                                                       {"code_bytes", codeBytes},
                                                       {"block_bytes", memory.block_bytes},
                                                       {"arena_bytes", memory.arena_bytes},
                                                       {"input_bytes", memory.input_bytes},
                                                       {"output_bytes", memory.output_bytes},
                                                       {"state_bytes", memory.state_bytes},
                                                       {"scratch_bytes", memory.scratch_bytes},
                                                       {"gpu_bytes", engines.gpu_bytes},
                                                       {"kernels", session.info.kernel_count}};
  std::string json =
      "{" + member("model", jsonText(session.info.name)) + ", " + member("symbol", jsonText(symbol)) + ", " +
      member("compiler", jsonText(session.info.compiler)) + ", " + member("target", jsonText(session.info.target)) +
      ", " + member("entry", jsonText(session.entryInfo.name)) + ", " + member("device", jsonText(engines.device));
  for (const auto &[name, value] : numbers)
    json += ", " + member(name, value);
  return json + ",\n" + table("inputs", session.inputs, portRow) + ",\n" + table("outputs", session.outputs, portRow) +
         ",\n" + table("state", session.states, stateRow) + ",\n" + table("launches", launches, launchRow) + "}\n";
}

} // namespace nacre::run
