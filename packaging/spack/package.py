# A recipe for Spack: copy it to packages/crosswind/package.py of a repository of your own (spack repo create), put the
# release's archive where you type "spack install crosswind".
import os

from spack.package import *


class Crosswind(CMakePackage):
    """Says where the communication of parallel machines loses time to contention on their interconnects, and what
    removes it: routes, collectives, jobs side by side and data transfers by counting, simulation and models."""

    homepage = "https://crosswind.invalid"
    manual_download = True  # there is no public place of its releases yet
    url = f"file://{os.getcwd()}/crosswind-0.1.0.tar.gz"

    license("BSD-3-Clause")

    version("0.1.0")

    variant("mpi", default=True, description="crosswind-mpi, and the libraries that are loaded into MPI programs")
    variant("clp", default=True, description="plans by linear programs, to the proven optimum")
    variant("opensm", default=True, description="OpenSM's routing engines")
    variant("pages", default=False, description="pages for browsers (--html); npm downloads what they are made of")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("ninja", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("python@3.9:", type="build")
    depends_on("npm", type="build", when="+pages")
    depends_on("random123@1.09:", type="build")

    depends_on("expat@2.4:")
    depends_on("hwloc@2:")
    depends_on("jansson@2.10:")
    depends_on("libarchive")
    depends_on("libyaml")
    depends_on("nettle@3:")
    depends_on("otf2@2:")
    depends_on("sqlite@3:")
    depends_on("xxhash")
    depends_on("zstd")
    depends_on("clp@1.17:", when="+clp")
    depends_on("mpi@3:", when="+mpi")

    generator("ninja")

    requires("^[virtuals=mpi] openmpi", "^[virtuals=mpi] mpich", policy="one_of", when="+mpi",
             msg="crosswind-mpi is for Open MPI and MPICH")

    def cmake_args(self):
        mpi = self.spec["mpi"].name if self.spec.satisfies("+mpi") else "OFF"
        return [
            self.define("CW_MPI", mpi),
            self.define_from_variant("CW_CLP", "clp"),
            self.define_from_variant("CW_OPENSM", "opensm"),
            self.define("BUILD_TESTING", False),
        ]

    @run_after("install")
    def check_install(self):
        Executable(self.prefix.bin.crosswind)("topo", "torus:4x4")
