/** Longest file that is read, in bytes. */
export const maxSourceBytes = 5_000_000
/** Most pixels of an image that is read: what a phone takes. One of them takes 100 MB while it is read. */
export const maxPixels = 25_000_000

/**
 * How a bitmap becomes what is kept: `square` is filled and cut, `padded` is a square with all of it and nothing around, `within` keeps its
 * proportions and is never enlarged.
 */
export interface Recipe {
  readonly fit: 'square' | 'padded' | 'within'
  readonly width: number
  readonly height: number
  readonly format: 'webp' | 'png'
}

/** PNG where mails show it: many of their programs know no WebP. */
export const recipes = {
  'user-picture': { fit: 'square', width: 512, height: 512, format: 'webp' },
  'organization-logo': { fit: 'padded', width: 512, height: 512, format: 'png' },
  'client-logo': { fit: 'padded', width: 512, height: 512, format: 'png' },
  'brand-logo': { fit: 'within', width: 800, height: 240, format: 'png' },
  'brand-icon': { fit: 'within', width: 256, height: 256, format: 'png' },
} as const satisfies Readonly<Record<string, Recipe>>
export type ImageKind = keyof typeof recipes

/** Grows when a recipe changes: what was kept before is made anew from the same source. */
export const recipeVersion = 1
