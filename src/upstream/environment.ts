/**
 * The environment of a server's process: what programs need to run at all and to reach the network, plus what its
 * configuration gives. The proxy's own environment holds secrets of other servers and does not pass through.
 */

/** Exact names, compared without case because Windows does. */
const NAMES = new Set(
  [
    'PATH HOME USER LOGNAME SHELL TERM COLORTERM LANG LANGUAGE TZ TMPDIR TMP TEMP',
    // Browsers and other programs with windows.
    'DISPLAY WAYLAND_DISPLAY XAUTHORITY',
    // Networks that need a proxy or a certificate authority of their own.
    'HTTP_PROXY HTTPS_PROXY ALL_PROXY NO_PROXY SSL_CERT_FILE SSL_CERT_DIR NODE_EXTRA_CA_CERTS REQUESTS_CA_BUNDLE',
    // Where version managers keep what npx, uvx and bunx start.
    'NVM_DIR VOLTA_HOME PNPM_HOME BUN_INSTALL ASDF_DIR ASDF_DATA_DIR PYENV_ROOT CARGO_HOME JAVA_HOME DOCKER_HOST',
    // Windows.
    'APPDATA LOCALAPPDATA PROGRAMDATA PROGRAMFILES HOMEDRIVE HOMEPATH USERNAME USERPROFILE SYSTEMDRIVE SYSTEMROOT',
    'WINDIR COMSPEC PATHEXT PROCESSOR_ARCHITECTURE',
  ].flatMap((line) => line.split(' ')),
)

/** Families of names: locale, XDG folders, settings of npm and uv. */
const PREFIXES = ['LC_', 'XDG_', 'NPM_CONFIG_', 'UV_']

/** npm and uv take passwords and tokens by environment, too. */
const SECRET = /auth|token|passw|secret|_key$/i

/** The safe part of `own`, with `extra` over it. `NODE_OPTIONS` and the like stay behind: they are about the proxy. */
export function serverEnvironment(
  own: Readonly<Record<string, string | undefined>>,
  extra: Readonly<Record<string, string>> = {},
): Record<string, string> {
  const environment: Record<string, string> = {}
  for (const [name, value] of Object.entries(own)) {
    if (value !== undefined && isSafe(name)) environment[name] = value
  }
  return { ...environment, ...extra }
}

function isSafe(name: string): boolean {
  const upper = name.toUpperCase()
  return NAMES.has(upper) || (PREFIXES.some((prefix) => upper.startsWith(prefix)) && !SECRET.test(name))
}
