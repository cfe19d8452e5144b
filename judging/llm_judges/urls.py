"""Addresses of the pages of LLM judges."""

from django.urls import path

from judging.llm_judges.views import llm_judges

urlpatterns = [
    path("campaigns/<uuid:uuid>/judges/", llm_judges.list_llm_judges, name="llm_judges"),
    path("campaigns/<uuid:uuid>/judges/ask/", llm_judges.ask_llm_judge_view, name="judge_ask"),
    path("campaigns/<uuid:uuid>/judges/add/", llm_judges.add_llm_judge_view, name="llm_judge_add"),
    path(
        "campaigns/<uuid:uuid>/judges/items.csv",
        llm_judges.download_judge_items,
        name="llm_judge_items",
    ),
    path(
        "campaigns/<uuid:uuid>/judges/<int:pk>/remove/",
        llm_judges.remove_llm_judge_view,
        name="llm_judge_remove",
    ),
]
