// RUN: nacre-opt %s --split-input-file --verify-diagnostics

func.func @many_conditions(%c: tensor<2xi1>) {
  // expected-error@+1 {{the condition must have one element, but is 'tensor<2xi1>'}}
  nn.if %c : tensor<2xi1> {
    nn.yield
  } else {
    nn.yield
  }
  return
}

// -----

func.func @a_branch_yields_less(%c: tensor<i1>, %x: tensor<4xf32>) {
  %y = nn.if %c : tensor<i1> -> (tensor<4xf32>) {
    nn.yield %x : tensor<4xf32>
  } else {
    // expected-error@+1 {{values of a branch must be 1, but are 0}}
    nn.yield
  }
  return
}

// -----

func.func @a_branch_yields_another_type(%c: tensor<i1>, %x: tensor<4xf32>, %z: tensor<1x4xf32>) {
  %y = nn.if %c : tensor<i1> -> (tensor<4xf32>) {
    nn.yield %x : tensor<4xf32>
  } else {
    // expected-error@+1 {{number 0 of the values of a branch must be 'tensor<4xf32>', but is 'tensor<1x4xf32>'}}
    nn.yield %z : tensor<1x4xf32>
  }
  return
}

// -----

func.func @a_branch_stacks(%c: tensor<i1>, %x: tensor<4xf32>) {
  // expected-error@+1 {{branches must stack nothing, but else does}}
  nn.if %c : tensor<i1> {
    nn.yield
  } else {
    nn.yield stacked(%x : tensor<4xf32>)
  }
  return
}

// -----

func.func @a_branch_with_arguments(%c: tensor<i1>) {
  // expected-error@+1 {{branches must have no arguments, but then has 1}}
  nn.if %c : tensor<i1> {
  ^bb0(%x: tensor<f32>):
    nn.yield
  } else {
    nn.yield
  }
  return
}

// -----

func.func @rows_and_iterations_differ(%xs: tensor<5xf32>) {
  // expected-error@+1 {{a scanned operand must have a row for each of 4 iterations, but is 'tensor<5xf32>'}}
  nn.for 4 scanned(%xs : tensor<5xf32>) {
  ^bb0(%iteration: tensor<i64>, %x: tensor<f32>):
    nn.yield
  }
  return
}

// -----

func.func @no_counter(%x: tensor<f32>) {
  // expected-error@+1 {{arguments of a region must be 2, but are 1}}
  %y = nn.for 4 carried(%x : tensor<f32>) -> (tensor<f32>) {
  ^bb0(%h: tensor<f32>):
    nn.yield %h : tensor<f32>
  }
  return
}

// -----

func.func @a_narrow_counter() {
  // expected-error@+1 {{number 0 of the arguments of a region must be 'tensor<i64>', but is 'tensor<i32>'}}
  nn.for 4 {
  ^bb0(%iteration: tensor<i32>):
    nn.yield
  }
  return
}

// -----

func.func @carries_another_type(%x: tensor<f32>) {
  %y = nn.for 4 carried(%x : tensor<f32>) -> (tensor<f32>) {
  ^bb0(%iteration: tensor<i64>, %h: tensor<f32>):
    // expected-error@+1 {{number 0 of the carried values must be 'tensor<f32>', but is 'tensor<i64>'}}
    nn.yield %iteration : tensor<i64>
  }
  return
}

// -----

func.func @a_stack_of_other_rows() {
  // expected-error@+1 {{number 0 of the results of a loop must be 'tensor<4xi64>', but is 'tensor<5xi64>'}}
  %y = nn.for 4 -> (tensor<5xi64>) {
  ^bb0(%iteration: tensor<i64>):
    nn.yield stacked(%iteration : tensor<i64>)
  }
  return
}

// -----

func.func @a_narrow_count(%n: tensor<i32>) {
  // expected-error@+1 {{the count must be one element of i64, but is 'tensor<i32>'}}
  nn.for 4 count(%n : tensor<i32>) {
  ^bb0(%iteration: tensor<i64>):
    nn.yield
  }
  return
}

// -----

func.func @a_count_from_the_end(%n: tensor<i64>) {
  // expected-error@+1 {{must not be reversed if a count states the number of rows}}
  nn.for 4 count(%n : tensor<i64>) reverse {
  ^bb0(%iteration: tensor<i64>):
    nn.yield
  }
  return
}

// -----

func.func @fewer_than_no_iterations() {
  // expected-error@+1 {{attribute 'trip_count' failed to satisfy constraint: number of iterations whose value is non-negative}}
  nn.for -1 {
  ^bb0(%iteration: tensor<i64>):
    nn.yield
  }
  return
}

// -----

func.func @a_stack_without_a_bound(%go: tensor<i1>) {
  // expected-error@+1 {{must have a bound if its body stacks rows}}
  %all, %trips = nn.while -> (tensor<4xi64>) {
  ^bb0(%iteration: tensor<i64>):
    nn.condition %go : tensor<i1>
  } do {
  ^bb0(%iteration: tensor<i64>):
    nn.yield stacked(%iteration : tensor<i64>)
  }
  return
}

// -----

func.func @no_condition(%go: tensor<i1>) {
  // expected-error@+1 {{region 0 must end in 'nn.condition'}}
  %trips = nn.while {
  ^bb0(%iteration: tensor<i64>):
    nn.yield
  } do {
  ^bb0(%iteration: tensor<i64>):
    nn.yield
  }
  return
}

// -----

func.func @too_deep(%x: tensor<f32>) {
  nn.for 2 { ^bb0(%t0: tensor<i64>):
    nn.for 2 { ^bb0(%t1: tensor<i64>):
      nn.for 2 { ^bb0(%t2: tensor<i64>):
        nn.for 2 { ^bb0(%t3: tensor<i64>):
          nn.for 2 { ^bb0(%t4: tensor<i64>):
            nn.for 2 { ^bb0(%t5: tensor<i64>):
              nn.for 2 { ^bb0(%t6: tensor<i64>):
                nn.for 2 { ^bb0(%t7: tensor<i64>):
                  // expected-error@+1 {{must nest at most 8 deep, but is 9 deep}}
                  nn.for 2 { ^bb0(%t8: tensor<i64>):
                    nn.yield
                  }
                  nn.yield
                }
                nn.yield
              }
              nn.yield
            }
            nn.yield
          }
          nn.yield
        }
        nn.yield
      }
      nn.yield
    }
    nn.yield
  }
  return
}

// -----

func.func @results(%x: tensor<f32>) -> tensor<f32> {
  // expected-error@+1 {{must yield one tensor of floats}}
  %0 = nn.gradient of(%x : tensor<f32>) -> (tensor<f32>) {
  ^bb0(%a: tensor<f32>):
    nn.yield %a, %a : tensor<f32>, tensor<f32>
  }
  return %0 : tensor<f32>
}
