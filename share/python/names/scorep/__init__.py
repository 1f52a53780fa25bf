"""The names of Score-P's Python bindings, served by popinjay's recorder."""

__version__ = "4.4.0"
