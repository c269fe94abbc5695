import { configWarnings, readStored } from '../composition.ts'
import { WrongSecretError } from '../core/crypto.ts'
import { configurationSources } from '../core/settings.ts'
import { hasFiles } from '../core/start.ts'
import type { GatehouseCommand } from './command.ts'
import { readConfiguration } from './globals.ts'
import { advised, composeWith, type Opened, open } from './open.ts'
import type { Shell } from './run.ts'

/** The number of checked settings in the database, or the reason why they could not be checked. */
type Checked = { readonly isChecked: true; readonly settings: number } | { readonly isChecked: false; readonly why: string }

/**
 * Says why the settings in the database cannot be checked. A `WrongSecretError` is thrown again, because the daemon would not start with
 * it either.
 */
const unread = (error: unknown): Checked => {
  if (error instanceof WrongSecretError) throw error
  const { message, code } = error as Error & { readonly code?: unknown }
  return { isChecked: false, why: `the database cannot be read: ${message === '' ? String(code) : message}` }
}

/**
 * Builds the features with the settings in the database, without starting anything. It is no error if the database does not exist or
 * cannot be reached. Throws the errors that a start of the daemon would throw.
 */
const checkStored = async (shell: Shell, config: Parameters<typeof hasFiles>[0]): Promise<Checked> => {
  if (!hasFiles(config)) return { isChecked: false, why: 'there is no database yet' }
  let opened: Opened
  try {
    opened = await open(shell.terminal, shell.globals(), { isDaemon: false, mayCreate: false })
  } catch (error) {
    return unread(error)
  }
  try {
    const stored = await readStored(opened.node).catch(unread)
    if ('isChecked' in stored) return stored
    composeWith(opened, stored.settings)
    return { isChecked: true, settings: stored.settings.length }
  } catch (error) {
    throw advised(opened, error)
  } finally {
    await opened.node.database.destroy()
  }
}

const inWords = (checked: Checked): string =>
  checked.isChecked ? `checked, ${checked.settings} stored` : `not checked, since ${checked.why}`

export const checkConfigCommand = (program: GatehouseCommand, shell: Shell): void => {
  program
    .command('check-config')
    .inGroup('Start and run')
    .description('Check the configuration and the settings of the database, and name everything that is wrong.')
    .examples('check-config --config gatehouse.yaml', 'check-config --json')
    .action(async () => {
      const { config, settings } = readConfiguration(shell.terminal, shell.globals())
      const database = await checkStored(shell, config)
      const warnings = configWarnings(config)
      const text = [
        'The configuration is good.',
        `Read: ${configurationSources(settings())}.`,
        `Settings of the database: ${inWords(database)}.`,
        ...warnings.map((warning) => `Warning: ${warning}`),
      ].join('\n')
      return shell.print({ json: { ok: true, warnings, database }, text })
    })
}
