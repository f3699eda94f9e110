"""Model servers, calls, runs and the workers that make them; knows no word of the domain."""
