"""The admin of people: accounts, their addresses, suspensions, tokens, groups."""

from marketplace.admin import addresses, groups, people, sign_ins, suspensions, tokens
from marketplace.admin.bounded import BoundedChangeList, CappedPaginator
from marketplace.admin.lists import ListAdmin, ReadOnlyAdmin, ShortListAdmin
from marketplace.admin.people import UserAdmin

__all__ = [
    "BoundedChangeList",
    "CappedPaginator",
    "ListAdmin",
    "ReadOnlyAdmin",
    "ShortListAdmin",
    "UserAdmin",
    "addresses",
    "groups",
    "people",
    "sign_ins",
    "suspensions",
    "tokens",
]
