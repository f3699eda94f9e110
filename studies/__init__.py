"""Who is asked what: instruments, protocols, studies, assignments, drafts and responses."""
