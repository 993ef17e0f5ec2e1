"""The dashboard: how sending goes, now and over the last 30 days. One topic a module.

Every topic has a function that answers its figures as of `now`, and names the lists of the admin
where their rows stand. What a server that is away would have told is None: “unknown” on the page.
"""
