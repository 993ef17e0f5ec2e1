"""Public pages, and those of sellers."""

from django.urls import path

from listings import search_views, seller_views, views

app_name = "listings"
urlpatterns = [
    path("", views.home, name="home"),
    path("companies/", search_views.companies, name="companies"),
    path("companies/<int:pk>/", views.company, name="company"),
    path("companies/<int:pk>/write/", views.write, name="write"),
    path("my-companies/", seller_views.mine, name="mine"),
    path("my-companies/new/", seller_views.new, name="new"),
    path("my-companies/<int:pk>/edit/", seller_views.edit, name="edit"),
    path("my-companies/<int:pk>/publish/", seller_views.publish, name="publish"),
    path("my-companies/<int:pk>/withdraw/", seller_views.withdraw, name="withdraw"),
]
