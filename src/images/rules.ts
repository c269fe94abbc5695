/** Largest file in bytes. */
export const maxSourceBytes = 5_000_000
/** Largest number of pixels, about that of a phone's camera. Decoding such an image takes 100 MB. */
export const maxPixels = 25_000_000

/**
 * The form of a stored bitmap. `square`: cropped to fill a square. `padded`: the whole image in a square without background. `within`:
 * with its own proportions, and never enlarged.
 */
export interface Recipe {
  readonly fit: 'square' | 'padded' | 'within'
  readonly width: number
  readonly height: number
  readonly format: 'webp' | 'png'
}

/** Mails get PNG, because many mail programs do not support WebP. */
export const recipes = {
  'user-picture': { fit: 'square', width: 512, height: 512, format: 'webp' },
  'organization-logo': { fit: 'padded', width: 512, height: 512, format: 'png' },
  'client-logo': { fit: 'padded', width: 512, height: 512, format: 'png' },
  'brand-logo': { fit: 'within', width: 800, height: 240, format: 'png' },
  'brand-icon': { fit: 'within', width: 256, height: 256, format: 'png' },
} as const satisfies Readonly<Record<string, Recipe>>
export type ImageKind = keyof typeof recipes

/** Increased when a recipe changes. Stored images are then made again from their source. */
export const recipeVersion = 1
