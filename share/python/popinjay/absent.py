"""What the program's calls do where nothing is recorded: nothing."""


def check(name):
    if not isinstance(name, str):
        raise TypeError("the name of a region is a str")


class region:
    """A named part of the program: with region(name), @region(name), @region()."""

    def __init__(self, name=""):
        if name is not None:
            check(name)

    def __enter__(self):
        return self

    def __exit__(self, *reason):
        return False

    def __call__(self, function):
        return function


def begin(name, file=None, line=None):
    check(name)


def end(name):
    check(name)
    return True


def parameter(name, value, natural=False):
    check(name)


def on():
    pass


def off():
    pass


def mark(name):
    check(name)


def rewind(name, discard=True):
    check(name)
    return True


def instrument(wanted):
    return False


def instrumented():
    return False


def active():
    return False
