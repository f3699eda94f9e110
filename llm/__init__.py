"""Work done in the background, by workers; knows no word of the domain."""
