"""What training monitors write of every layer: csv files of three forms, and trend databases made of them."""
