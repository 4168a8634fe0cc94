"""Download of collections: which files they have, and their transfer, which resumes and checks every file."""
