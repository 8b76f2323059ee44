/** Files of many kinds, made for tests: as small as their formats allow, or as large as wanted. */
import { crc32, deflateRawSync, deflateSync } from 'node:zlib'

/** The beginning of a picture of this size, filled up to `bytes` with what cannot be packed. */
export function madePng(width, height, bytes = 64) {
  const head = Buffer.alloc(Math.max(bytes, 33))
  head.write('\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR', 'latin1')
  head.writeUInt32BE(width, 16)
  head.writeUInt32BE(height, 20)
  let state = 1
  for (let at = 33; at < head.length; at++) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    head[at] = state >>> 24
  }
  return head
}

/** A whole picture of this size that cannot be packed: stripes of noise, in red, green, blue and, where it has one, alpha. */
export function madePicture(width, height, hasAlpha = false) {
  const row = madePng(8, 8, 1 + width * (hasAlpha ? 4 : 3))
  row.fill(0, 0, 33)
  const head = Buffer.alloc(13)
  head.writeUInt32BE(width, 0)
  head.writeUInt32BE(height, 4)
  head.set([8, hasAlpha ? 6 : 2], 8)
  const data = deflateSync(Buffer.concat(Array.from({ length: height }, () => row)), { level: 0 })
  const chunk = (type, content) => {
    const body = Buffer.concat([Buffer.from(type), content])
    const ends = Buffer.alloc(8)
    ends.writeUInt32BE(content.length, 0)
    ends.writeUInt32BE(crc32(body), 4)
    return Buffer.concat([ends.subarray(0, 4), body, ends.subarray(4)])
  }
  const signature = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')
  return Buffer.concat([signature, chunk('IHDR', head), chunk('IDAT', data), chunk('IEND', Buffer.alloc(0))])
}

/** Silence at 8,000 bytes a second. */
export function madeWav(seconds) {
  const data = seconds * 8000
  const wav = Buffer.alloc(44 + data, 128)
  wav.write('RIFF', 0)
  wav.writeUInt32LE(36 + data, 4)
  wav.write('WAVEfmt ', 8)
  wav.writeUInt32LE(16, 16)
  wav.writeUInt16LE(1, 20)
  wav.writeUInt16LE(1, 22)
  wav.writeUInt32LE(8000, 24)
  wav.writeUInt32LE(8000, 28)
  wav.write('data', 36)
  wav.writeUInt32LE(data, 40)
  return wav
}

/** `told`: the size that the list of entries tells, where that is not the true one. */
export function madeZip(files, told) {
  const locals = []
  const central = []
  let at = 0
  for (const [name, content] of Object.entries(files)) {
    const bytes = Buffer.from(content)
    const packed = deflateRawSync(bytes)
    const local = Buffer.alloc(30 + name.length)
    local.writeUInt32LE(0x04034b50, 0)
    local.writeUInt16LE(8, 8)
    local.writeUInt16LE(name.length, 26)
    local.write(name, 30)
    const entry = Buffer.alloc(46 + name.length)
    entry.writeUInt32LE(0x02014b50, 0)
    entry.writeUInt16LE(8, 10)
    entry.writeUInt16LE((12 << 11) | (30 << 5), 12)
    entry.writeUInt16LE(((2024 - 1980) << 9) | (5 << 5) | 1, 14)
    entry.writeUInt32LE(packed.length, 20)
    entry.writeUInt32LE(told ?? bytes.length, 24)
    entry.writeUInt16LE(name.length, 28)
    entry.writeUInt32LE(at, 42)
    entry.write(name, 46)
    locals.push(local, packed)
    central.push(entry)
    at += local.length + packed.length
  }
  const list = Buffer.concat(central)
  const end = Buffer.alloc(22)
  end.writeUInt32LE(0x06054b50, 0)
  end.writeUInt16LE(central.length, 8)
  end.writeUInt16LE(central.length, 10)
  end.writeUInt32LE(list.length, 12)
  end.writeUInt32LE(at, 16)
  return Buffer.concat([...locals, list, end])
}

/** Paragraphs and tables of an Office document, in the XML of its body. `noise`: bytes that cannot be packed. */
export function madeDocx(body, noise = 0) {
  return madeZip({
    'word/document.xml': `<w:document xmlns:w="w"><w:body>${body}</w:body></w:document>`,
    ...(noise > 0 && { 'word/media/image1.png': madePng(8, 8, noise) }),
  })
}

