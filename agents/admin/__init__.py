"""The admin of search agents, their runs, their people's mail times, and beat's schedule."""

from agents.admin import agents, people, runs, schedule

__all__ = ["agents", "people", "runs", "schedule"]
