"""Whether messages may leave now: quotas, pauses and the circuit breaker of each provider."""

from notifications.limiter.gate import Admitted, NotYet, ProviderGate

__all__ = ["Admitted", "NotYet", "ProviderGate"]
