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
    "previewSize": 2000, // characters of what is sent in place of a large result, which is kept
    "wholeTokens": 4000 // prose and code of so many tokens pass whole
  }
}
`
