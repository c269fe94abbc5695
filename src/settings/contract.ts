import { z } from 'zod'
import { errorsOf } from '../core/errors.ts'
import { defineEvents } from '../core/events/types.ts'
import { json } from '../core/json-value.ts'
import { locales } from '../core/locale.ts'
import { counted, page } from '../core/page.ts'
import { resourceTag } from '../core/resource-tag.ts'
import { settingSources, weakenings } from '../core/setting-words.ts'
import { instant, Named, plainText } from '../core/wire.ts'
import { contract } from '../http/contract.ts'

/** Who made a change: kind and id of the principal, as in events. */
const Author = z.object({ kind: z.string(), id: z.string().nullable() })

/** A configuration key, with its value on the answering node. */
export const Setting = z
  .object({
    key: z.string(),
    description: z.string(),
    type: z.string(),
    /** The words that the key accepts, or null. */
    options: z.array(z.string()).nullable(),
    /** Null for a secret, and if the key has no value. */
    value: json,
    default: json,
    isSecret: z.boolean(),
    /** True if the key has a value. */
    isSet: z.boolean(),
    source: z.enum(settingSources),
    /** The file, variable or option that sets the value, or null. */
    from: z.string().nullable(),
    /** The environment variable of the key. */
    variable: z.string(),
    /** True if the key can be stored and changed while nodes run. Other keys need a restart. */
    isRuntime: z.boolean(),
    /** True if file, environment or an option sets the key (`from` names the place). They override the stored value. */
    isLocked: z.boolean(),
    /** Which changes lower security. Such changes need a recent proof. */
    weakened: z.enum(weakenings),
    /** The stored value, even if file or environment override it. For a secret, `value` is a hint. */
    stored: z.object({ value: json, version: z.int(), changedAt: instant, changedBy: Author }).nullable(),
  })
  .meta({ id: 'Setting' })

/** Settings with their version. Every change increases the version. */
const SettingsList = z.object({ version: z.int(), settings: z.array(Setting) })

/** The `ETag` depends on the version alone, so all filters have the same one. */
export const settingsTag = resourceTag(SettingsList, { except: ['settings'] })

/** A stored value that was added, replaced or removed. Null means not stored. For a secret, both values are hints. */
export const SettingChange = z
  .object({
    key: z.string(),
    isSecret: z.boolean(),
    before: json,
    after: json,
    /** True if a value was stored before. Otherwise a default applied. */
    wasStored: z.boolean(),
    isStored: z.boolean(),
    /** True if the change needs a recent proof. */
    lowersSecurity: z.boolean(),
  })
  .meta({ id: 'SettingChange' })

const Trial = z
  .object({
    kind: z.enum(['mail-server', 'provider']),
    /** The id of the provider, or the host of the mail server. */
    subject: z.string(),
    hasPassed: z.boolean(),
    steps: z.array(
      z.object({
        step: z.string(),
        outcome: z.enum(['passed', 'doubtful', 'failed', 'skipped']),
        message: z.string(),
        remedy: z.string().nullable(),
      }),
    ),
  })
  .meta({ id: 'SettingTrial' })

const ChangeResult = z
  .object({
    /** The version after the change. */
    version: z.int(),
    /** False for a dry run, and if nothing differs. */
    isApplied: z.boolean(),
    changes: z.array(SettingChange),
    /** The tests that ran before the change was stored. A dry run makes none. */
    trials: z.array(Trial),
  })
  .meta({ id: 'SettingsChange' })

const SettingsVersion = z
  .object({
    version: z.int(),
    changedAt: instant,
    /** The name is null if the actor was deleted, or if the reader lacks the permission to see it. */
    changedBy: Named,
    reason: z.string().nullable(),
    /** The earlier version whose settings this version restored, or null. */
    revertedTo: z.int().nullable(),
    changes: z.array(SettingChange),
  })
  .meta({ id: 'SettingsVersion' })

const keyInput = plainText(255, 1)

const changes = {
  /** Values to store, by key. Null is a value if the key allows it, for example to set no limit. */
  set: z.record(keyInput, json).default({}),
  /** Keys whose stored value is removed, so that file, environment or default apply again. */
  unset: z.array(keyInput).max(500).default([]),
} as const

