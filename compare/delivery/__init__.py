"""What becomes of a report: a mail, and on its way."""
