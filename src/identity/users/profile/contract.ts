import { z } from 'zod'
import { nameInput, pictureInput } from '../../../core/wire.ts'
import { contract } from '../../../http/contract.ts'
import { Language, userShapes } from '../contract.ts'

/**
 * The fields that users can change themselves, including those in `users.fields`. Unknown fields are ignored. A request with `email` is
 * refused.
 */
export const UpdateUser = z
  .looseObject({
    name: nameInput.optional(),
    image: pictureInput.nullish(),
    language: Language.nullish(),
    email: z.unknown().optional(),
    /** The user name. Ignored on an instance without user names. */
    username: z.unknown().optional(),
    displayUsername: z.unknown().optional(),
  })
  .register(userShapes, { shape: 'change' })

export const profileContract = contract('Profile', {
  updateUser: {
    method: 'POST',
    path: '/update-user',
    summary: 'Change name, picture, language, user name or configured fields',
    access: { permission: 'account:update' },
    body: UpdateUser,
    response: z.object({ status: z.boolean() }),
    errors: [
      'EMAIL_CAN_NOT_BE_UPDATED',
      'FAILED_TO_UPDATE_USER',
      '400 USERNAME_TOO_SHORT',
      '400 USERNAME_TOO_LONG',
      '400 INVALID_USERNAME',
      'INVALID_DISPLAY_USERNAME',
      'USERNAME_IS_ALREADY_TAKEN',
      'USERNAME_IS_IMMUTABLE',
    ],
  },
})
