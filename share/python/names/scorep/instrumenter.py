"""When functions are recorded, by the names of Score-P's bindings."""

import popinjay


class enable(popinjay.instrument):
    """Functions are recorded inside `with enable():` or a function decorated with it."""

    def __init__(self, region_name=""):
        super().__init__(True, region_name)


class disable(popinjay.instrument):
    """Functions are not recorded inside."""

    def __init__(self, region_name=""):
        super().__init__(False, region_name)


def register():
    popinjay.native.instrument(True)


def unregister():
    popinjay.native.instrument(False)


def has_c_instrumenter():
    return True


class Instrumenter:
    """What get_instrumenter() gives."""

    register = staticmethod(register)
    unregister = staticmethod(unregister)

    @staticmethod
    def get_registered():
        return popinjay.native.instrumented()

    @staticmethod
    def region_begin(module_name, function_name, file_name=None, line_number=None, code_object=None):
        popinjay.native.begin(function_name, file_name, line_number)

    @staticmethod
    def region_end(module_name, function_name, code_object=None):
        popinjay.end(function_name)


def get_instrumenter(*arguments, **options):
    return Instrumenter()


def instrument_function(function, instrumenter_fun=popinjay.region):
    return instrumenter_fun()(function)


def instrument_module(module, instrumenter_fun=popinjay.region):
    popinjay.wrap_module(module, instrumenter_fun())
