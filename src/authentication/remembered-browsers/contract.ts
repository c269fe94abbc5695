import { z } from 'zod'
import { errorsOf } from '../../core/errors.ts'
import { defineEvents } from '../../core/events/types.ts'
import { instant, plainText } from '../../core/wire.ts'
import { contract } from '../../http/contract.ts'

/** A remembered browser. The user is not asked for a second factor in it. */
export const RememberedBrowser = z
  .object({
    id: z.string(),
    /** The readable name of the browser, such as "Firefox on Linux". */
    device: z.string(),
    userAgent: z.string(),
    ipAddress: z.string(),
    createdAt: instant,
    lastUsedAt: instant,
    expiresAt: instant,
    /** True for the browser that makes this call. */
    current: z.boolean(),
  })
  .meta({ id: 'RememberedBrowser' })

const status = z.object({ status: z.boolean() })

export const rememberedBrowserContract = contract('Second factors', {
  listRememberedBrowsers: {
    method: 'GET',
    path: '/two-factor/list-remembered-browsers',
    summary: 'List the browsers in which the signed-in user is not asked for a second factor, last used first',
    access: { permission: 'sessions:read', session: true },
    response: z.array(RememberedBrowser),
    errors: [],
  },
  revokeRememberedBrowser: {
    method: 'POST',
    path: '/two-factor/revoke-remembered-browser',
    summary: 'Forget one remembered browser of the signed-in user, so that it asks for a second factor again',
    access: { permission: 'sessions:delete', session: true },
    body: z.object({ id: plainText(64) }),
    response: status,
    errors: ['REMEMBERED_BROWSER_NOT_FOUND'],
  },
  revokeRememberedBrowsers: {
    method: 'POST',
    path: '/two-factor/revoke-remembered-browsers',
    summary: 'Forget all remembered browsers of the signed-in user, so that they ask for a second factor again',
    access: { permission: 'sessions:delete', session: true },
    response: status,
    errors: [],
  },
})

export const rememberedBrowserErrors = errorsOf({
  REMEMBERED_BROWSER_NOT_FOUND: [404, 'Remembered browser not found'],
})

export const rememberedBrowserEvents = defineEvents({
  'second_factor.browser_remembered': {
    summary: 'A user gave a second factor and is not asked for one in that browser for a while.',
    subject: 'user',
    data: z.object({
      browserId: z.string(),
      device: z.string().describe('the browser and system, by the user agent'),
      until: z.string(),
    }),
  },
  'second_factor.browser_forgotten': {
    summary: 'A remembered browser was forgotten. It asks for a second factor again.',
    subject: 'user',
    data: z.object({ browserId: z.string() }),
  },
  'second_factor.browsers_forgotten': {
    summary: 'All remembered browsers of a user were forgotten.',
    subject: 'user',
    data: z.object({ browsers: z.int() }),
  },
})
