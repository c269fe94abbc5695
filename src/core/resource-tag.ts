import type { z } from 'zod'

/** The input of a resource's `ETag`: the resource in the answer, without the fields that change by themselves. */
export interface ResourceTag<S extends z.ZodType = z.ZodType> {
  readonly schema: S
  readonly except: readonly string[]
}

/**
 * Declares the `ETag` of a resource beside its schema. Calls that answer with the resource name it as `etag`, calls that change it as
 * `ifMatch`. `except` names fields that no one changes on purpose, such as a last use: they do not change the tag.
 */
export const resourceTag = <S extends z.ZodType>(
  schema: S,
  { except = [] }: { readonly except?: readonly (keyof z.input<S> & string)[] } = {},
): ResourceTag<S> => ({ schema, except })
