"""The admin of people: accounts, their addresses, suspensions, tokens, groups."""

from marketplace.admin import addresses, groups, people, sign_ins, suspensions, tokens
from marketplace.admin.lists import ListAdmin, ReadOnlyAdmin
from marketplace.admin.people import UserAdmin

__all__ = [
    "ListAdmin",
    "ReadOnlyAdmin",
    "UserAdmin",
    "addresses",
    "groups",
    "people",
    "sign_ins",
    "suspensions",
    "tokens",
]
