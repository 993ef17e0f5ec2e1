"""People with a confirmed address, who may get mail unless a test says otherwise."""

from typing import Any

import factory
from allauth.account.models import EmailAddress

from marketplace.models import User


class UserFactory(factory.django.DjangoModelFactory[User]):
    """An eligible person; `is_verified=False` leaves the address unconfirmed."""

    class Meta:
        model = User
        skip_postgeneration_save = True

    email = factory.Sequence(lambda n: f"person{n}@example.com")
    name = factory.Sequence(lambda n: f"Person {n}")
    time_zone = "Europe/Berlin"

    @factory.post_generation
    def is_verified(self: Any, create: bool, extracted: bool | None, **kwargs: Any) -> None:
        if create and extracted is not False and self.email:
            EmailAddress.objects.create(user=self, email=self.email, verified=True, primary=True)