/** A workbook of these sheets: texts are shared, numbers stand in their cells, dates have a style. */
export function madeXlsx(sheets) {
  const strings = []
  const names = Object.keys(sheets)
  const files = {
    'xl/workbook.xml': `<workbook xmlns:r="r"><sheets>${names.map((name, at) => `<sheet name="${name}" sheetId="${at + 1}" r:id="rId${at + 1}"/>`).join('')}</sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': `<Relationships>${names.map((_, at) => `<Relationship Id="rId${at + 1}" Target="worksheets/sheet${at + 1}.xml"/>`).join('')}</Relationships>`,
    'xl/styles.xml': '<styleSheet><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/></cellXfs></styleSheet>',
  }
  for (const [at, name] of names.entries()) {
    const rows = sheets[name]?.map((row, number) => {
      const cells = row.map((cell, column) => {
        const place = `${String.fromCharCode(65 + column)}${number + 1}`
        if (cell instanceof Date)
          return `<c r="${place}" s="1"><v>${cell.getTime() / 86_400_000 + 25_569}</v></c>`
        if (typeof cell === 'number') return `<c r="${place}"><v>${cell}</v></c>`
        if (cell === undefined) return ''
        return `<c r="${place}" t="s"><v>${strings.push(String(cell)) - 1}</v></c>`
      })
      return `<row r="${number + 1}">${cells.join('')}</row>`
    })
    files[`xl/worksheets/sheet${at + 1}.xml`] =
      `<worksheet><sheetData>${rows?.join('')}</sheetData></worksheet>`
  }
  files['xl/sharedStrings.xml'] = `<sst>${strings.map((text) => `<si><t>${text}</t></si>`).join('')}</sst>`
  return madeZip(files)
}

/** A page for each text, of lines. `noise`: bytes of something else in it. */
export function madePdf(pages, noise = 0) {
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    `<< /Type /Pages /Kids [${pages.map((_, at) => `${4 + at * 2} 0 R`).join(' ')}] /Count ${pages.length} >>`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
  ]
  for (const [at, text] of pages.entries()) {
    const lines = text.split('\n').map((line) => `(${line.replaceAll(/[()\\]/g, '\\$&')}) Tj T*`)
    const stream = `BT /F1 12 Tf 14 TL 50 750 Td ${lines.join(' ')} ET`
    objects.push(
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents ${5 + at * 2} 0 R /Resources << /Font << /F1 3 0 R >> >> >>`,
      `<< /Length ${stream.length} >>\nstream\n${stream}\nendstream`,
    )
  }
  if (noise > 0)
    objects.push(`<< /Length ${noise} >>\nstream\n${madePng(8, 8, noise).toString('latin1')}\nendstream`)
  return writtenPdf(objects)
}

/** A PDF of one page that is unpacked to `bytes` of drawing, packed twice: some thousand times as much as the file has. */
export function madePdfBomb(bytes) {
  const drawing = deflateSync(deflateSync(Buffer.alloc(bytes, 'BT (x) Tj ET\n')))
  return writtenPdf([
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [4 0 R] /Count 1 >>',
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 5 0 R /Resources << /Font << /F1 3 0 R >> >> >>',
    `<< /Length ${drawing.length} /Filter [/FlateDecode /FlateDecode] >>\nstream\n${drawing.toString('latin1')}\nendstream`,
    // A file that is shorter stays in its result.
    `<< /Length 30000 >>\nstream\n${madePng(8, 8, 30_000).toString('latin1')}\nendstream`,
  ])
}

/** A PDF of which the pages are in a circle. `noise`: bytes of something else in it. */
export function madePdfCircle(noise) {
  return writtenPdf([
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1000000 >>',
    '<< /Type /Pages /Parent 2 0 R /Kids [2 0 R] /Count 1000000 >>',
    `<< /Length ${noise} >>\nstream\n${madePng(8, 8, noise).toString('latin1')}\nendstream`,
  ])
}

function writtenPdf(objects) {
  let written = '%PDF-1.4\n'
  const places = objects.map((object, at) => {
    const place = written.length
    written += `${at + 1} 0 obj\n${object}\nendobj\n`
    return place
  })
  const table = places.map((place) => `${String(place).padStart(10, '0')} 00000 n \n`).join('')
  const trailer = `trailer\n<< /Size ${objects.length + 1} /Root 1 0 R >>\nstartxref\n${written.length}\n%%EOF\n`
  return Buffer.from(
    `${written}xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${table}${trailer}`,
    'latin1',
  )
}
