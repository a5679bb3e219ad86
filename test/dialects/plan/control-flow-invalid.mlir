// RUN: nacre-opt %s --split-input-file --verify-diagnostics

plan.entry @counts_are_wide {
  %n = plan.storage input "n" 0 : memref<i32>
  // expected-error @below {{must have one i64 as its count, but has 'memref<i32>'}}
  plan.for 3 count %n : memref<i32> {
  ^bb0(%t: index):
  }
}

// -----

plan.entry @conditions_are_one_byte {
  %c = plan.storage input "c" 0 : memref<2xi8>
  // expected-error @below {{must have one i8 as its condition, but has 'memref<2xi8>'}}
  plan.if %c : memref<2xi8> {
  }
}

// -----

plan.entry @conditions_of_loops_too {
  %c = plan.storage input "c" 0 : memref<i64>
  plan.while {
    // expected-error @below {{must have one i8 as its condition, but has 'memref<i64>'}}
    plan.condition %c : memref<i64>
  } do {
  }
}

// -----

plan.entry @a_while_tests {
  %c = plan.storage input "c" 0 : memref<i8>
  // expected-error @below {{must test a plan.condition}}
  plan.while {
    plan.launch @k(%c) into(%c) : (memref<i8>) into (memref<i8>)
  } do {
  }
}

// -----

plan.entry @a_while_tests_first {
  %c = plan.storage input "c" 0 : memref<i8>
  // expected-error @below {{must have its plan.condition in its condition region, not in its body}}
  plan.while {
    plan.condition %c : memref<i8>
  } do {
    plan.condition %c : memref<i8>
  }
}

// -----

plan.entry @counters_are_indices {
  %c = plan.storage input "c" 0 : memref<i8>
  // expected-error @below {{must have no argument of a region but the counter, an index}}
  plan.while {
    plan.condition %c : memref<i8>
  } do {
  ^bb0(%t: i64):
  }
}

// -----

plan.entry @branches_have_no_counter {
  %c = plan.storage input "c" 0 : memref<i8>
  // expected-error @below {{must have regions without arguments}}
  plan.if %c : memref<i8> {
  } else {
  ^bb0(%t: index):
  }
}

// -----

// Nobody knows how far the last iteration of a loop without a bound is.

plan.entry @views_need_a_bound {
  %c = plan.storage input "c" 0 : memref<i8>
  plan.while {
    plan.condition %c : memref<i8>
  } do {
  ^bb0(%t: index):
    // expected-error @below {{must take its counter from a plan.for, or from a plan.while with a bound}}
    %v = plan.view %c[%t] : memref<i8> to memref<1xi8>
  }
}

// -----

plan.entry @the_last_iteration_stays_inside {
  %x = plan.storage input "x" 0 : memref<64xf32>
  %c = plan.storage input "c" 1 : memref<i8>
  plan.while bound 65 {
    plan.condition %c : memref<i8>
  } do {
  ^bb0(%t: index):
    // expected-error @below {{must stay inside its source}}
    %v = plan.view %x[%t] {step = 1 : i64} : memref<64xf32> to memref<f32>
  }
}

// -----

plan.entry @backwards_too {
  %x = plan.storage input "x" 0 : memref<64xf32>
  plan.for 64 {
  ^bb0(%t: index):
    // expected-error @below {{must stay inside its source}}
    %v = plan.view %x[%t] {offset = 62 : i64, step = -1 : i64} : memref<64xf32> to memref<f32>
  }
}

// -----

plan.entry @less_than_a_row_ends_behind_the_source {
  %x = plan.storage input "x" 0 : memref<4x16xf32>
  %last = plan.view %x {offset = 15 : i64} : memref<4x16xf32> to memref<4x16xf32>
  // expected-error @below {{must stay inside its source}}
  %next = plan.view %x {offset = 16 : i64} : memref<4x16xf32> to memref<4x16xf32>
}

// -----

plan.entry @steps_do_not_overflow {
  %x = plan.storage input "x" 0 : memref<64xf32>
  plan.for 4611686018427387904 {
  ^bb0(%t: index):
    // expected-error @below {{must stay inside its source}}
    %v = plan.view %x[%t] {step = 4 : i64} : memref<64xf32> to memref<f32>
  }
}

// -----

plan.entry @loops_are_not_too_deep {
  %c = plan.storage input "c" 0 : memref<i8>
  plan.for 2 {
  ^bb0(%t: index):
    plan.for 2 {
    ^bb0(%u: index):
      plan.for 2 {
      ^bb0(%v: index):
        plan.for 2 {
        ^bb0(%w: index):
          plan.while {
            plan.condition %c : memref<i8>
          } do {
            plan.for 2 {
            ^bb0(%x: index):
              plan.for 2 {
              ^bb0(%y: index):
                plan.for 2 {
                ^bb0(%z: index):
                  plan.if %c : memref<i8> {
                    // expected-error @below {{must be nested in at most 7 other loops}}
                    plan.while {
                      plan.condition %c : memref<i8>
                    } do {
                    }
                  }
                }
              }
            }
          }
        }
      }
    }
  }
}

// -----

// Memory is the entry's: what is inside a loop is not another array in each iteration.

plan.entry @storages_are_of_entries {
  plan.for 2 {
  ^bb0(%t: index):
    // expected-error @below {{expects parent op 'plan.entry'}}
    %x = plan.storage temporary : memref<f32>
  }
}

// -----

// The table of steps has one step for each operand: the runtime would move this one with the inner loop.

plan.entry @views_move_with_the_innermost_loop {
  %x = plan.storage input "x" 0 : memref<2xf32>
  %c = plan.storage input "c" 1 : memref<2xi8>
  %y = plan.storage output "y" 0 : memref<f32>
  plan.for 2 {
  ^bb0(%t: index):
    %xt = plan.view %x[%t] {step = 1 : i64} : memref<2xf32> to memref<f32>
    %ct = plan.view %c[%t] {step = 1 : i64} : memref<2xi8> to memref<i8>
    plan.if %ct : memref<i8> {
      plan.launch @k(%xt) into(%y) : (memref<f32>) into (memref<f32>)
    }
    plan.for 2 {
    ^bb0(%u: index):
      // expected-error @below {{must work on views that move with the innermost loop around it}}
      plan.launch @k(%xt) into(%y) : (memref<f32>) into (memref<f32>)
    }
  }
}
