import { z } from 'zod'
import { errorsOf } from '../core/errors.ts'
import { contract, file } from '../http/contract.ts'

export const imageContract = contract('Images', {
  getImage: {
    method: 'GET',
    path: '/images/:id',
    summary: 'Get a picture or logo; the content at an address never changes',
    access: 'anonymous',
    limit: 'file',
    params: z.object({ id: z.string().max(64) }),
    response: file('image/webp', 'image/png', 'image/svg+xml'),
    errors: ['NOT_FOUND'],
  },
})

export const imageErrors = errorsOf({
  INVALID_IMAGE: [400, 'Invalid image'],
})
