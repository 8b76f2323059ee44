import * as z from 'zod'

/** `{ "use": "shape" }` has no options: it says where in the list large results become previews. */
export const shapeOptions = z.object({})
