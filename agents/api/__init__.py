"""The JSON API of a person's own agents: what the pages can do, for programs."""
