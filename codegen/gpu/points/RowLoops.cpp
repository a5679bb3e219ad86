// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "codegen/gpu/points/RowLoops.h"

#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <cstdlib>
#include <limits>

using namespace mlir;

namespace nacre::codegen::gpu {

namespace {

using Role = RowLoops::Role;

class Finder {
public:
  explicit Finder(const KernelForm &form) : form(form) {}

  FailureOr<RowLoops> find() {
    auto reduction = llvm::find_if(form.work, [](const Work &work) { return !work.allParallel(); });
    if (reduction == form.work.end())
      return failure();
    loops.first = reduction - form.work.begin();
    for (const Work &work : form.work)
      loops.roles.emplace_back(work.loops());
    for (auto [loop, size] : llvm::enumerate(reduction->sizes)) {
      auto &sizes = reduction->parallel[loop] ? loops.rows : loops.columns;
      if (size > 1)
        loops.roles[loops.first][loop] = {reduction->parallel[loop] ? Role::Row : Role::Column, unsigned(sizes.size())};
      if (size > 1)
        sizes.push_back(size);
    }
    for (bool changed = true; changed;) {
      changed = false;
      for (unsigned work = 0; work < form.work.size(); ++work)
        for (const Input &input : form.work[work].inputs)
          if (input.source == Input::Source::Work && failed(follow(work, input, changed)))
            return failure();
    }
    for (unsigned work = 0; work < form.work.size(); ++work)
      if (failed(settle(work)))
        return failure();
    if (failed(findCut()))
      return failure();
    return std::move(loops);
  }

private:
  /// Gives one role to the loops of a reader and of its producer that walk the same axis. Sets `changed` if a role is
  /// new.
  LogicalResult follow(unsigned reader, const Input &input, bool &changed) {
    const Result &read = form.work[input.work].results[input.result];
    for (auto [here, there] : llvm::zip_equal(input.map.getResults(), read.map.getResults())) {
      auto to = dyn_cast<AffineDimExpr>(here), from = dyn_cast<AffineDimExpr>(there);
      if (!to || !from) {
        if ((!to && !isa<AffineConstantExpr>(here)) || (!from && !isa<AffineConstantExpr>(there)))
          return failure();
        continue;
      }
      Role &mine = loops.roles[reader][to.getPosition()], &its = loops.roles[input.work][from.getPosition()];
      if (mine == its)
        continue;
      if (mine.kind != Role::None && its.kind != Role::None)
        return failure();
      changed = true;
      (mine.kind == Role::None ? mine : its) = mine.kind == Role::None ? its : mine;
    }
    return success();
  }

  /// Gives the roles of the first reduction's loops, in order, to the loops that have no role yet. Fails if roles are
  /// inconsistent.
  LogicalResult settle(unsigned number) {
    const Work &work = form.work[number], &first = form.work[loops.first];
    SmallVector<bool> rowSeen(loops.rows.size(), false), columnSeen(loops.columns.size(), false);
    for (unsigned loop = 0; loop < work.loops(); ++loop) {
      Role &role = loops.roles[number][loop];
      if (work.sizes[loop] == 1)
        continue;
      if (role.kind == Role::None && loop < first.loops() && first.sizes[loop] == work.sizes[loop])
        role = loops.roles[loops.first][loop];
      if (role.kind == Role::None || (role.kind == Role::Row && !work.parallel[loop]) ||
          (role.kind == Role::Column && !work.allParallel() && work.parallel[loop]))
        return failure();
      auto &seen = role.kind == Role::Row ? rowSeen : columnSeen;
      if (std::exchange(seen[role.number], true) ||
          (role.kind == Role::Row ? loops.rows : loops.columns)[role.number] != work.sizes[loop])
        return failure();
    }
    // Reductions and written values must cover all rows. They must cover either all columns or none.
    const bool isWritten = llvm::any_of(work.results, [](const Result &result) { return result.written.has_value(); });
    if ((isWritten || !work.allParallel()) && llvm::is_contained(rowSeen, false))
      return failure();
    if (!work.allParallel() && llvm::is_contained(columnSeen, false))
      return failure();
    return success(!isWritten || llvm::all_equal(columnSeen));
  }

  LogicalResult findCut() {
    loops.cutAxes.assign(form.written.size(), 0);
    if (form.cutExtent == 1 || form.grain == form.cutExtent)
      return success();
    for (auto [work, roles] : llvm::zip_equal(form.work, loops.roles))
      for (const Result &result : work.results) {
        if (result.written != 0u)
          continue;
        auto dim = dyn_cast<AffineDimExpr>(result.map.getResult(form.cutAxis));
        if (dim && roles[dim.getPosition()].kind == Role::Row)
          loops.cutRow = roles[dim.getPosition()].number;
      }
    if (!loops.cutRow || loops.rows[*loops.cutRow] != form.cutExtent)
      return failure();
    for (auto [work, roles] : llvm::zip_equal(form.work, loops.roles))
      for (const Result &result : work.results) {
        bool found = !result.written;
        for (auto [axis, expression] : llvm::enumerate(result.map.getResults()))
          if (auto dim = dyn_cast<AffineDimExpr>(expression);
              !found && dim && roles[dim.getPosition()] == Role{Role::Row, *loops.cutRow}) {
            loops.cutAxes[*result.written] = axis;
            found = true;
          }
        if (!found)
          return failure();
      }
    return success();
  }

  const KernelForm &form;
  RowLoops loops;
};

} // namespace

bool RowLoops::hasColumns(unsigned work) const {
  return llvm::any_of(roles[work], [](const Role &role) { return role.kind == Role::Column; });
}

int64_t RowLoops::strideOf(const KernelForm &form, Role role) const {
  int64_t least = std::numeric_limits<int64_t>::max();
  for (auto [work, ofWork] : llvm::zip_equal(form.work, roles))
    for (unsigned loop = 0; loop < work.loops(); ++loop) {
      if (!(ofWork[loop] == role))
        continue;
      for (const Input &input : work.inputs)
        if (input.source == Input::Source::Storage && input.access.strides[loop] != 0)
          least = std::min(least, std::abs(input.access.strides[loop]));
    }
  return least;
}

FailureOr<RowLoops> findRowLoops(const KernelForm &form) { return Finder(form).find(); }

} // namespace nacre::codegen::gpu
