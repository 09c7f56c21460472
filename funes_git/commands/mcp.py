"""`git funes mcp`."""

from __future__ import annotations

from funes_git.version import version_of


def mcp(*, memory: str | None = None) -> int:
    """Serve the memory to an agent as MCP tools

    Speaks the Model Context Protocol over standard input and output until the client ends; agents
    start it themselves, as in `claude mcp add funes -- git funes mcp`. The tools recall, why, get,
    log and status ask the repository of the current folder.

    Example: git funes mcp

    Parameters
    ----------
    memory
        Serve this memory instead of the repository's own: ORG/NAME[@REVISION] on the Hugging Face
        Hub, or a path; several with commas between: local,acme/widget-memory. Recall then searches
        all of them, and the other tools answer from the first that knows.
    """
    from funes_git.mcp.server import serve

    serve(version_of("funes-git"), memory)
    return 0
