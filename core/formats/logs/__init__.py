"""Logs of trainings: lines in many forms  ->  records of step and series."""
