"""In place of the package, whose grammar takes 3 s of a processor to build: jsonschema does without it.

Every process of Ray imports jsonschema, which imports this if it is there.
"""

raise ImportError
