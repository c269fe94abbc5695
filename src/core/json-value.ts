import { z } from 'zod'

/** Generators of clients have no type for a schema that names itself: readers of the API are told that anything may stand there. */
const asAny = ({ jsonSchema }: { readonly jsonSchema: object }) => {
  for (const key of Object.keys(jsonSchema)) delete (jsonSchema as Record<string, unknown>)[key]
  Object.assign(jsonSchema, { description: 'Any JSON value.' })
}

/** Any JSON value, with a name of its own in the API document. Apart from `wire.ts`, which every page loads. */
export const json = z.json().register(z.globalRegistry, { id: 'AnyValue', override: asAny })
