# Put popinjay-VERSION.tar.gz (git archive --prefix) where Spack is called.
import os

from spack.package import *


class Popinjay(CMakePackage):
    """POP efficiency metrics of parallel programs, in Jupyter and in the shell."""

    manual_download = True
    url = f"file://{os.getcwd()}/popinjay-0.2.0.tar.gz"

    license("BSD-3-Clause")

    version("0.2.0")

    variant("kernel", default=True, description="The Jupyter kernel")
    variant("graphviz", default=False, description="Pictures of call graphs")
    variant("mpi", default=False, description="Several processes in one analysis, recording of MPI")

    depends_on("c", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("xxhash", type="build")
    depends_on("python@3.8:", type=("build", "run"))
    depends_on("cairo+fc+ft+pdf+png+svg")
    depends_on("expat")
    depends_on("isa-l")
    depends_on("jansson")
    depends_on("lua@5.4")
    depends_on("md4c")
    depends_on("otf2")
    depends_on("fontconfig")
    depends_on("pango")
    depends_on("sqlite")
    depends_on("zlib-api")
    depends_on("zstd")
    depends_on("libzmq", when="+kernel")
    depends_on("openssl", when="+kernel")
    depends_on("graphviz+pangocairo", when="+graphviz")
    depends_on("mpi", when="+mpi")

    conflicts("platform=darwin")
    conflicts("platform=windows")

    def cmake_args(self):
        return [
            self.define_from_variant("PJ_KERNEL", "kernel"),
            self.define("PJ_TESTS", False),
            self.define("CMAKE_DISABLE_FIND_PACKAGE_MPI", not self.spec.satisfies("+mpi")),
        ]

    def setup_run_environment(self, env):
        env.prepend_path("JUPYTER_PATH", join_path(self.prefix, "share", "jupyter"))
