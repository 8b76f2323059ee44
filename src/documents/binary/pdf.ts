/** The text of a PDF, where the optional package that reads it is installed. */
import { Unreadable } from './zip.ts'

export const PDF_PACKAGE = 'unpdf'

/** As much of the package as is used. */
interface Reader {
  getDocumentProxy(bytes: Uint8Array, options: object): Promise<Pdf>
}
interface Pdf {
  readonly numPages: number
  getPage(number: number): Promise<{ getTextContent(): Promise<{ items: readonly object[] }> }>
  destroy?(): Promise<void>
}

export interface PdfText {
  readonly pages: number
  /** A heading for each page, and what stands on it. */
  readonly text: string
}

/** Pages, characters and milliseconds of one document. */
const MOST_PAGES = 2000
const LONGEST = 20_000_000
const PATIENCE = 8_000

/** Without words on standard error, and without running what a file brings along. */
const QUIETLY = { verbosity: 0, isEvalSupported: false }

/** Throws `Unreadable`, with what to do where that can be said. */
export async function readPdf(bytes: Uint8Array): Promise<PdfText> {
  const { getDocumentProxy } = await reader()
  const until = performance.now() + PATIENCE
  const pdf = await getDocumentProxy(new Uint8Array(bytes), QUIETLY).catch((error: unknown) => {
    const { name } = error as Error
    throw new Unreadable(name === 'PasswordException' ? 'it is encrypted' : 'it is damaged')
  })
  try {
    const written: string[] = []
    let length = 0
    for (let number = 1; number <= pdf.numPages; number++) {
      if (number > MOST_PAGES || length > LONGEST || performance.now() > until) {
        written.push(`[Pages ${number} to ${pdf.numPages} were not read: there is too much of it.]`)
        break
      }
      const page = (await textOfPage(pdf, number)).slice(0, LONGEST)
      length += page.length
      written.push(`# Page ${number}`, '', page, '')
    }
    return { pages: pdf.numPages, text: written.join('\n').trim() }
  } finally {
    await pdf.destroy?.()
  }
}

async function reader(): Promise<Reader> {
  try {
    return (await import(PDF_PACKAGE)) as unknown as Reader
  } catch {
    throw new Unreadable(
      `install the package that reads PDF where mcp-rlm-proxy is installed: npm install ${PDF_PACKAGE}`,
    )
  }
}

/** A page that is damaged is empty. */
async function textOfPage(pdf: Pdf, number: number): Promise<string> {
  try {
    const { items } = await (await pdf.getPage(number)).getTextContent()
    return items
      .map((item) => {
        const { str, hasEOL } = item as { str?: unknown; hasEOL?: unknown }
        return `${typeof str === 'string' ? str : ''}${hasEOL === true ? '\n' : ''}`
      })
      .join('')
      .trim()
  } catch {
    return ''
  }
}
