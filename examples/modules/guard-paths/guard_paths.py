"""Refuses tool calls whose arguments lead out of the allowed directories.

A module for an MCP proxy that speaks the interceptor protocol over standard input and output: one JSON-RPC message a
line. Python 3.8 or newer, standard library only.
"""

import json
import posixpath
import sys

NAME = "guard-paths"

INTERCEPTOR = {
    "name": NAME,
    "version": "1.0.0",
    "description": "Refuses tool calls whose path arguments lead out of the allowed directories.",
    "type": "validation",
    "hook": {"events": ["tools/call"], "phase": "request"},
    "configSchema": {
        "type": "object",
        "properties": {
            "allow": {"type": "array", "items": {"type": "string"}, "description": "Directories, absolute."},
            "arguments": {"type": "array", "items": {"type": "string"}, "description": "Arguments that are paths."},
        },
    },
}

PATH_ARGUMENTS = ["path", "paths", "file", "directory", "source", "destination"]


class MethodNotFound(Exception):
    pass


def paths_of(value):
    """Every text in an argument: a path may be one, or a list of them."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for inner in value:
            yield from paths_of(inner)


def is_inside(path, directories):
    clean = posixpath.normpath(path.replace("\\", "/"))
    if not posixpath.isabs(clean):
        return clean != ".." and not clean.startswith("../")
    roots = [posixpath.normpath(directory) for directory in directories]
    return any(clean == root or clean.startswith(root.rstrip("/") + "/") for root in roots)


def validate(params):
    config = params.get("config") or {}
    allowed = config.get("allow", [])
    names = config.get("arguments", PATH_ARGUMENTS)
    arguments = params["payload"].get("arguments") or {}
    messages = [
        {
            "path": "arguments." + name,
            "message": "%s is outside of the directories that may be used" % path,
            "severity": "error",
        }
        for name in names
        for path in paths_of(arguments.get(name))
        if not is_inside(path, allowed)
    ]
    verdict = {"interceptor": NAME, "type": "validation", "phase": params["phase"], "valid": not messages}
    if messages:
        verdict.update(severity="error", messages=messages)
    return verdict


def answer(method, params):
    if method == "initialize":
        return {
            "protocolVersion": params["protocolVersion"],
            "capabilities": {
                "extensions": {"io.modelcontextprotocol/interceptors": {"supportedEvents": ["tools/call"]}}
            },
            "serverInfo": {"name": NAME, "version": INTERCEPTOR["version"]},
        }
    if method == "ping":
        return {}
    if method == "interceptors/list":
        return {"interceptors": [INTERCEPTOR]}
    if method == "interceptor/invoke":
        if params.get("name") != NAME:
            raise ValueError("there is no interceptor %s" % params.get("name"))
        return validate(params)
    raise MethodNotFound("%s is not known" % method)


def reply(message):
    try:
        return {"result": answer(message["method"], message.get("params") or {})}
    except MethodNotFound as error:
        return {"error": {"code": -32601, "message": str(error)}}
    except Exception as error:  # whatever it is, the proxy has to hear of it
        return {"error": {"code": -32603, "message": "%s: %s" % (type(error).__name__, error)}}


def main():
    # Text is UTF-8 on every system, whatever the locale says.
    for line in sys.stdin.buffer:
        if not line.strip():
            continue
        message = json.loads(line)
        # Notifications have no id and get no answer.
        if "id" not in message or "method" not in message:
            continue
        response = json.dumps({"jsonrpc": "2.0", "id": message["id"], **reply(message)})
        sys.stdout.buffer.write(response.encode("utf-8") + b"\n")
        sys.stdout.buffer.flush()


if __name__ == "__main__":
    main()
