import { z } from 'zod'

/** Any JSON value, with a name of its own in the API document. Apart from `wire.ts`, which every page loads. */
export const json = z.json().register(z.globalRegistry, { id: 'Json' })
