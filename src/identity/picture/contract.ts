import { z } from 'zod'
import { contract } from '../../http/contract.ts'

export const pictureContract = contract('Profile', {
  setPicture: {
    method: 'POST',
    path: '/update-user/picture',
    summary: 'Upload the own picture: cut to a square, encoded anew and served here',
    access: { permission: 'account:update' },
    encoding: 'upload',
    response: z.object({ image: z.string() }),
    errors: ['INVALID_IMAGE'],
    limit: 'strict',
  },
  removePicture: {
    method: 'DELETE',
    path: '/update-user/picture',
    summary: 'Remove the own picture, wherever it is',
    access: { permission: 'account:update' },
    response: z.object({ status: z.boolean() }),
    errors: [],
  },
})

/** Descriptions and examples of the API document. */
export const pictureDocumentation = {
  setPicture: {
    description:
      'The body is the file: PNG, JPEG, WebP, GIF or AVIF, up to 5 MB and 25 million pixels, whatever its name and type. What is kept is a square of ' +
      '512 pixels without metadata; its address becomes `image` of the user, another one for each picture.',
    example: { response: { image: 'https://id.example.com/images/Vt3kQ0xZ8nLw2sYcVt3kQ0xZ8nLw2sYc' } },
  },
}
