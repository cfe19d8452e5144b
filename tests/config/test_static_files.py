"""Addresses of scripts, styles and pictures."""

from config.static_files import StaticFiles


def test_an_address_follows_the_contents_and_is_worked_out_once(tmp_path, settings):
    settings.STATIC_ROOT = tmp_path
    storage = StaticFiles(location=str(tmp_path), base_url="/static/")
    storage.hashed_files = {"css/page.css": "css/page.0123456789ab.css"}
    first = storage.url("css/page.css")
    storage.hashed_files.clear()

    assert first == storage.url("css/page.css") == "/static/css/page.0123456789ab.css"
