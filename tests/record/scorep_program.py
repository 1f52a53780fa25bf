"""A program written for Score-P's Python bindings."""

import sys

import scorep.instrumenter
import scorep.user


def plain():
    return 1


def switched():
    return 2


with scorep.user.region("one"):
    total = plain()
scorep.user.region_begin("two")
with scorep.instrumenter.enable("now"):
    total += switched()
scorep.user.region_end("two")
scorep.user.parameter_int("int", -1)
scorep.user.parameter_uint("uint", 1)
scorep.user.parameter_string("string", "text")
scorep.user.region_end("never begun")
scorep.user.region_end("never begun too")
print(sys.argv[1], total)
