"""What providers report about our messages: one vocabulary, stored once, applied once."""

from notifications.events.receiving import Received, receive
from notifications.events.reported import ReportedEvent, UnableToReadEvents

__all__ = ["Received", "ReportedEvent", "UnableToReadEvents", "receive"]
