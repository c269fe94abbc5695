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

/** Who made a change: the kind and id of the principal, as in audit events. */
const Author = z.object({ kind: z.string(), id: z.string().nullable() })

/** A setting, with its value on the node that answers. */
export const Setting = z
  .object({
    key: z.string(),
    description: z.string(),
    type: z.string(),
    /** The words that the setting accepts. Null if it accepts other values. */
    options: z.array(z.string()).nullable(),
    /** The value in effect. Null for a secret, and if there is no value. */
    value: json,
    default: json,
    isSecret: z.boolean(),
    /** True if the setting has a value. */
    isSet: z.boolean(),
    source: z.enum(settingSources),
    /** The file, environment variable or option that sets the value. Null if none does. */
    from: z.string().nullable(),
    /** The name of the environment variable that can set the value. */
    variable: z.string(),
    /** True if the value can be stored in the database and changed while nodes are running. Any other setting needs a restart. */
    isRuntime: z.boolean(),
    /** True if the file, the environment or an option sets the value (`from` says which). The stored value then has no effect. */
    isLocked: z.boolean(),
    /** Which changes of this setting lower security. Whoever makes such a change must have proved their identity recently. */
    weakened: z.enum(weakenings),
    /** The value in the database, even if another source overrides it. For a secret, `value` is only a hint. */
    stored: z.object({ value: json, version: z.int(), changedAt: instant, changedBy: Author }).nullable(),
  })
  .meta({ id: 'Setting' })

/** Settings and their version. Every change of any setting increases the version. */
const SettingsList = z.object({ version: z.int(), settings: z.array(Setting) })

/** The ETag depends only on the version, so it is the same for every filter. */
export const settingsTag = resourceTag(SettingsList, { except: ['settings'] })

/** A stored value that was added, replaced or removed. Null means that no value is stored. For a secret, both values are only hints. */
export const SettingChange = z
  .object({
    key: z.string(),
    isSecret: z.boolean(),
    before: json,
    after: json,
    /** True if a value was stored before the change. Otherwise the default or another source applied. */
    wasStored: z.boolean(),
    isStored: z.boolean(),
    /** True if the change lowers security. Whoever makes it must have proved their identity recently. */
    lowersSecurity: z.boolean(),
  })
  .meta({ id: 'SettingChange' })

const Trial = z
  .object({
    kind: z.enum(['mail-server', 'provider']),
    /** What was tested: the id of the identity provider, or the host of the mail server. */
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
    /** The version of the settings after the change. */
    version: z.int(),
    /** False if it was a dry run, or if nothing would change. */
    isApplied: z.boolean(),
    changes: z.array(SettingChange),
    /** The tests that were made before the change was stored. A dry run makes none. */
    trials: z.array(Trial),
  })
  .meta({ id: 'SettingsChange' })

const SettingsVersion = z
  .object({
    version: z.int(),
    changedAt: instant,
    /** Who made the change. The name is null if the actor was deleted, or if the reader may not see it. */
    changedBy: Named,
    reason: z.string().nullable(),
    /** If this version restored the settings of an earlier version, the number of that version. Otherwise null. */
    revertedTo: z.int().nullable(),
    changes: z.array(SettingChange),
  })
  .meta({ id: 'SettingsVersion' })

const keyInput = plainText(255, 1)

const changes = {
  /** Values to store, by configuration key. Null is also a value if the setting allows it, for example to have no limit. */
  set: z.record(keyInput, json).default({}),
  /** Configuration keys whose stored value is to be removed. The file, the environment or the default then applies again. */
  unset: z.array(keyInput).max(500).default([]),
} as const

const manner = {
  /** True to only show the changes. No tests are made, no proof of identity is needed, and nothing is stored. */
  dryRun: z.boolean().default(false),
  /** True to store a mail server or identity provider even if it cannot be reached. */
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

/** The texts that the operator has changed in one language, by section. */
export const LanguageTexts = z
  .object({
    language: z.enum(locales),
    sections: z.array(
      z.object({
        section: z.enum(['account', 'organizations', 'pages']),
        own: z.array(z.string()),
        /** Keys of texts that the operator has changed in another language, but not in this one. */
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
      /** Only settings whose key begins with this text, such as `sessions.`. */
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
