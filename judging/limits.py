"""The limits on resources. They protect the server from mistakes and from visitors, and hold the
envelope of docs/adr/0036; statistical requirements are not limits."""

MAX_VISITOR_BODY_BYTES = 512 * 1024  # a request of anyone who is not logged in
MAX_BODY_BYTES = 5 * 1024 * 1024  # any other request that is no uploaded file
MAX_UPLOAD_BYTES = 200 * 1024 * 1024  # a researcher's file
