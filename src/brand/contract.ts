import { z } from 'zod'
import { contract, file } from '../http/contract.ts'

/**
 * `v` is the version of the brand. If it is the current version, a browser may cache the response without limit. Otherwise the browser
 * has to ask again each time.
 */
const query = z.object({ v: z.string().max(64).optional() })
/** `color` is the colour that an application has on the sign-in page. It replaces the brand's colour. */
const styleQuery = query.extend({
  color: z
    .string()
    .regex(/^[0-9a-f]{6}$/, 'six hexadecimal digits in small letters')
    .optional(),
})

export const brandContract = contract('Brand', {
  brandStyles: {
    method: 'GET',
    path: '/brand.css',
    summary: 'Get the style sheet with colours, corners and font of the pages',
    access: 'anonymous',
    limit: 'file',
    query: styleQuery,
    response: file('text/css'),
    errors: [],
    hidden: true,
  },
  brandFont: {
    method: 'GET',
    path: '/brand/font.woff2',
    summary: 'Get the font of the pages',
    access: 'anonymous',
    limit: 'file',
    query,
    response: file('font/woff2'),
    errors: ['NOT_FOUND'],
    hidden: true,
  },
})

export const brandImageContract = contract('Administration', {
  uploadBrandImage: {
    method: 'POST',
    path: '/admin/brand/images',
    summary: 'Upload an image for the brand; it is shown when a setting contains its reference',
    access: { permission: 'settings:update' },
    encoding: 'upload',
    query: z.object({ kind: z.enum(['logo', 'icon']) }),
    response: z.object({
      /** A value to store as `brand.logo`, `brand.logoDark` or `brand.icon`. */
      reference: z.string(),
      /** The URL of the image. */
      url: z.string(),
    }),
    errors: ['INVALID_IMAGE'],
    limit: 'strict',
  },
})

/** Descriptions and examples for the API document. */
export const brandImageDocumentation = {
  uploadBrandImage: {
    description:
      'The body is the file: PNG, JPEG, WebP, GIF, AVIF, or an SVG that only draws. It may have up to 5 MB and 25 million pixels; its ' +
      'name and media type do not matter. An image that no brand has shown for 90 days is deleted.',
    example: {
      response: {
        reference: 'upload:bitmap:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
        url: 'https://id.example.com/images/9f86d081884c7d659a2feaa0c55ad015',
      },
    },
  },
}
