import { z } from 'zod'
import { errorsOf } from '../core/errors.ts'
import { defineEvents } from '../core/events/types.ts'
import { emailInput, nameInput, passwordInput, plainText } from '../core/wire.ts'
import { contract } from '../http/contract.ts'
import { User } from '../identity/users/contract.ts'

/** The first administrator. */
export const CompleteSetup = z.object({
  ...{ token: plainText(64), name: nameInput, email: emailInput, password: passwordInput },
  /** Read where users have names. */
  ...{ username: z.unknown().optional(), displayUsername: z.unknown().optional() },
})

export const setupContract = contract('Set-up', {
  check: {
    method: 'POST',
    path: '/setup/check',
    summary: 'Whether a setup link is still good',
    access: 'anonymous',
    body: z.object({ token: plainText(64) }),
    response: z.object({ valid: z.boolean(), administratorExists: z.boolean() }),
    errors: [],
    limit: 'strict',
    hidden: true,
  },
  complete: {
    method: 'POST',
    path: '/setup',
    summary: 'Create the first administrator with the setup link',
    access: 'anonymous',
    body: CompleteSetup,
    response: z.object({ token: z.string().nullable(), user: User }),
    errors: [
      'SETUP_LINK_IS_NOT_VALID',
      'ADMINISTRATOR_ALREADY_EXISTS',
      'INVALID_EMAIL',
      'PASSWORD_TOO_SHORT',
      'PASSWORD_TOO_LONG',
      'PASSWORD_TOO_COMMON',
      'PASSWORD_WAS_LEAKED',
      'USER_ALREADY_EXISTS',
      '400 USERNAME_TOO_SHORT',
      '400 USERNAME_TOO_LONG',
      '400 INVALID_USERNAME',
      'INVALID_DISPLAY_USERNAME',
      'USERNAME_IS_ALREADY_TAKEN',
    ],
    limit: 'strict',
    startsSession: true,
    hidden: true,
  },
})

export const setupErrors = errorsOf({
  SETUP_LINK_IS_NOT_VALID: [400, 'Setup link is not valid'],
  ADMINISTRATOR_ALREADY_EXISTS: [400, 'Administrator already exists'],
})

export const setupEvents = defineEvents({
  'instance.setup_link_created': {
    summary: 'A link was made with which the first administrator is created, once.',
    subject: 'instance',
    data: z.object({}),
  },
})
