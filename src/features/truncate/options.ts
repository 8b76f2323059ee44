import { integer } from '../../config/option.ts'

/** `proxySettings`: how texts are cut. */
export const truncateSettings = {
  truncateOutputLength: integer(
    'Cut the middle out of the texts of a result that are longer than this together. What is cut is lost. No previews are made where this is `maxResponseSize` or less. Not set: nothing is cut.',
    { unit: 'characters', min: 1, max: 100_000_000 },
  ).optional(),
}
