"""The program Convoscope; `convoscope` or `python -m convoscope` starts it."""
