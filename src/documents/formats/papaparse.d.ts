/** The part of papaparse that is used here; its package has no types. */
declare module 'papaparse' {
  export function parse(
    text: string,
    options: { delimiter: string; newline: '\n'; skipEmptyLines: true; preview?: number },
  ): { data: string[][] }
  const papaparse: { parse: typeof parse }
  export default papaparse
}
