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
