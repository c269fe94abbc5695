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

/** Who changed settings: the kind of principal and its id, as events name them. */
const Author = z.object({ kind: z.string(), id: z.string().nullable() })

/** One key of the configuration as it is in effect on the node that answers. */
export const Setting = z
  .object({
    key: z.string(),
    description: z.string(),
    type: z.string(),
    /** The values of a key that accepts only some words. */
    options: z.array(z.string()).nullable(),
    /** Null for a secret, and where nothing is set. */
    value: json,
    default: json,
    isSecret: z.boolean(),
    /** True when the setting has any value. */
    isSet: z.boolean(),
    source: z.enum(settingSources),
    /** The file, variable or flag that set it. */
    from: z.string().nullable(),
    /** The variable that sets it. */
    variable: z.string(),
    /** It can be stored, and changed while the nodes run; a change of another key needs a restart. */
    isRuntime: z.boolean(),
    /** File, environment or an option of the command line sets it: `from` names the place. The stored value does not count. */
    isLocked: z.boolean(),
    /** Which changes lower security, and so need a recent proof. */
    weakened: z.enum(weakenings),
    /** The value in the database, also where file or environment win. For a secret, `value` is a hint. */
    stored: z.object({ value: json, version: z.int(), changedAt: instant, changedBy: Author }).nullable(),
  })
  .meta({ id: 'Setting' })

/** Settings with their version, which every change raises. */
const SettingsList = z.object({ version: z.int(), settings: z.array(Setting) })

/** The same version has the same `ETag` under every filter. */
export const settingsTag = resourceTag(SettingsList, { except: ['settings'] })

/** A key that a change stores, replaces or removes. Null: not stored. Of a secret, both are hints. */
export const SettingChange = z
  .object({
    key: z.string(),
    isSecret: z.boolean(),
    before: json,
    after: json,
    /** False where the key is or was not stored: a default counts then. */
    wasStored: z.boolean(),
    isStored: z.boolean(),
    /** It needs a recent proof. */
    lowersSecurity: z.boolean(),
  })
  .meta({ id: 'SettingChange' })

const Trial = z
  .object({
    kind: z.enum(['mail-server', 'provider']),
    /** Id of the provider, or host of the mail server. */
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
    /** False for a dry run, and where nothing differs. */
    isApplied: z.boolean(),
    changes: z.array(SettingChange),
    /** The trials before the change was stored; none in a dry run. */
    trials: z.array(Trial),
  })
  .meta({ id: 'SettingsChange' })

const SettingsVersion = z
  .object({
    version: z.int(),
    changedAt: instant,
    /** The name is null where the reader may not see names of this kind, and where nobody has it any more. */
    changedBy: Named,
    reason: z.string().nullable(),
    /** The version whose settings it brought back. */
    revertedTo: z.int().nullable(),
    changes: z.array(SettingChange),
  })
  .meta({ id: 'SettingsVersion' })

const keyInput = plainText(255, 1)

const changes = {
  /** Keys to store, each with its new value. Null is a value for keys where it means something, such as no limit. */
  set: z.record(keyInput, json).default({}),
  /** Keys that are to be stored no more: file, environment or the default count again. */
  unset: z.array(keyInput).max(500).default([]),
} as const

const manner = {
  /** Only shows the changes: nothing is tried, proven or stored. */
  dryRun: z.boolean().default(false),
  /** Keeps a mail server or provider although it could not be reached. */
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

/** The operator's own texts of a language, section by section. */
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
    summary: 'Settings of the database were changed. Secrets are named by a hint.',
    subject: 'settings',
    data: z.object({
      version: z.int(),
      revertedTo: z.int().nullable(),
      isForced: z.boolean().describe('kept although a server could not be reached'),
      changes: z
        .array(
          z.object({ key: z.string(), before: z.string().nullable(), after: z.string().nullable(), lowersSecurity: z.boolean() }),
        )
        .describe('null: not stored; a value that is no text as JSON, a long one cut off'),
    }),
  },
})

export const settingsContract = contract('Administration', {
  listSettings: {
    method: 'GET',
    path: '/admin/settings',
    summary: 'Every key of the configuration with its value, its default and where the value comes from',
    access: { permission: 'settings:read' },
    query: z.object({
      /** The beginning of the key, such as `sessions.`. */
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
    summary: 'Try the mail server and the providers that a change names, without storing it',
    access: { permission: 'settings:update' },
    body: z.object(changes),
    response: z.object({ trials: z.array(Trial) }),
    errors: [...refusals],
  },
  listSettingsVersions: {
    method: 'GET',
    path: '/admin/settings/history',
    summary: 'Every change of the settings in the database, newest first',
    access: { permission: 'settings:read' },
    ...history,
    errors: [],
  },
  revertSettings: {
    method: 'POST',
    path: '/admin/settings/revert',
    summary: 'Bring back the settings that the database held at an earlier version',
    access: { permission: 'settings:update' },
    body: z.object({ version: z.int().min(0), ...manner }),
    response: ChangeResult,
    ifMatch: settingsTag,
    errors: ['SETTINGS_VERSION_NOT_FOUND', ...refusals],
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
