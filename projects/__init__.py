"""Who may do what: projects, memberships, sign-in and the access functions."""
