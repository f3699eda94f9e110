"""Figures, drawn without a browser or a network: the style that protocols share; `registry` lists each figure."""
