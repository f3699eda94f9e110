"""The replication pack of a study: its contents, and how it is imported again. See docs/formats.md."""

FORMAT = "lesart-replication-pack/1"
PROJECT = "lesart-project/1"
