"""The parts of reports that protocols share."""
