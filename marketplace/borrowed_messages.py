"""Messages of Django and allauth that people read here, and that need words of our own.

Django's Croatian catalogue lacks some, and allauth's German one says "du" where this site says
"Sie". Naming them makes them part of our catalogues, which come before theirs. The texts must be
those packages' own to the letter: a test compares them.
"""

from django.utils.translation import gettext_noop

DJANGO = (
    gettext_noop("Null characters are not allowed."),
    gettext_noop("The password is too similar to the %(verbose_name)s."),
    gettext_noop("Your password can’t be too similar to your other personal information."),
    gettext_noop("This password is too common."),
    gettext_noop("Your password can’t be a commonly used password."),
    gettext_noop("This password is entirely numeric."),
    gettext_noop("Your password can’t be entirely numeric."),
)

ALLAUTH = (
    gettext_noop("You cannot remove your primary email address."),
    gettext_noop("Please type your current password."),
    gettext_noop("You cannot add more than %d email addresses."),
    gettext_noop("Too many failed login attempts. Try again later."),
    gettext_noop("Your primary email address must be verified."),
    gettext_noop("You must type the same password each time."),
    gettext_noop("Do you really want to remove the selected email address?"),
    gettext_noop("Thank you for using %(site_name)s!\n%(site_domain)s"),
    gettext_noop("Your password has been changed."),
    gettext_noop(
        'Please confirm that <a href="mailto:%(email)s">%(email)s</a> is an email address'
        " for user %(user_display)s."
    ),
    gettext_noop(
        "This email confirmation link expired or is invalid. Please <a "
        'href="%(email_url)s">issue a new email confirmation request</a>.'
    ),
    gettext_noop(
        "If you have not created an account yet, then please %(link)ssign up%(end_link)s first."
    ),
    gettext_noop("Are you sure you want to sign out?"),
    gettext_noop("You cannot remove your primary email address (%(email)s)."),
    gettext_noop("You have confirmed %(email)s."),
    gettext_noop("You have signed out."),
    gettext_noop(
        "Forgotten your password? Enter your email address below, and we'll send you an "
        "email allowing you to reset it."
    ),
    gettext_noop("Please contact us if you have any trouble resetting your password."),
    gettext_noop(
        "We have sent you an email. If you have not received it please check your spam "
        "folder. Otherwise contact us if you do not receive it in a few minutes."
    ),
    gettext_noop(
        "The password reset link was invalid, possibly because it has already been used."
        '  Please request a <a href="%(passwd_reset_url)s">new password reset</a>.'
    ),
    gettext_noop("Your password is now changed."),
    gettext_noop("Already have an account? Then please %(link)ssign in%(end_link)s."),
    gettext_noop("You are already logged in as %(user_display)s."),
    gettext_noop(
        "You currently do not have any email address set up. You should really add an "
        "email address so you can receive notifications, reset your password, etc."
    ),
    gettext_noop("Verify Your Email Address"),
    gettext_noop(
        "We have sent an email to you for verification. Follow the link provided to "
        "finalize the signup process. If you do not see the verification email in your "
        "main inbox, check your spam folder. Please contact us if you do not receive the "
        "verification email within a few minutes."
    ),
    gettext_noop("Password (again)"),
    gettext_noop("New Password (again)"),
    gettext_noop("Bad Token"),
    gettext_noop("Invalid or expired key."),
    gettext_noop("The password reset token was invalid."),
    gettext_noop("Be patient, you are sending too many requests."),
    gettext_noop("You must type the same email each time."),
    gettext_noop("Your email address is still pending verification."),
    gettext_noop("Confirmation email sent to %(email)s."),
    gettext_noop("Please reauthenticate to safeguard your account."),
    gettext_noop("Sign Up Closed"),
    gettext_noop("We are sorry, but the sign up is currently closed."),
    gettext_noop("Authenticator secret"),
    gettext_noop("I have saved my recovery codes"),
    gettext_noop("You are about to generate a new set of recovery codes for your account."),
    gettext_noop(
        "You are about to deactivate authenticator app based authentication. Are you sure?"
    ),
)
