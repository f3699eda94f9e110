"""The single answers behind a number of a report: listings that protocols share, and in `registry` each table."""
