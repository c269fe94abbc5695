import type { z } from 'zod'

/** What the `ETag` of a resource is made from: the resource in the answer, without fields that change by themselves. */
export interface ResourceTag<S extends z.ZodType = z.ZodType> {
  readonly schema: S
  readonly except: readonly string[]
}

/**
 * Declares the `ETag` of a resource beside its schema. Calls that return the resource name it as `etag`, and calls that change the
 * resource as `ifMatch`. `except` names fields that nobody changes on purpose, such as the time of the last use. They do not change the
 * tag.
 */
export const resourceTag = <S extends z.ZodType>(
  schema: S,
  { except = [] }: { readonly except?: readonly (keyof z.input<S> & string)[] } = {},
): ResourceTag<S> => ({ schema, except })
