# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Renews locks in a forked child process.

Why:  A thread of the parent may hold a lock at the fork. The child does not have that thread, so the lock would never be released.
"""
from __future__ import annotations

import os
import weakref
from typing import Protocol


class _Locked(Protocol):  # pylint: disable=too-few-public-methods
    def renew_lock(self) -> None: ...


_locked: "weakref.WeakSet[_Locked]" = weakref.WeakSet()


def renew_lock_in_children(owner: _Locked) -> None:
    """Calls owner.renew_lock() in each child process while the owner lives."""
    _locked.add(owner)


def _renew_locks() -> None:
    for owner in list(_locked):
        owner.renew_lock()


os.register_at_fork(after_in_child=_renew_locks)
