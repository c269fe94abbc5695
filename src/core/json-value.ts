import { z } from 'zod'

/** Generators of clients have no type for a recursive schema, so the API document allows any value here. */
const asAny = ({ jsonSchema }: { readonly jsonSchema: object }) => {
  for (const key of Object.keys(jsonSchema)) delete (jsonSchema as Record<string, unknown>)[key]
  Object.assign(jsonSchema, { description: 'Any JSON value.' })
}

/** Any JSON value, which has its own name in the API document. It is not in `wire.ts`, because every page loads that module. */
export const json = z.json().register(z.globalRegistry, { id: 'AnyValue', override: asAny })
