"""Figures, drawn without a browser or a network: style that protocols share, and in `registry` each figure."""
