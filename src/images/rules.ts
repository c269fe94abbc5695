/** Largest file in bytes. */
export const maxSourceBytes = 5_000_000
/** Largest number of pixels: that of a phone's camera. Such an image takes 100 MB to decode. */
export const maxPixels = 25_000_000

/**
 * The form of a stored bitmap: `square` is filled and cropped, `padded` is a square with the whole image and no background, `within`
 * keeps its proportions and is never enlarged.
 */
export interface Recipe {
  readonly fit: 'square' | 'padded' | 'within'
  readonly width: number
  readonly height: number
  readonly format: 'webp' | 'png'
}

/** PNG for mails: many mail programs do not support WebP. */
export const recipes = {
  'user-picture': { fit: 'square', width: 512, height: 512, format: 'webp' },
  'organization-logo': { fit: 'padded', width: 512, height: 512, format: 'png' },
  'client-logo': { fit: 'padded', width: 512, height: 512, format: 'png' },
  'brand-logo': { fit: 'within', width: 800, height: 240, format: 'png' },
  'brand-icon': { fit: 'within', width: 256, height: 256, format: 'png' },
} as const satisfies Readonly<Record<string, Recipe>>
export type ImageKind = keyof typeof recipes

/** Increased when a recipe changes: stored images are made again from the same source. */
export const recipeVersion = 1
