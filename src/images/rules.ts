/** Largest size of an image file in bytes. */
export const maxSourceBytes = 5_000_000
/** How many pixels an image can have at most, which is about what a phone's camera makes. Decoding such an image takes 100 MB. */
export const maxPixels = 25_000_000

/**
 * The size and shape of a stored bitmap. `square`: cropped to a square. `padded`: the whole image, centred in a square with a transparent
 * background. `within`: with its own proportions, and never enlarged.
 */
export interface Recipe {
  readonly fit: 'square' | 'padded' | 'within'
  readonly width: number
  readonly height: number
  readonly format: 'webp' | 'png'
}

/** How images are stored, by purpose. Images for mails are PNG, because many mail programs do not support WebP. */
export const recipes = {
  'user-picture': { fit: 'square', width: 512, height: 512, format: 'webp' },
  'organization-logo': { fit: 'padded', width: 512, height: 512, format: 'png' },
  'client-logo': { fit: 'padded', width: 512, height: 512, format: 'png' },
  'brand-logo': { fit: 'within', width: 800, height: 240, format: 'png' },
  'brand-icon': { fit: 'within', width: 256, height: 256, format: 'png' },
} as const satisfies Readonly<Record<string, Recipe>>
export type ImageKind = keyof typeof recipes

/** The version of the recipes. When it is increased, stored images are made again from their source. */
export const recipeVersion = 1
