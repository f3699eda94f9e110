"""Model servers, calls, runs and the workers that make them; independent of the domain."""
