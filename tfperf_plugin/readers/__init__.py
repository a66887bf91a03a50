"""From files to ``HostTrace``: which runs there are, and what their files hold."""
