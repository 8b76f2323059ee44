/** Named character references of HTML 4 (w3.org/TR/html4/sgml/entities.html), which are those that pages are written with. */

/** Names of characters that follow each other, after the code of the first. `-` has no name. */
const RUNS: readonly (readonly [first: number, names: string])[] = [
  [
    161,
    'iexcl cent pound curren yen brvbar sect uml copy ordf laquo not - reg macr deg plusmn sup2 sup3 acute micro para middot cedil sup1 ordm raquo frac14 frac12 frac34 iquest Agrave Aacute Acirc Atilde Auml Aring AElig Ccedil Egrave Eacute Ecirc Euml Igrave Iacute Icirc Iuml ETH Ntilde Ograve Oacute Ocirc Otilde Ouml times Oslash Ugrave Uacute Ucirc Uuml Yacute THORN szlig agrave aacute acirc atilde auml aring aelig ccedil egrave eacute ecirc euml igrave iacute icirc iuml eth ntilde ograve oacute ocirc otilde ouml divide oslash ugrave uacute ucirc uuml yacute thorn yuml',
  ],
  [
    913,
    'Alpha Beta Gamma Delta Epsilon Zeta Eta Theta Iota Kappa Lambda Mu Nu Xi Omicron Pi Rho - Sigma Tau Upsilon Phi Chi Psi Omega',
  ],
  [
    945,
    'alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron pi rho sigmaf sigma tau upsilon phi chi psi omega',
  ],
  [338, 'OElig oelig'],
  [352, 'Scaron scaron'],
  [8211, 'ndash mdash'],
  [8216, 'lsquo rsquo sbquo - ldquo rdquo bdquo - dagger Dagger bull'],
  [8242, 'prime Prime'],
  [8249, 'lsaquo rsaquo'],
  [8592, 'larr uarr rarr darr harr'],
  [8656, 'lArr uArr rArr dArr hArr'],
  [8704, 'forall - part exist - empty - nabla isin notin - ni - - - prod - sum minus'],
  [8733, 'prop infin'],
  [8743, 'and or cap cup int'],
  [8804, 'le ge'],
  [8968, 'lceil rceil lfloor rfloor'],
]

const SINGLE: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  AMP: '&',
  LT: '<',
  GT: '>',
  QUOT: '"',
  COPY: '©',
  REG: '®',
  // What only says where a line may break, or not, is no part of a word that is searched.
  nbsp: ' ',
  ensp: ' ',
  emsp: ' ',
  thinsp: ' ',
  shy: '',
  zwnj: '\u200c',
  zwj: '\u200d',
  hellip: '…',
  permil: '‰',
  euro: '€',
  trade: '™',
  fnof: 'ƒ',
  Yuml: 'Ÿ',
  circ: 'ˆ',
  tilde: '˜',
  frasl: '⁄',
  crarr: '↵',
  radic: '√',
  sim: '∼',
  asymp: '≈',
  ne: '≠',
  equiv: '≡',
  sdot: '⋅',
  there4: '∴',
  loz: '◊',
  hearts: '♥',
  check: '✓',
}

/** By name, to the letter. */
export const ENTITIES: ReadonlyMap<string, string> = new Map([
  ...Object.entries(SINGLE),
  ...RUNS.flatMap(([first, names]) =>
    names
      .split(' ')
      .map((name, nth): [string, string] => [name, String.fromCodePoint(first + nth)])
      .filter(([name]) => name !== '-'),
  ),
])
