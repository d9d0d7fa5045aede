"""Finding statuses in logs."""
