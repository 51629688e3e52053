"""One file of mpi4py's own tests. mpi4py_suite.py FOLDER MODULE OUTCOMES: what became of each test on this rank is a line of
the file OUTCOMES.RANK, written as soon as it is known."""
import os
import sys
import traceback
import unittest

folder, module, outcomes = sys.argv[1:]
sys.argv[1:] = []
sys.path.insert(0, folder)
for absent in ("cupy", "numba"):  # as mpi4py's own runner does where they are not asked for
    sys.modules[absent] = None

from mpi4py import MPI  # noqa: E402  after the path


class Outcomes(unittest.TestResult):
    def __init__(self, file):
        super().__init__()
        self.file, self.worst = file, "ok"

    def startTest(self, test):
        super().startTest(test)
        self.worst = "ok"

    def stopTest(self, test):
        super().stopTest(test)
        print(self.worst, test.id(), file=self.file, flush=True)

    def addSkip(self, test, reason):
        super().addSkip(test, reason)
        self.worst = "skipped"

    def failed(self, test, err):
        self.worst = "failed"
        print(f"{test.id()} on rank {MPI.COMM_WORLD.rank}:", file=sys.stderr)
        traceback.print_exception(*err)

    def addError(self, test, err):
        super().addError(test, err)
        self.failed(test, err)

    def addFailure(self, test, err):
        super().addFailure(test, err)
        self.failed(test, err)

    def addSubTest(self, test, subtest, err):
        super().addSubTest(test, subtest, err)
        if err is not None:
            self.failed(test, err)


with open(f"{outcomes}.{MPI.COMM_WORLD.rank}", "w", encoding="utf-8") as file:
    os.chdir(folder)
    result = Outcomes(file)
    unittest.TestLoader().loadTestsFromName(module).run(result)
    print("end", module, file=file)
