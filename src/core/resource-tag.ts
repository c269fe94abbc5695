import type { z } from 'zod'

/** The input of the `ETag` of a resource: the resource as in the answer, without the fields that change by themselves. */
export interface ResourceTag<S extends z.ZodType = z.ZodType> {
  readonly schema: S
  readonly except: readonly string[]
}

/**
 * Declares the `ETag` of a resource, beside its schema: the calls that answer with the resource name it as `etag`, those that change it as
 * `ifMatch`. `except` names fields that change without anybody's change, such as a last use: a tag stays good while only they differ.
 */
export const resourceTag = <S extends z.ZodType>(
  schema: S,
  { except = [] }: { readonly except?: readonly (keyof z.input<S> & string)[] } = {},
): ResourceTag<S> => ({ schema, except })
