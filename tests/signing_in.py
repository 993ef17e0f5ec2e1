"""Somebody who has just proved who they are, as pages want it that ask again after a while."""

import time

from django.test import Client

from marketplace.models import User


def sign_in_just_now(client: Client, user: User) -> None:
    """The client is this person, and entered the password a moment ago."""
    client.force_login(user)
    session = client.session
    session["account_authentication_methods"] = [
        {"method": "password", "at": time.time(), "reauthenticated": True}
    ]
    session["account_authentication_methods_user"] = str(user.pk)
    session.save()
