import { z } from 'zod'
import { contract, file } from '../http/contract.ts'

/** A version that is asked for and current may be kept for ever; without one, or with another, the browser asks again. */
const query = z.object({ v: z.string().max(64).optional() })
/** `color`: of the application that is signed in to, in the place of the brand's. */
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
    summary: 'Colours, corners and font of the pages',
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
    summary: 'The font of the pages',
    access: 'anonymous',
    limit: 'file',
    query,
    response: file('font/woff2'),
    errors: ['NOT_FOUND'],
    hidden: true,
  },
})
