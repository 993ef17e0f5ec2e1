"""Industries and regions: two-level trees, named in every language of the site."""

from django.db import models
from django.utils.translation import get_language
from django.utils.translation import gettext_lazy as _


class NamedNode(models.Model):
    """A node of a two-level tree (section → division, country → subdivision) named per language."""

    code = models.CharField(_("code"), max_length=10, primary_key=True)
    parent = models.ForeignKey(
        "self",
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="children",
        verbose_name=_("belongs to"),
    )
    name_en = models.CharField(_("name (English)"), max_length=200)
    name_de = models.CharField(_("name (German)"), max_length=200)
    name_hr = models.CharField(_("name (Croatian)"), max_length=200)

    class Meta:
        abstract = True
        ordering = ["code"]

    def __str__(self) -> str:
        return self.name

    @property
    def name(self) -> str:
        """The name in the active language, English where there is none."""
        return self.name_in(get_language() or "en")

    def name_in(self, language: str) -> str:
        """The name in `language` (`en`, `de`, `hr`, or a variant such as `de-at`)."""
        return str(getattr(self, f"name_{language[:2]}", self.name_en))


class Industry(NamedNode):
    """A NACE Rev. 2 section (`C`) or division (`C16`)."""

    class Meta(NamedNode.Meta):
        verbose_name = _("industry")
        verbose_name_plural = _("industries")


class Region(NamedNode):
    """An ISO 3166 country (`DE`) or subdivision (`DE-BY`)."""

    class Meta(NamedNode.Meta):
        verbose_name = _("region")
        verbose_name_plural = _("regions")
