"""What the answers of a study say: the parts that protocols share, and in `registry` the report of each."""
