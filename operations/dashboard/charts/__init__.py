"""Charts as plain SVG: a module makes places out of numbers, a template draws them.

Places are per cent of the drawing, so that a chart is as wide as its frame, and its words stay as
large as the page's. The same numbers stand in a table beside it.
"""

from operations.dashboard.charts.bars import Bar, BarChart
from operations.dashboard.charts.lines import Line, LineChart

__all__ = ["Bar", "BarChart", "Line", "LineChart"]
