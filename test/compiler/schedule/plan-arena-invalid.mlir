// RUN: not nacre-opt %s --pass-pipeline='builtin.module(plan.entry(nacre-plan-arena{alignment=48}))' 2>&1 | FileCheck %s

// CHECK: nacre-plan-arena: alignment must be a power of two, but is 48
plan.entry @main {
}
