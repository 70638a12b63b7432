"""Plots of a comparison: `catalogue` tells which there are, `draw` draws one, `files` writes them to a directory.

Loading this package loads no matplotlib; drawing does.
"""
