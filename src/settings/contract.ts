import { z } from 'zod'
import { json } from '../core/json-value.ts'
import { locales } from '../core/locale.ts'
import { plainText } from '../core/wire.ts'
import { contract } from '../http/contract.ts'

const sources = ['default', 'file', 'environment', 'flag'] as const

/** One key of the configuration as it is in effect on the node that answers. */
export const Setting = z
  .object({
    key: z.string(),
    description: z.string(),
    type: z.string(),
    /** Null for a secret, and where nothing is set. */
    value: json,
    default: json,
    isSecret: z.boolean(),
    /** True when it was set to something, whatever that is. */
    isSet: z.boolean(),
    source: z.enum(sources),
    /** The file, variable or flag that set it. */
    from: z.string().nullable(),
    /** The variable that sets it. */
    variable: z.string(),
  })
  .meta({ id: 'Setting' })

/** What a language says in the operator's own words, section by section. */
export const LanguageTexts = z
  .object({
    language: z.enum(locales),
    sections: z.array(
      z.object({
        section: z.enum(['account', 'organizations', 'pages']),
        own: z.array(z.string()),
        /** Keys that another language says in words of its own, and this one does not. */
        missing: z.array(z.string()),
      }),
    ),
  })
  .meta({ id: 'LanguageTexts' })

export const settingsContract = contract('Administration', {
  listSettings: {
    method: 'GET',
    path: '/admin/settings',
    summary: 'Every key of the configuration with its value, its default and where the value comes from',
    access: { permission: 'settings:read' },
    query: z.object({
      /** The beginning of the key, such as `sessions.`. */
      search: plainText(200, 1).optional(),
      source: z.enum(sources).optional(),
    }),
    response: z.object({ settings: z.array(Setting) }),
    errors: [],
  },
  listTexts: {
    method: 'GET',
    path: '/admin/texts',
    summary: 'The languages of pages and mails, and what each says in words of your own',
    access: { permission: 'settings:read' },
    response: z.object({ directory: z.string().nullable(), languages: z.array(LanguageTexts) }),
    errors: [],
  },
})

/** What the API document says besides the contract. */
export const settingsDocumentation = {
  listTexts: {
    description:
      'Every language has every text; `own` names those that a file of `texts.directory` says in other words, as the node that answers read it ' +
      'at its start. `missing` names those that another language says in its own words and this one does not.',
    example: {
      response: {
        directory: '/etc/gatehouse/texts',
        languages: [{ language: 'en', sections: [{ section: 'pages', own: ['signIn.title'], missing: [] }] }],
      },
    },
  },
  listSettings: {
    description:
      'In the order of the documentation of the configuration. A secret is set or not set, its value is never shown, and neither is a ' +
      'password within an address. Of several nodes each answers for itself.',
    example: {
      response: {
        settings: [
          {
            ...{ key: 'sessions.freshAgeSeconds', description: 'Age up to which a session is fresh.', type: 'integer' },
            ...{ value: 3600, default: 86400, isSecret: false, isSet: true, source: 'environment' },
            ...{ from: 'GATEHOUSE_SESSIONS_FRESH_AGE_SECONDS', variable: 'GATEHOUSE_SESSIONS_FRESH_AGE_SECONDS' },
          },
        ],
      },
    },
  },
}
