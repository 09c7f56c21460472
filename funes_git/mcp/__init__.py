"""`git funes mcp`: the memory as tools of the Model Context Protocol, for one client over stdio."""
