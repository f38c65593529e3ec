"""What packages and environment variables mean for a training, by two tables."""
