"""What is asked of whom: instruments, protocols, studies, assignments, drafts and responses."""
