"""Messages of Django that people read here and that Django's own Croatian catalogue lacks.

Naming them makes them part of our catalogues, which come before Django's.
"""

from django.utils.translation import gettext_noop

MESSAGES = (
    gettext_noop("Null characters are not allowed."),
    gettext_noop("The password is too similar to the %(verbose_name)s."),
    gettext_noop("Your password can’t be too similar to your other personal information."),
    gettext_noop("This password is too common."),
    gettext_noop("Your password can’t be a commonly used password."),
    gettext_noop("This password is entirely numeric."),
    gettext_noop("Your password can’t be entirely numeric."),
)
