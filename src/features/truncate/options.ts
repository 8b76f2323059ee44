import { integer } from '../../config/option.ts'

/** `proxySettings`: how texts are cut. */
export const truncateSettings = {
  truncateOutputLength: integer(
    'Cut the texts of a result to this length, the end stays; what is cut is lost, and up to `maxResponseSize` no previews are made. Not set: nothing is cut.',
    { unit: 'characters', min: 1, max: 100_000_000 },
  ).optional(),
}
