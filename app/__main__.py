"""``python -m app``: the ``dragoman`` command, for tools that start modules, such as ``torchrun``."""

from app.cli.main import main

if __name__ == "__main__":
    main()
