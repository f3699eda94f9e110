"""All that writes projects, members, invitations, sign-in links and accounts; shared by pages and commands."""
