import { z } from 'zod'
import { errorsOf } from '../core/errors.ts'
import { defineEvents } from '../core/events/types.ts'
import { emailInput, nameInput, passwordInput, plainText } from '../core/wire.ts'
import { contract } from '../http/contract.ts'
import { User } from '../identity/users/contract.ts'

/** The data of the first administrator. */
export const CompleteSetup = z.object({
  ...{ token: plainText(64), name: nameInput, email: emailInput, password: passwordInput },
  /** The user name. It is needed only if user names are enabled. */
  ...{ username: z.unknown().optional(), displayUsername: z.unknown().optional() },
})

export const setupContract = contract('Set-up', {
  check: {
    method: 'POST',
    path: '/setup/check',
    summary: 'Check whether a setup link is still valid',
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

/** A step of setting up an instance. */
export const SetupStep = z
  .object({
    name: z.string(),
    /** `locked` means that the step is not done, but the console cannot do it, because another source overrides the setting. */
    state: z.enum(['done', 'open', 'locked', 'dismissed']),
    /** The file, environment variable or option that overrides the setting. */
    lockedBy: z.string().nullable(),
    /** The id of the resource that the step is about. For `test-sign-in`, it is the application that should be tested. */
    subject: z.string().nullable(),
  })
  .meta({ id: 'SetupStep' })

export const setupStepContract = contract('Administration', {
  listSetupSteps: {
    method: 'GET',
    path: '/admin/setup-steps',
    summary: 'List the setup steps, from an empty instance to the first sign-ins, with their states',
    access: { permission: 'settings:read' },
    response: z.object({ steps: z.array(SetupStep) }),
    errors: [],
  },
  updateSetupStep: {
    method: 'PATCH',
    path: '/admin/setup-steps/:name',
    summary: 'Dismiss a setup step, or show it again',
    access: { permission: 'settings:update' },
    params: z.object({ name: plainText(64, 1) }),
    body: z.strictObject({ isDismissed: z.boolean() }),
    response: SetupStep,
    errors: ['SETUP_STEP_NOT_FOUND'],
  },
})

/** Descriptions and examples for the API document. */
export const setupStepDocumentation = {
  listSetupSteps: {
    description:
      'The state of each step is found out from the instance; only the dismissal is stored. A dismissed step is not checked. ' +
      '`subject` of `application` is the newest application. `subject` of `test-sign-in` is the newest application to which people ' +
      'can sign in.',
    example: {
      response: {
        steps: [
          { name: 'brand', state: 'done', lockedBy: null, subject: null },
          { name: 'second-factor', state: 'locked', lockedBy: '/etc/gatehouse.yaml', subject: null },
        ],
      },
    },
  },
  updateSetupStep: { example: { response: { name: 'mail', state: 'dismissed', lockedBy: null, subject: null } } },
}

export const setupErrors = errorsOf({
  SETUP_LINK_IS_NOT_VALID: [400, 'Setup link is not valid'],
  ADMINISTRATOR_ALREADY_EXISTS: [400, 'Administrator already exists'],
  SETUP_STEP_NOT_FOUND: [404, 'Set-up step not found'],
})

export const setupEvents = defineEvents({
  'instance.setup_step_updated': {
    summary: 'A setup step was dismissed, or is shown again.',
    subject: 'instance',
    data: z.object({ step: z.string(), isDismissed: z.boolean() }),
  },
  'instance.setup_link_created': {
    summary: 'A link was created with which the first administrator can be created once.',
    subject: 'instance',
    data: z.object({}),
  },
})
