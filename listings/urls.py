"""Public pages."""

from django.urls import path

from listings import views

app_name = "listings"
urlpatterns = [
    path("", views.home, name="home"),
    path("companies/", views.companies, name="companies"),
    path("companies/<int:pk>/", views.company, name="company"),
]
