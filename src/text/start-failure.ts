/** Why a process was not started, in words. */

const WORDS: Readonly<Record<string, string>> = {
  EAGAIN: 'the system allows no more processes',
  ENOMEM: 'the system has no memory left',
  EMFILE: 'too many files are open in this process',
  ENFILE: 'too many files are open on this system',
  EACCES: 'it may not be run',
  E2BIG: 'its arguments and environment are too long',
}

/** The words for an error of `spawn`, with its code; its message where there are none. */
export function whyNotStarted({ code = '', message }: NodeJS.ErrnoException): string {
  const words = WORDS[code]
  return words === undefined ? message : `${words} (${code})`
}
