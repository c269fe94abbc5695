import { describeOwnTexts, type TextsConfig } from '../core/own-texts.ts'
import { type Base, defineFeature } from '../feature.ts'
import { bind, documented } from '../http/handlers.ts'
import type { Users } from '../identity/users/index.ts'
import { settingsCheck } from './check.ts'
import { settingsCommands } from './cli.ts'
import { settingsContract, settingsErrors, settingsEvents } from './contract.ts'
import { createDaemonConfigurations, type DaemonConfigurations, noteMs } from './daemons.ts'
import type { DescribedChange } from './difference.ts'
import { settingsDocumentation } from './documentation.ts'
import { createSettings, followJob, type Settings } from './service.ts'
import { sealedColumns, versionWatch } from './store.ts'
import { readStored, type StoredSettings, storedVersion } from './stored.ts'
import { changeView, resultView, settingView, trialView } from './views.ts'

type Texts = ReturnType<typeof describeOwnTexts>

const wantedOf = ({ set, unset }: { readonly set: Readonly<Record<string, unknown>>; readonly unset: readonly string[] }) =>
  new Map<string, unknown>([...unset.map((key) => [key, undefined] as const), ...Object.entries(set)])

/** The routes with which administrators read and change settings. */
const settingsRoutes = (settings: Settings, texts: Texts) =>
  bind(documented(settingsContract, settingsDocumentation), {
    listTexts: () => ({
      directory: texts.directory,
      languages: texts.languages.map(({ language, sections }) => ({
        language,
        sections: sections.map(({ section, own, missing }) => ({ section, own: [...own], missing: [...missing] })),
      })),
    }),
    listSettings: async (_principal, { query: { search = '', source } }) => {
      const { version, settings: all } = await settings.list()
      const found = all.filter((one) => one.key.startsWith(search) && (source === undefined || one.source === source))
      return { version, settings: found.map(settingView) }
    },
    updateSettings: async (principal, { body: { dryRun, force, ...changes }, ifMatch }) =>
      resultView(await settings.change(principal, wantedOf(changes), { dryRun, force, ifMatch })),
    trySettings: async (principal, { body }) => ({ trials: (await settings.tryOut(principal, wantedOf(body))).map(trialView) }),
    listSettingsVersions: async (principal, { query: { after, limit, total: isCounted } }) => {
      const before = after === undefined ? undefined : Number(after)
      const { versions, next, total } = await settings.history(principal, before, limit, isCounted)
      return { versions: versions.map((one) => ({ ...one, changes: one.changes.map(changeView) })), next, total }
    },
    revertSettings: async (principal, { body: { version, ...manner }, ifMatch }) =>
      resultView(await settings.revert(principal, version, { ...manner, ifMatch })),
  })

export type { DaemonConfigurations, DescribedChange, Settings, StoredSettings }
export { readStored, storedVersion }

/** How long a node waits before it tries again to use settings that could not take effect, in milliseconds. */
const retryMs = 30_000

/** The settings in the database, and the configuration in effect. */
export const settingsFeature = defineFeature({
  name: 'settings',
  errors: settingsErrors.table,
  events: settingsEvents,
  sealedColumns,
  commands: [settingsCommands],
  build: (base: Base, config: TextsConfig, needs: { readonly users: Users }) => {
    const { configuration } = base
    const daemonConfigurations = createDaemonConfigurations(base)
    const settings = createSettings({ ...base, ...needs })
    // The job does not wait until the settings are in effect. That would stop the jobs of the former generation, and this job is one of
    // them.
    const run = async () => {
      const noteProblem = async () => {
        if (configuration.state().problem !== undefined) await daemonConfigurations.note()
      }
      void configuration.reload().then(noteProblem)
    }
    return {
      withheldData: [
        {
          table: 'setting_version',
          why: 'says what the instance is set to: that somebody set it is among their events, with what they changed',
        },
      ],
      api: { daemonConfigurations, settings, settingsState: configuration.state },
      checks: [settingsCheck(base)],
      routes: settingsRoutes(settings, describeOwnTexts(config)),
      jobs: [
        { name: 'settings.note', everyMs: noteMs, run: daemonConfigurations.note, onStop: daemonConfigurations.forget },
        { name: followJob, run, watch: { sql: versionWatch }, everyMs: retryMs },
      ],
    }
  },
})
