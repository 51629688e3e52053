"""PETSc's conjugate gradients on a square of points: products with neighbours, and two sums over all ranks an iteration.
usage: poisson.py SIDE ITERATIONS"""
import sys

import petsc4py

petsc4py.init(sys.argv[:1])
from petsc4py import PETSc  # noqa: E402  after init

side, iterations = map(int, sys.argv[1:])
matrix = PETSc.Mat().createAIJ([side * side, side * side], nnz=5)
for row in range(*matrix.getOwnershipRange()):
    matrix[row, row] = 4
    for there, column in ((row % side > 0, row - 1), (row % side < side - 1, row + 1),
                          (row >= side, row - side), (row < side * (side - 1), row + side)):
        if there:
            matrix[row, column] = -1
matrix.assemble()
solution, right = matrix.createVecs()
right.set(1)
solver = PETSc.KSP().create()
solver.setOperators(matrix)
solver.setType("cg")
solver.getPC().setType("jacobi")
solver.setTolerances(rtol=1e-30, atol=1e-300, max_it=iterations)
solver.solve(right, solution)
