import type { z } from 'zod'
import type { describeOwnTexts } from '../core/own-texts.ts'
import type { Setting } from '../core/settings.ts'
import { bind, documented } from '../http/handlers.ts'
import { settingsContract } from './contract.ts'
import { settingsDocumentation } from './documentation.ts'

type Json = z.core.util.JSONType

/** The configuration for administrators. */
export const settingsRoutes = (settings: () => readonly Setting[], texts: ReturnType<typeof describeOwnTexts>) =>
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
