import { z } from 'zod'

/** In the API document, this schema allows any value, because generators of API clients have no type for a recursive schema. */
const asAny = ({ jsonSchema }: { readonly jsonSchema: object }) => {
  for (const key of Object.keys(jsonSchema)) delete (jsonSchema as Record<string, unknown>)[key]
  Object.assign(jsonSchema, { description: 'Any JSON value.' })
}

/** Any JSON value. In the API document it has a name of its own. It is not in `wire.ts`, because every page loads that module. */
export const json = z.json().register(z.globalRegistry, { id: 'AnyValue', override: asAny })
