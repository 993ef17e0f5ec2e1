"""Settings of accounts: how people sign up, sign in, prove who they are, and change their address.

Values only; `settings` takes them over as they stand. Attempts are limited by allauth's own
defaults (sign-up, sign-in, codes, reset, confirmation, change of address), counted in the cache.
"""

AUTH_USER_MODEL = "marketplace.User"
# The address is unique by a constraint on its lower case form, which the check cannot see.
SILENCED_SYSTEM_CHECKS = ["auth.W004"]
AUTHENTICATION_BACKENDS = ["allauth.account.auth_backends.AuthenticationBackend"]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in (
        "UserAttributeSimilarityValidator",
        "MinimumLengthValidator",
        "CommonPasswordValidator",
        "NumericPasswordValidator",
    )
]
LOGIN_URL = "account_login"
LOGIN_REDIRECT_URL = "/agents/"
LOGOUT_REDIRECT_URL = "/"

ACCOUNT_ADAPTER = "marketplace.adapter.AccountAdapter"
ACCOUNT_USER_MODEL_USERNAME_FIELD = None
ACCOUNT_LOGIN_METHODS = {"email"}
ACCOUNT_SIGNUP_FIELDS = ["email*", "password1*", "password2*"]
ACCOUNT_EMAIL_VERIFICATION = "mandatory"
ACCOUNT_CONFIRM_EMAIL_ON_GET = False
ACCOUNT_LOGIN_ON_EMAIL_CONFIRMATION = False
ACCOUNT_UNIQUE_EMAIL = True
ACCOUNT_PREVENT_ENUMERATION = True
# A new address counts once it is confirmed; until then everything goes to the old one.
ACCOUNT_CHANGE_EMAIL = True
# Whoever finds a browser open must not take the account over: the password is asked for again,
# also right after signing in, and then not for five minutes.
ACCOUNT_REAUTHENTICATION_REQUIRED = True
# People are told of changes that somebody else could have made.
ACCOUNT_EMAIL_NOTIFICATIONS = True
ACCOUNT_LOGIN_BY_CODE_ENABLED = True

MFA_ADAPTER = "marketplace.two_factor.TwoFactorAdapter"
# Not passkeys: their pages need scripts inside the page.
MFA_SUPPORTED_TYPES = ["totp", "recovery_codes"]
MFA_TOTP_ISSUER = "Marktlotse"
# One step of a clock that is slow or fast.
MFA_TOTP_TOLERANCE = 1
# Nobody gets in without a confirmed address; the one that waits here is only a new one.
MFA_ALLOW_UNVERIFIED_EMAIL = True
