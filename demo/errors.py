"""The one error of this app that people are meant to read."""


class UnableToRunDemo(RuntimeError):
    """The demonstration cannot go on; the text says why and what to do."""
