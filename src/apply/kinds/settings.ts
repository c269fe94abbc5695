import type { DescribedChange } from '../../settings/index.ts'
import { applyErrors, type SettingDeclaration } from '../contract.ts'
import type { Context, Kind, Outcome, Wanted } from '../kind.ts'

const settingsOf = ({ settings }: Context) => {
  if (settings === undefined) throw applyErrors.error('DECLARATION_DOES_NOT_FIT', { message: 'this instance stores no settings' })
  return settings
}

/** The value of a declared setting. If the setting is a reference to a secret, it is the value of that secret. */
const declaredValue = ({ value, secret }: SettingDeclaration): unknown => secret ?? value

/** The settings for which the declaration contains a value. Settings with `keepSecret` are left out. */
export const wantedSettings = (declared: Readonly<Record<string, SettingDeclaration>>): ReadonlyMap<string, unknown> =>
  new Map(
    Object.entries(declared).flatMap(([name, one]) => (one.keepSecret === true ? [] : [[name, declaredValue(one)] as const])),
  )

/** Throws DECLARATION_DOES_NOT_FIT if a setting has `keepSecret` although no secret is stored for it. */
const requireKept = async (context: Context, declared: Readonly<Record<string, SettingDeclaration>>): Promise<void> => {
  const kept = Object.keys(declared).filter((name) => declared[name]?.keepSecret === true)
  if (kept.length === 0) return
  const stored = new Set((await settingsOf(context).read()).settings.map(({ key }) => key))
  const [missing] = kept.filter((name) => !stored.has(name))
  if (missing !== undefined)
    throw applyErrors.error('DECLARATION_DOES_NOT_FIT', {
      message: `${missing}: keepSecret, and none is stored: name the secret with secretFile or secretEnv`,
    })
}

const store = async (context: Context, wanted: ReadonlyMap<string, unknown>): Promise<readonly DescribedChange[]> => {
  const changes = await settingsOf(context).change(context.principal, wanted)
  if (changes.some(({ lowersSecurity }) => lowersSecurity)) context.requireRightToLower()
  return changes
}

/** All declared settings are changed together, because they are validated together. The first setting that is applied makes this change. */
const createChange = (declared: Readonly<Record<string, SettingDeclaration>>) => {
  const made = new WeakMap<Context, Promise<readonly DescribedChange[]>>()
  return (context: Context): Promise<readonly DescribedChange[]> => {
    const change = made.get(context) ?? requireKept(context, declared).then(() => store(context, wantedSettings(declared)))
    made.set(context, change)
    return change
  }
}

const wanted =
  (changesOf: ReturnType<typeof createChange>) =>
  ([name, one]: readonly [string, SettingDeclaration]): Wanted => ({
    key: name,
    path: 'settings',
    apply: async (context, known): Promise<Outcome> => {
      const change = (await changesOf(context)).find(({ key }) => key === name)
      if (one.keepSecret === true)
        return { id: name, action: 'unchanged', fields: [], form: {}, secretHash: known?.secretHash ?? null }
      const value = declaredValue(one)
      // The value of a secret setting may also be written into the file directly, without a reference.
      const isSecret = one.secret !== undefined || settingsOf(context).isSecret(name)
      const outcome = {
        ...{ id: name, form: isSecret ? {} : { value } },
        secretHash: isSecret ? context.hashOf(typeof value === 'string' ? value : JSON.stringify(value)) : null,
      }
      if (change === undefined) return { ...outcome, action: 'unchanged', fields: [] }
      const { before, after, wasStored } = change
      const fields = isSecret ? [{ field: 'value' }] : [{ field: 'value', ...(wasStored ? { before } : {}), after }]
      return { ...outcome, action: wasStored ? 'update' : 'create', fields }
    },
  })

/** Settings stored in the database, by their configuration keys. */
export const settingKind: Kind = {
  kind: 'setting',
  wanted: ({ settings }) => {
    const changesOf = createChange(settings)
    return Object.entries(settings).map(wanted(changesOf))
  },
  read: async (context, { objectId, form }) => {
    const stored = (await settingsOf(context).read()).settings.find(({ key }) => key === objectId)
    if (stored === undefined) return undefined
    return 'value' in form ? { value: stored.value } : {}
  },
  lost: async () => 'file, environment or its default count again',
  remove: async (context, { objectId }) => {
    await store(context, new Map([[objectId, undefined]]))
  },
}
