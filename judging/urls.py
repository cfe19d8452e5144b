from django.urls import URLPattern, URLResolver

app_name = "judging"
urlpatterns: list[URLPattern | URLResolver] = []
