"""What each panel of the page shows."""