const manner = {
  /** Only shows the changes: no tests, no proof, and nothing is stored. */
  dryRun: z.boolean().default(false),
  /** Stores a mail server or provider even if it cannot be reached. */
  force: z.boolean().default(false),
} as const

const refusals = [
  'SETTINGS_ARE_INVALID',
  'SETTING_NOT_FOUND',
  'SETTING_NEEDS_A_RESTART',
  'SETTING_IS_LOCKED',
  'SETTING_DOES_NOT_WORK',
  'SESSION_IS_NOT_FRESH',
] as const

/** The operator's texts in a language, by section. */
export const LanguageTexts = z
  .object({
    language: z.enum(locales),
    sections: z.array(
      z.object({
        section: z.enum(['account', 'organizations', 'pages']),
        own: z.array(z.string()),
        /** Keys of texts that the operator has changed only in another language. */
        missing: z.array(z.string()),
      }),
    ),
  })
  .meta({ id: 'LanguageTexts' })

const history = counted(page('versions', SettingsVersion, { filter: {}, after: z.string().regex(/^[1-9]\d{0,8}$/, 'a version') }))

export const settingsErrors = errorsOf({
  SETTINGS_ARE_INVALID: [400, 'Settings are invalid'],
  SETTING_NOT_FOUND: [400, 'Setting not found'],
  SETTING_NEEDS_A_RESTART: [400, 'Setting needs a restart'],
  SETTING_IS_LOCKED: [409, 'Setting is locked'],
  SETTING_DOES_NOT_WORK: [409, 'Setting does not work'],
  SETTINGS_VERSION_NOT_FOUND: [404, 'Settings version not found'],
})

export const settingsEvents = defineEvents({
  'settings.changed': {
    summary: 'Settings in the database were changed. For a secret, the values are hints.',
    subject: 'settings',
    data: z.object({
      version: z.int(),
      revertedTo: z.int().nullable(),
      isForced: z.boolean().describe('true: stored although a server could not be reached'),
      changes: z
        .array(
          z.object({ key: z.string(), before: z.string().nullable(), after: z.string().nullable(), lowersSecurity: z.boolean() }),
        )
        .describe('null: not stored; a value that is not text is JSON; long values are cut off'),
    }),
  },
})

export const settingsContract = contract('Administration', {
  listSettings: {
    method: 'GET',
    path: '/admin/settings',
    summary: 'List all keys of the configuration, each with its value, its default and the source of the value',
    access: { permission: 'settings:read' },
    query: z.object({
      /** The beginning of the keys, such as `sessions.`. */
      search: plainText(200, 1).optional(),
      source: z.enum(settingSources).optional(),
    }),
    response: SettingsList,
    etag: settingsTag,
    errors: [],
  },
  updateSettings: {
    method: 'PATCH',
    path: '/admin/settings',
    summary: 'Store settings in the database, all of them or none',
    access: { permission: 'settings:update' },
    body: z.object({ ...changes, ...manner }),
    response: ChangeResult,
    ifMatch: settingsTag,
    errors: [...refusals],
  },
  trySettings: {
    method: 'POST',
    path: '/admin/settings/try',
    summary: 'Test the mail server and the providers of a change without storing it',
    access: { permission: 'settings:update' },
    body: z.object(changes),
    response: z.object({ trials: z.array(Trial) }),
    errors: [...refusals],
  },
  listSettingsVersions: {
    method: 'GET',
    path: '/admin/settings/history',
    summary: 'List the changes of the settings in the database, newest first',
    access: { permission: 'settings:read' },
    ...history,
    errors: [],
  },
  revertSettings: {
    method: 'POST',
    path: '/admin/settings/revert',
    summary: 'Restore the settings of an earlier version',
    access: { permission: 'settings:update' },
    body: z.object({ version: z.int().min(0), ...manner }),
    response: ChangeResult,
    ifMatch: settingsTag,
    errors: ['SETTINGS_VERSION_NOT_FOUND', ...refusals],
  },
  listTexts: {
    method: 'GET',
    path: '/admin/texts',
    summary: 'List the languages of pages and mails, each with your own texts',
    access: { permission: 'settings:read' },
    response: z.object({ directory: z.string().nullable(), languages: z.array(LanguageTexts) }),
    errors: [],
  },
})
