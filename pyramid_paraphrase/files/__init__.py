"""Files, folders and archives of users, none of which is trusted, and files that appear complete or not at all."""
