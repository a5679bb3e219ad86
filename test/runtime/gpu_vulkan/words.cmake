# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Writes the 32-bit words of a file as numbers that an array can be initialised with. usage: cmake -DINPUT= -DOUTPUT= -P
file(READ ${INPUT} digits HEX)
string(REGEX REPLACE "(..)(..)(..)(..)" "0x\\4\\3\\2\\1," words "${digits}")
file(WRITE ${OUTPUT} "${words}\n")
