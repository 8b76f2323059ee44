import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type MarkupTokens, readMarkup } from '../../../../src/documents/formats/markup-tokens.ts'

/** All events of a text, in order. */
function toldOf(text: string, kind: 'html' | 'xml', shortcuts: boolean): unknown[] {
  const told: unknown[] = []
  const tell =
    (name: string) =>
    (...places: unknown[]) =>
      void told.push([name, ...places])
  const names = [
    'ontext',
    'ontextentity',
    'oncdata',
    'onopentagname',
    'onattribname',
    'onattribdata',
    'onattribentity',
    'onattribend',
    'onopentagend',
    'onselfclosingtag',
    'onclosetag',
    'oncomment',
    'ondeclaration',
    'onprocessinginstruction',
    'onend',
  ] as const
  const tokens = Object.fromEntries(names.map((name) => [name, tell(name)])) as unknown as MarkupTokens
  readMarkup(text, kind, tokens, shortcuts)
  return told
}

const pieces = fc.constantFrom(
  ...[
    '<p>',
    '</p>',
    '<br/>',
    '<a href="x" id=\'y\'>',
    '<a b="&amp;">',
    '</a >',
    '<td colspan=2>',
    '<é>',
    '<_x>',
  ],
  ...[
    '<script>',
    '</script>',
    '<title>',
    '</TITLE>',
    '<textarea>',
    '</textarea>',
    '<plaintext>',
    '<style x="1">',
  ],
  ...[
    '<!-- c -->',
    '<![CDATA[ d ]]>',
    '<?pi x?>',
    '<!DOCTYPE html>',
    '<',
    '>',
    '&',
    '&lt;',
    '&#233;',
    '"',
    "'",
  ],
  ...['/', '=', ' ', '\n', 'words of a text', '<a', ' b="', '<x:y z.z="1"w="2">', '<p\n>', '<p/ >', '-->'],
)

test.each(['html', 'xml'] as const)('%s is told in the same way with shortcuts and without', (kind) => {
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 30 }), (parts) => {
      const text = parts.join('')
      expect(toldOf(text, kind, true)).toEqual(toldOf(text, kind, false))
    }),
    { numRuns: 3000 },
  )
})
