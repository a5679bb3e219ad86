// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How:   a reshape is split into groups of axes whose products are equal on both sides. Axes of size one belong to no
//        group. A group moves as a whole, so the axes that a reshape merges must stay adjacent.

#include "dialects/nn/Permutation.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"

using namespace llvm;

namespace nacre::nn {

Permutation identityPermutation(size_t rank) { return to_vector(seq<int64_t>(0, rank)); }

bool isIdentity(Dims permutation) {
  return all_of(enumerate(permutation), [](auto entry) { return int64_t(entry.index()) == entry.value(); });
}

Permutation inverse(Dims permutation) {
  Permutation result(permutation.size());
  for (auto [i, axis] : enumerate(permutation))
    result[axis] = i;
  return result;
}

Permutation compose(Dims first, Dims second) { return permute(first, second); }

bool movesOnlyUnits(Dims shape, Dims permutation) {
  int64_t last = -1;
  for (int64_t axis : permutation) {
    if (shape[axis] == 1)
      continue;
    if (axis < last)
      return false;
    last = axis;
  }
  return true;
}

SmallVector<int64_t> moveAxes(Dims axes, Dims permutation) {
  Permutation to = inverse(permutation);
  SmallVector<int64_t> result;
  for (int64_t axis : axes)
    result.push_back(to[axis]);
  sort(result);
  return result;
}

Permutation dropAxes(Dims permutation, Dims axes) {
  Permutation result;
  for (int64_t axis : permutation)
    if (!is_contained(axes, axis))
      result.push_back(axis - count_if(axes, [&](int64_t dropped) { return dropped < axis; }));
  return result;
}

namespace {

struct Group {
  SmallVector<int64_t> from, to;
};

/// Returns the smallest groups of axes with equal products, without axes of size one. Both shapes must have the same,
/// positive product.
SmallVector<Group> groupAxes(Dims from, Dims to) {
  SmallVector<Group> groups;
  size_t i = 0, j = 0;
  auto next = [](Dims shape, size_t &axis) {
    while (axis < shape.size() && shape[axis] == 1)
      ++axis;
    return axis < shape.size();
  };
  while (next(from, i) && next(to, j)) {
    Group group{{int64_t(i)}, {int64_t(j)}};
    int64_t left = from[i++], right = to[j++];
    while (left != right) {
      if (left < right) {
        next(from, i);
        group.from.push_back(i);
        left *= from[i++];
      } else {
        next(to, j);
        group.to.push_back(j);
        right *= to[j++];
      }
    }
    groups.push_back(std::move(group));
  }
  return groups;
}

/// Inserts the axes of size one into `order`. Leading ones stay in front. Others stay directly before the axis that
/// they precede in `shape`. Trailing ones stay after the axis that they follow.
Permutation insertUnits(Dims order, Dims shape) {
  auto isUnit = [&](int64_t axis) { return shape[axis] == 1; };
  int64_t rank = shape.size(), first = 0, end = rank;
  while (first < rank && isUnit(first))
    ++first;
  while (end > first && isUnit(end - 1))
    --end;
  Permutation result = identityPermutation(first);
  for (int64_t axis : order) {
    int64_t begin = axis;
    while (begin > first && isUnit(begin - 1))
      --begin;
    append_range(result, seq<int64_t>(begin, axis == end - 1 ? rank : axis + 1));
  }
  return result;
}

} // namespace

std::optional<Permutation> throughReshape(Dims from, Dims to, Dims permutation) {
  if (is_contained(from, 0) || is_contained(to, 0))
    return std::nullopt;
  if (movesOnlyUnits(from, permutation))
    return identityPermutation(to.size());

  Permutation order;
  SmallVector<Group> groups = groupAxes(from, to);
  SmallVector<int64_t> moved;
  copy_if(permutation, std::back_inserter(moved), [&](int64_t axis) { return from[axis] != 1; });
  for (Dims rest = moved; !rest.empty();) {
    const Group *group = find_if(groups, [&](const Group &g) { return g.from.front() == rest.front(); });
    if (group == groups.end() || rest.take_front(group->from.size()) != Dims(group->from))
      return std::nullopt;
    append_range(order, group->to);
    rest = rest.drop_front(group->from.size());
  }
  return insertUnits(order, to);
}

std::optional<size_t> findFlattenedTail(Dims transposed, Dims to, Dims permutation) {
  if (to.empty() || is_contained(transposed, 0))
    return std::nullopt;
  size_t head = transposed.size();
  int64_t product = 1;
  while (head > 0 && product < to.back())
    product *= transposed[--head];
  if (product != to.back() || !isIdentity(permutation.take_front(head)))
    return std::nullopt;
  return head;
}

} // namespace nacre::nn
