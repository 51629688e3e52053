"""Results as tables: data frames where pandas is there, else columns of numpy arrays; with what is known of them."""
import numpy as np

__all__ = ["Columns", "table"]


class Columns(dict):
    """A table without pandas: arrays of one length by the names of their columns, and `attrs` as data frames have
    it."""

    def __init__(self, columns, attrs):
        super().__init__({name: np.asarray(values) for name, values in columns.items()})
        self.attrs = attrs


def table(columns, units, **attrs):
    """A table of COLUMNS {name: values}. Its `attrs` have "units" {name: unit}, of the columns that have one, and
    whatever else ATTRS say."""
    about = {"units": {name: unit for name, unit in units.items() if name in columns and unit}, **attrs}
    try:
        import pandas
    except ImportError:
        return Columns(columns, about)
    frame = pandas.DataFrame(columns)
    frame.attrs.update(about)
    return frame
