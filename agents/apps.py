from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class AgentsConfig(AppConfig):
    name = "agents"
    verbose_name = _("Search agents")

    def ready(self) -> None:
        """Answer for digests and welcomes; listen for new people and confirmed addresses."""
        # Models exist only now.
        from agents import agent_data, defaults, digest_previews, digests, welcome  # noqa: F401
        from marketplace import mail_previews, personal_data
        from notifications import sources

        source = digests.DigestSource()
        sources.register("digest", source)
        sources.register(digests.WELCOME, source)
        personal_data.register("agents", agent_data.AgentKeeper())
        for kind in ("digest", digests.WELCOME):
            mail_previews.register(kind, digest_previews.previewer(kind))
