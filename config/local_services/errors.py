"""The one error that callers of the local services see."""


class UnableToStartService(RuntimeError):
    """A local PostgreSQL or Valkey is not to be had; the text says why and what to do."""
