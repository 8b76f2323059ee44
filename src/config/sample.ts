/** A first configuration: works as it is where npx is installed. */
export const SAMPLE = `{
  // The servers behind the proxy. Copy yours from Claude Desktop, Cursor or VS Code: they work unchanged.
  "mcpServers": {
    "filesystem": {
      "command": "npx",
      "args": ["-y", "@modelcontextprotocol/server-filesystem", "."]
    }
  },

  // Everything here is optional; these are the defaults.
  "proxySettings": {
    "maxResponseSize": 8000, // longer results are kept, and a preview is sent
    "previewSize": 2000
  }
}
`
