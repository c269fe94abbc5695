import { z } from 'zod'
import { contract } from '../../http/contract.ts'

export const pictureContract = contract('Profile', {
  setPicture: {
    method: 'POST',
    path: '/update-user/picture',
    summary: 'Upload your own picture; it is cut to a square, encoded anew and served by this server',
    access: { permission: 'account:update' },
    encoding: 'upload',
    response: z.object({ image: z.string() }),
    errors: ['INVALID_IMAGE'],
    limit: 'strict',
  },
  removePicture: {
    method: 'DELETE',
    path: '/update-user/picture',
    summary: 'Remove your own picture, whether it was uploaded or is on another server',
    access: { permission: 'account:update' },
    response: z.object({ status: z.boolean() }),
    errors: [],
  },
})

/** Descriptions and examples for the API document, of the calls in this file. */
export const pictureDocumentation = {
  setPicture: {
    description:
      'The body is the file: PNG, JPEG, WebP, GIF or AVIF, up to 5 MB and 25 million pixels, whatever its name and type. The server stores a square of 512 pixels without metadata. Its address becomes `image` of the user. Each picture has a new address.',
    example: { response: { image: 'https://id.example.com/images/Vt3kQ0xZ8nLw2sYcVt3kQ0xZ8nLw2sYc' } },
  },
}
