"""Lets the package mbrs be imported without the packages of neural metrics that it names."""
import importlib.abc
import importlib.machinery
import sys
import types


class Absent(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Stands for packages that are imported and not called."""

    def __init__(self, packages):
        self.packages = packages

    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in self.packages:
            return importlib.machinery.ModuleSpec(name, self, is_package=True)

    def create_module(self, spec):
        module = types.ModuleType(spec.name)
        module.__getattr__ = self.member
        return module

    @staticmethod
    def member(name):
        if name.startswith("__"):
            raise AttributeError(name)
        return type(name, (), {})

    def exec_module(self, module):
        pass


def without(*packages):
    sys.meta_path.insert(0, Absent(packages))
