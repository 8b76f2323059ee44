/** Links that add the proxy to a client with one click, made from one entry. */

const ENTRY = { command: 'npx', args: ['-y', 'mcp-rlm-proxy', '--config', '/path/to/mcp.json'] }

/** VS Code reads JSON in the query (https://code.visualstudio.com/api/extension-guides/ai/mcp). */
const vscode = (scheme) =>
  `${scheme}:mcp/install?${encodeURIComponent(JSON.stringify({ name: 'proxy', ...ENTRY }))}`

/** Cursor reads base64 of the entry (https://cursor.com/docs/context/mcp/install-links). */
const cursor = () =>
  `cursor://anysphere.cursor-deeplink/mcp/install?name=proxy&config=${encodeURIComponent(Buffer.from(JSON.stringify(ENTRY)).toString('base64'))}`

/** Markdown: a row a client. Pages of GitHub open links of http alone, so VS Code and Cursor have such ones too. */
export function installLinks() {
  const rows = [
    ['VS Code', `https://vscode.dev/redirect?url=${encodeURIComponent(vscode('vscode'))}`, vscode('vscode')],
    [
      'VS Code Insiders',
      `https://insiders.vscode.dev/redirect?url=${encodeURIComponent(vscode('vscode-insiders'))}`,
      vscode('vscode-insiders'),
    ],
    [
      'Cursor',
      cursor().replace('cursor://anysphere.cursor-deeplink/mcp/install', 'https://cursor.com/en/install-mcp'),
      cursor(),
    ],
  ]
  return [
    '| client | link | the same as an address |',
    '| --- | --- | --- |',
    ...rows.map(([name, link, address]) => `| ${name} | [Add to ${name}](${link}) | \`${address}\` |`),
  ].join('\n')
}
