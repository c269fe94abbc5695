import type { z } from 'zod'
import { describeOwnTexts, type TextsConfig } from '../core/own-texts.ts'
import type { Setting } from '../core/settings.ts'
import { type Base, defineFeature } from '../feature.ts'
import { bind, documented } from '../http/handlers.ts'
import { settingsContract, settingsDocumentation } from './contract.ts'
import { createDaemonConfigurations, type DaemonConfigurations, noteMs } from './daemons.ts'

type Json = z.core.util.JSONType

/** The configuration for administrators. */
const settingsRoutes = (settings: () => readonly Setting[], texts: ReturnType<typeof describeOwnTexts>) =>
  bind(documented(settingsContract, settingsDocumentation), {
    listTexts: () => ({
      directory: texts.directory,
      languages: texts.languages.map(({ language, sections }) => ({
        language,
        sections: sections.map(({ section, own, missing }) => ({ section, own: [...own], missing: [...missing] })),
      })),
    }),
    listSettings: (_principal, { query: { search = '', source } }) => ({
      settings: settings()
        .filter((one) => one.key.startsWith(search) && (source === undefined || one.source === source))
        .map((one) => ({ ...one, value: one.value as Json, default: one.default as Json })),
    }),
  })

export type { DaemonConfigurations }

/** The configuration as it is in effect. */
export const settingsFeature = defineFeature({
  name: 'settings',
  build: (base: Base, config: TextsConfig) => {
    const daemonConfigurations = createDaemonConfigurations(base)
    return {
      api: { daemonConfigurations },
      routes: settingsRoutes(base.settings, describeOwnTexts(config)),
      jobs: [{ name: 'settings.note', everyMs: noteMs, run: daemonConfigurations.note, onStop: daemonConfigurations.forget }],
    }
  },
})
