import { z } from 'zod'
import { isLoopbackHost } from '../../../core/web.ts'

/** True for an origin: an https URL, an http URL on loopback, or the hash of an Android application's certificate. */
const isOrigin = (text: string): boolean => {
  if (/^android:apk-key-hash:[\w-]{43}$/.test(text)) return true
  const url = URL.parse(text)
  return url !== null && url.origin === text && (url.protocol === 'https:' || isLoopbackHost(url.hostname))
}

/** The settings for passkeys and security keys (Web Authentication, level 3). */
export const passkeysConfig = z
  .strictObject({
    enabled: z.boolean().default(true).describe('People may add passkeys and sign in with them.').meta({ weakened: 'off' }),
    rpId: z
      .string()
      .regex(/^[a-z0-9-]+(\.[a-z0-9-]+)*$/, 'a domain in lower case, such as example.com')
      .optional()
      .describe(
        'Domain that passkeys belong to: the host of the public address, or a domain above it. Passkeys made for another domain no longer work. Default: the host of the public address.',
      ),
    rpName: z
      .string()
      .min(1)
      .max(64)
      .optional()
      .describe('Name that browsers show when a passkey is made. Default: brand.name.')
      .meta({ weakened: 'never' }),
    origins: z
      .array(z.string().refine(isOrigin, 'an origin such as https://app.example.com, or android:apk-key-hash:…'))
      .max(50)
      .default([])
      .describe(
        'Origins besides the public address whose pages use the same passkeys. For origins outside of the domain, browsers read `/.well-known/webauthn` of the domain.',
      )
      .meta({ weakened: 'added' }),
    timeoutSeconds: z
      .int()
      .min(60)
      .max(900)
      .default(300)
      .describe('How long a challenge is good for, and browsers wait for the person, in seconds.')
      .meta({ weakened: 'never' }),
    offerAfterSignIn: z
      .enum(['silently', 'ask', 'never'])
      .default('silently')
      .describe(
        'The offer of a passkey after a sign-in with a password on the hosted page. `silently`: browsers that can make a passkey by themselves do; `ask`: the page also asks users without a passkey once; `never`.',
      )
      .meta({ weakened: 'never' }),
    maxPerUser: z.int().min(1).max(200).default(50).describe('Passkeys that one user may have.').meta({ weakened: 'never' }),
  })
  .prefault({})

export type PasskeysConfig = z.output<typeof passkeysConfig>
