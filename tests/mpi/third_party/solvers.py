"""PETSc's pipelined Krylov methods, whose sums over all ranks (MPI_Iallreduce) go on beside products and preconditioners.
On two ranks a sum has one order only: residuals are the same to the last bit with whatever carries it out."""
import sys

import petsc4py

petsc4py.init(sys.argv)
from petsc4py import PETSc  # noqa: E402  after init

SIDE = 60

matrix = PETSc.Mat().createAIJ([SIDE * SIDE, SIDE * SIDE], nnz=5)
for row in range(*matrix.getOwnershipRange()):
    matrix[row, row] = 4
    for there, column in ((row % SIDE > 0, row - 1), (row % SIDE < SIDE - 1, row + 1),
                          (row >= SIDE, row - SIDE), (row < SIDE * (SIDE - 1), row + SIDE)):
        if there:
            matrix[row, column] = -1
matrix.assemble()
solution, right = matrix.createVecs()
right.set(1)
for method in ("pipecg", "pipecr", "pipebcgs", "pgmres", "groppcg"):
    solver = PETSc.KSP().create()
    solver.setOperators(matrix)
    solver.setType(method)
    solver.getPC().setType("jacobi")
    solver.setTolerances(rtol=1e-8, max_it=300)
    solution.set(0)
    solver.solve(right, solution)
    norm = solution.norm()
    if matrix.comm.rank == 0:
        print(method, solver.getIterationNumber(), solver.getResidualNorm().hex(), norm.hex())
