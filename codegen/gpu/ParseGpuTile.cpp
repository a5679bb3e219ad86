// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "codegen/gpu/ParseGpuTile.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/Twine.h"

namespace nacre::codegen::gpu {

llvm::Expected<GpuTile> parseGpuTile(llvm::StringRef text) {
  auto fail = [&](const llvm::Twine &why) { return llvm::createStringError("'" + text + "': " + why); };
  GpuTile tile;
  auto [kind, rest] = text.split(':');
  if (kind == "shared")
    tile.kind = GpuTile::Kind::Shared;
  else if (kind == "cooperative")
    tile.kind = GpuTile::Kind::Cooperative;
  else if (kind == "split")
    tile.kind = GpuTile::Kind::Split;
  else if (kind == "winograd-block")
    tile.kind = GpuTile::Kind::WinogradBlock;
  else if (kind == "winograd-gradient")
    tile.kind = GpuTile::Kind::WinogradGradient;
  else if (kind == "winograd")
    tile.kind = GpuTile::Kind::Winograd;
  else
    return fail("a tile must be shared, cooperative, split, winograd, winograd-block or winograd-gradient");
  const std::pair<llvm::StringRef, int64_t GpuTile::*> fields[] = {
      {"rows", &GpuTile::rows},        {"quads", &GpuTile::quads},     {"columns", &GpuTile::columnThreads},
      {"lines", &GpuTile::rowThreads}, {"depth", &GpuTile::depth},     {"parts", &GpuTile::parts},
      {"buffers", &GpuTile::buffers},  {"ahead", &GpuTile::ahead},     {"band", &GpuTile::band},
      {"unroll", &GpuTile::unroll},    {"outputs", &GpuTile::outputs},
  };
  llvm::SmallVector<llvm::StringRef, 8> items;
  rest.split(items, ',', -1, /*KeepEmpty=*/false);
  for (llvm::StringRef item : items) {
    const std::pair<llvm::StringRef, llvm::StringRef> named = item.split('=');
    const auto *field = llvm::find_if(fields, [&](const auto &entry) { return entry.first == named.first; });
    if (field == std::end(fields) || named.second.getAsInteger(10, tile.*(field->second)))
      return fail("'" + item + "' must be a field and its number, such as rows=8");
  }
  if (const char *fault = faultOf(tile))
    return fail(fault);
  return tile;
}

} // namespace nacre::codegen::gpu
