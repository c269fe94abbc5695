import { z } from 'zod'
import { defineEvents } from '../../core/events/types.ts'

const byAmr: Readonly<Record<string, string>> = { pwd: 'password', hwk: 'passkey', swk: 'passkey', otp: 'mail-code' }

/** How a sign-in began. Events of earlier versions say only what RFC 8176 has a word for. */
const methodOf = ({ method, amr }: Readonly<Record<string, unknown>>): string => {
  if (typeof method === 'string') return method
  const values = Array.isArray(amr) ? amr.map(String) : []
  return values.map((value) => byAmr[value]).find((name) => name !== undefined) ?? 'other'
}

export const sessionEvents = defineEvents({
  'session.started': {
    summary: 'A user signed in.',
    subject: 'user',
    data: z.object({
      sessionId: z.string(),
      method: z.string().optional().describe('the first proof: `password`, `passkey`, `federated`, `mail-link`, `mail-code`, …'),
      amr: z.array(z.string()).describe('how they were authenticated, RFC 8176'),
      acr: z.string(),
      provider: z.string().optional().describe('where they signed in, of a sign-in with a provider'),
      device: z.string().describe('browser and system by the user agent'),
      isNewDevice: z.boolean().describe('the user has signed in before, but never with this browser or program'),
      isRemembered: z.boolean().optional().describe('true: a remembered browser stood for the second factor'),
      isRenewal: z.boolean().describe('the session of the call went on under its id'),
    }),
    counted: (data) => ({
      counts: [
        ['signIns', methodOf(data)],
        ...(typeof data['provider'] === 'string' ? [['providerSignIns', data['provider']] as const] : []),
      ],
      isActivity: true,
    }),
  },
  'session.ended': {
    summary:
      'A session ended: its user signed out, chose it in the list of devices, or another person signed in with its browser.',
    subject: 'user',
    data: z.object({ sessionId: z.string() }),
  },
  'user.sessions_ended': {
    summary: 'All sessions of a user ended, but for one that may be named, with what applications held in their name.',
    subject: 'user',
    data: z.object({ keptSessionId: z.string().optional() }),
  },
})
