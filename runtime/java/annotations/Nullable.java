// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
package androidx.annotation;

import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;

/** Only to compile against: not in the jar. */
@Retention(RetentionPolicy.CLASS)
public @interface Nullable {}
