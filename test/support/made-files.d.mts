/** The beginning of a picture of this size, filled up to `bytes` with what cannot be packed. */
export declare function madePng(width: number, height: number, bytes?: number): Buffer
/** A whole picture of this size that cannot be packed: stripes of noise, in red, green, blue and, where it has one, alpha. */
export declare function madePicture(width: number, height: number, hasAlpha?: boolean): Buffer
/** Silence at 8,000 bytes a second. */
export declare function madeWav(seconds: number): Buffer
/** `told`: the size that the list of entries tells, where that is not the true one. */
export declare function madeZip(files: Readonly<Record<string, string | Buffer>>, told?: number): Buffer
/** Paragraphs and tables of an Office document, in the XML of its body. `noise`: bytes that cannot be packed. */
export declare function madeDocx(body: string, noise?: number): Buffer
/** A workbook of these sheets: texts are shared, numbers stand in their cells, dates have a style. */
export declare function madeXlsx(sheets: Readonly<Record<string, readonly (readonly unknown[])[]>>): Buffer
/** A page for each text, of lines. `noise`: bytes of something else in it. */
export declare function madePdf(pages: readonly string[], noise?: number): Buffer
/** A PDF of one page that is unpacked to `bytes` of drawing, packed twice: some thousand times as much as the file has. */
export declare function madePdfBomb(bytes: number): Buffer
/** A PDF of which the pages are in a circle. `noise`: bytes of something else in it. */
export declare function madePdfCircle(noise: number): Buffer
