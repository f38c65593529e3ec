"""Files of data sets: listing them with checksums, and comparing what two lists, or several nodes, read."""
