// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "codegen/gpu/ParseGpuTile.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/Twine.h"

namespace nacre::codegen::gpu {

llvm::Expected<GpuTile> parseGpuTile(llvm::StringRef text) {
  auto fail = [&](const llvm::Twine &why) { return llvm::createStringError("'" + text + "': " + why); };
  GpuTile tile;
  auto [kind, rest] = text.split(':');
  if (kind == "shared")
    tile.shape = GpuTile::Shared();
  else if (kind == "cooperative")
    tile.shape = GpuTile::Cooperative();
  else if (kind == "split")
    tile.shape = GpuTile::Split();
  else if (kind == "winograd-block")
    tile.shape = GpuTile::WinogradBlock();
  else if (kind == "winograd-gradient")
    tile.shape = GpuTile::WinogradGradient();
  else if (kind == "winograd")
    tile.shape = GpuTile::Winograd();
  else
    return fail("a tile must be shared, cooperative, split, winograd, winograd-block or winograd-gradient");
  llvm::SmallVector<llvm::StringRef, 8> items;
  rest.split(items, ',', -1, /*KeepEmpty=*/false);
  for (llvm::StringRef item : items) {
    const std::pair<llvm::StringRef, llvm::StringRef> named = item.split('=');
    bool isRead = false;
    visitNumbers(tile, [&](llvm::StringRef name, int64_t &number) {
      isRead |= name == named.first && !named.second.getAsInteger(10, number);
    });
    if (!isRead)
      return fail("'" + item + "' must be a field and its number, such as rows=8");
  }
  if (const char *fault = faultOf(tile))
    return fail(fault);
  return tile;
}

} // namespace nacre::codegen::gpu
