import { integer } from '../../config/option.ts'

/** `proxySettings`: how texts are cut. */
export const truncateSettings = {
  truncateOutputLength: integer(
    'Cut the middle out of the texts of a result if they are longer than this together. The proxy does not keep the rest, and makes no previews if this is `maxResponseSize` or less. Not set: it cuts nothing.',
    { unit: 'characters', min: 1, max: 100_000_000 },
  ).optional(),
}
