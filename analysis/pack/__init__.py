"""The replication pack of a study: what is in it, and how it is read again. See docs/formats.md."""

FORMAT = "lesart-replication-pack/1"
PROJECT = "lesart-project/1"
