"""What Prometheus is told: see docs/monitoring.md."""

from operations.metrics.exposition import CONTENT_TYPE, exposition

__all__ = ["CONTENT_TYPE", "exposition"]
