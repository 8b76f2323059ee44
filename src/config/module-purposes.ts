/** What each module that comes with the proxy does, in a sentence. Apart from their options, which `status` does not need. */
export const MODULE_PURPOSES: Readonly<Record<string, string>> = {
  log: 'Writes messages of both directions to the log or a file, without secrets.',
  block: 'Hides tools, prompts and resources: they are neither listed nor to be called.',
  rename: 'Gives tools, prompts and resources other names, titles and descriptions.',
  rewrite: 'Changes text in transit by rules: in results, in descriptions, in prompts.',
  translate: 'Translates descriptions and results into a preferred language.',
  redact: 'Strikes out secrets and personal data before anything is kept or sent.',
  quota: 'Limits calls of the tools of servers by a token bucket, per agent, server or tool.',
  pin: 'Holds back a tool whose definition changed, until it is approved.',
  package:
    'Presents chosen tools, prompts and resources of several servers as one; with a name, a profile that clients choose.',
  shape: 'The place in the list at which large results are kept and previewed.',
}
