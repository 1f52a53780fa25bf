"""Regions, parameters and switches, by the names of Score-P's bindings."""

import popinjay
from popinjay import on as enable_recording
from popinjay import off as disable_recording
from popinjay import finish as force_finalize
from popinjay import region
from popinjay import end as region_end

__all__ = ["region", "region_begin", "region_end", "rewind_begin", "rewind_end", "oa_region_begin",
           "oa_region_end", "enable_recording", "disable_recording", "force_finalize",
           "reregister_exit_handler", "parameter_int", "parameter_uint", "parameter_string"]


def region_begin(name, file_name=None, line_number=None):
    popinjay.native.begin(name, file_name, line_number)


def rewind_begin(name, file_name=None, line_number=None):
    popinjay.native.mark(name)


def rewind_end(name, value):
    popinjay.native.rewind(name, bool(value))


def oa_region_begin(name, file_name=None, line_number=None):
    region_begin(name, file_name, line_number)


def oa_region_end(name):
    region_end(name)


def reregister_exit_handler():
    """Nothing need be done: no event is lost without it."""


def parameter_int(name, value):
    popinjay.parameter(name, value)


def parameter_uint(name, value):
    popinjay.parameter(name, value, natural=True)


def parameter_string(name, value):
    popinjay.parameter(name, str(value))
