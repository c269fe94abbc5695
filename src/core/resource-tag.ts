import type { z } from 'zod'

/** Says from which fields of an answer the `ETag` of a resource is made. Fields that change by themselves are left out. */
export interface ResourceTag<S extends z.ZodType = z.ZodType> {
  readonly schema: S
  readonly except: readonly string[]
}

/**
 * Declares the `ETag` of a resource beside the schema of the resource. A call that returns the resource names this declaration as `etag`,
 * and a call that changes the resource names it as `ifMatch`. `except` are fields that nobody changes on purpose, such as the time of the
 * last use. They do not affect the `ETag`.
 */
export const resourceTag = <S extends z.ZodType>(
  schema: S,
  { except = [] }: { readonly except?: readonly (keyof z.input<S> & string)[] } = {},
): ResourceTag<S> => ({ schema, except })
