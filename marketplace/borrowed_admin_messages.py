"""Messages of the admin and of its design that come without German or Croatian.

See `marketplace.borrowed_messages`: naming them makes them part of our catalogues.
"""

from django.utils.translation import gettext_noop, ngettext_lazy

DJANGO = (
    gettext_noop("Empty"),
    gettext_noop("Not empty"),
    gettext_noop("Addition"),
    gettext_noop("Deletion"),
    gettext_noop("Added “%(object)s”."),
    gettext_noop("Changed “%(object)s” — %(changes)s"),
    gettext_noop("Deleted “%(object)s.”"),
    gettext_noop("Added {name} “{object}”."),
    gettext_noop("Changed {fields} for {name} “{object}”."),
    gettext_noop("Changed {fields}."),
    gettext_noop("Deleted {name} “{object}”."),
    gettext_noop("Hold down “Control”, or “Command” on a Mac, to select more than one."),
    gettext_noop("Select this object for an action - {}"),
    gettext_noop("The {name} “{obj}” was added successfully."),
    gettext_noop("You may edit it again below."),
    gettext_noop("The {name} “{obj}” was added successfully. You may add another {name} below."),
    gettext_noop("The {name} “{obj}” was changed successfully. You may edit it again below."),
    gettext_noop("The {name} “{obj}” was changed successfully. You may add another {name} below."),
    gettext_noop("The {name} “{obj}” was changed successfully."),
    gettext_noop("The %(name)s “%(obj)s” was deleted successfully."),
    gettext_noop("%(name)s with ID “%(key)s” doesn’t exist. Perhaps it was deleted?"),
    gettext_noop("View %s"),
    gettext_noop("Breadcrumbs"),
    gettext_noop("Model name"),
    gettext_noop("Add link"),
    gettext_noop("Change or view list link"),
    gettext_noop("You don’t have permission to view or edit anything."),
    gettext_noop("Error:"),
    gettext_noop("Set password"),
    gettext_noop(
        "This action will <strong>enable</strong> password-based authentication for this user."
    ),
    gettext_noop("Disable password-based authentication"),
    gettext_noop("Enable password-based authentication"),
    gettext_noop("Skip to main content"),
    gettext_noop("Hide counts"),
    gettext_noop("Show counts"),
    gettext_noop("Clear all filters"),
    gettext_noop("Yes, I’m sure"),
    gettext_noop("Added:"),
    gettext_noop("Changed:"),
    gettext_noop("Deleted:"),
    gettext_noop("Forgotten your login credentials?"),
    gettext_noop("Toggle navigation"),
    gettext_noop("Sidebar"),
    gettext_noop("Start typing to filter…"),
    gettext_noop("Filter navigation items"),
    gettext_noop(
        "This object doesn’t have a change history. It probably wasn’t added via this admin site."
    ),
    gettext_noop("Popup closing…"),
    gettext_noop("Save and view"),
    gettext_noop("View selected %(model)s"),
    gettext_noop("Thanks for spending some quality time with the web site today."),
    gettext_noop(
        "Please enter your old password, for security’s sake, and then enter your new "
        "password twice so we can verify you typed it in correctly."
    ),
    gettext_noop("Select all objects on this page for an action"),
    gettext_noop("Select %s to view"),
    gettext_noop("Conflicting form data submitted. Please try again."),
    gettext_noop("Password-based authentication was disabled."),
    gettext_noop("Set password: %s"),
    gettext_noop("Authentication and Authorization"),
    gettext_noop("Reset password"),
    gettext_noop("The two password fields didn’t match."),
    gettext_noop(
        "Whether the user will be able to authenticate using a password or not. If disabled, "
        "they may still be able to authenticate using other backends, such as Single Sign-On "
        "or LDAP."
    ),
    gettext_noop("Password-based authentication"),
    gettext_noop("Enabled"),
    gettext_noop("Disabled"),
    gettext_noop("Raw passwords are not stored, so there is no way to see the user’s password."),
    gettext_noop("Enable password-based authentication for this user by setting a password."),
    gettext_noop("“%(pk)s” is not a valid value."),
    gettext_noop(
        "%(datetime)s couldn’t be interpreted in time zone %(current_timezone)s; it may be "
        "ambiguous or it may not exist."
    ),
    gettext_noop("Enter a valid JSON."),
    gettext_noop("“%(value)s” value must be a decimal number."),
    gettext_noop("“%(value)s” value must be an integer."),
    ngettext_lazy("Please correct the error below.", "Please correct the errors below."),
    ngettext_lazy("entry", "entries"),
    ngettext_lazy(
        "This password is too short. It must contain at least %d character.",
        "This password is too short. It must contain at least %d characters.",
    ),
)

UNFOLD = (
    gettext_noop("Select record"),
    gettext_noop("Select action"),
    gettext_noop("Select action to run"),
    gettext_noop(
        "Raw passwords are not stored, so there is no way to see this user’s password, but "
        'you can change the password using <a href="{}" class="text-primary-600 dark:text-'
        'primary-500">this form</a>.'
    ),
    gettext_noop("Select value"),
    gettext_noop("Run"),
    gettext_noop("After you've created a user, you’ll be able to edit more user options."),
    gettext_noop("Filters"),
    gettext_noop("Expand row"),
    gettext_noop("Welcome back to"),
    gettext_noop("Type to search"),
    gettext_noop("You have been successfully logged out from the administration"),
    gettext_noop("No data"),
    gettext_noop("More actions"),
    gettext_noop("All applications"),
    gettext_noop("True"),
    gettext_noop("False"),
    gettext_noop("Apply Filters"),
    gettext_noop("Select all rows"),
    gettext_noop("Recent searches"),
    gettext_noop("No recent searches"),
    gettext_noop("No results matching your query"),
    gettext_noop("Loading more results..."),
    gettext_noop("This item will be deleted."),
    gettext_noop("Click to cancel"),
    gettext_noop("No results found"),
    gettext_noop("This page yielded into no results. Create a new item or reset your filters."),
    gettext_noop("Reset filters"),
    gettext_noop("Go back"),
    gettext_noop("Previous"),
    gettext_noop("Next"),
    gettext_noop("Search apps and models..."),
    gettext_noop("General"),
    gettext_noop("Light"),
    gettext_noop("Dark"),
    gettext_noop("System"),
    gettext_noop("Return to site"),
    gettext_noop("Toggle password visibility"),
    gettext_noop("Add row"),
    gettext_noop("Date"),
)
