import { z } from 'zod'
import { emailInput, nameInput, pictureInput, urlInput } from '../../core/wire.ts'
import { contract } from '../../http/contract.ts'
import { Language } from '../../users/contract.ts'

const status = z.object({ status: z.boolean() })

/** Fields a user may set, with those that `users.fields` adds; others are ignored, `email` is refused. */
export const UpdateUser = z.looseObject({
  name: nameInput.optional(),
  image: pictureInput.nullish(),
  language: Language.nullish(),
  email: z.unknown().optional(),
})

export const profileContract = contract({
  updateUser: {
    method: 'POST',
    path: '/update-user',
    summary: 'Change name, picture, language or configured fields',
    access: 'session',
    body: UpdateUser,
    response: status,
    errors: ['EMAIL_CAN_NOT_BE_UPDATED', 'FAILED_TO_UPDATE_USER'],
  },
  changeEmail: {
    method: 'POST',
    path: '/change-email',
    summary: 'Change the address: at once while it is unverified, else after a confirmation from the current one',
    access: 'fresh-session',
    body: z.object({ newEmail: emailInput, callbackURL: urlInput.optional() }),
    response: status,
    errors: [
      'CHANGE_EMAIL_IS_DISABLED',
      'INVALID_EMAIL',
      'EMAIL_IS_THE_SAME',
      'COULDNT_UPDATE_YOUR_EMAIL',
      'VERIFICATION_EMAIL_ISNT_ENABLED',
    ],
    limit: 'strict',
    urls: ['callbackURL'],
  },
})
