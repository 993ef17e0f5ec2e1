"""Where providers report to: signatures are checked here, events are taken in by `events`."""
