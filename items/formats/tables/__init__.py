"""Tables (CSV): one row a text, or one row an item. `cells` reads them, `columns` says what a column means."""
