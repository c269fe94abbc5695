import type { App } from '../../composition.ts'
import { variableOf } from '../../core/environment.ts'
import { type Terminal, UsageError } from '../../core/terminal.ts'
import type { Globals } from '../globals.ts'
import { connect, instanceOf, toRefusal } from './connection.ts'
import { createCredentials } from './credentials.ts'
import { refusalOf } from './refusals.ts'

/** The URL of the instance on another machine, from the option `--remote` or otherwise from GATEHOUSE_REMOTE. Throws `UsageError`. */
export const remoteOf = ({ remote, ...rest }: Globals, { env }: Pick<Terminal, 'env'>): string | undefined => {
  const address = remote ?? variableOf(env, 'GATEHOUSE_REMOTE')
  if (address === undefined || address === '') return undefined
  const place = ['config', 'databaseUrl', 'dataDir'] as const
  const beside = place.find((name) => rest[name] !== undefined)
  if (beside !== undefined)
    throw new UsageError(`--remote: the instance is at ${address}; a ${beside} on this machine says nothing about it`)
  return instanceOf(address)
}

/** Throws `UsageError`, with an alternative, if an instance on another machine is named for a command that only works on this machine. */
export const requireHere = (command: string, globals: Globals, terminal: Pick<Terminal, 'env'>): void => {
  const refusal = refusalOf(command, globals.remote !== undefined)
  if (refusal !== undefined && remoteOf(globals, terminal) !== undefined) throw new UsageError(refusal)
}

export const requireRemote = (globals: Globals, terminal: Pick<Terminal, 'env'>): string => {
  const instance = remoteOf(globals, terminal)
  if (instance === undefined) throw new UsageError('name the instance: --remote https://id.example.com, or GATEHOUSE_REMOTE')
  return instance
}

/** Runs a command on an instance on another machine. */
export const workRemotely = async <T>(
  instance: string,
  terminal: Pick<Terminal, 'env'>,
  reason: string | undefined,
  work: (app: App) => Promise<T>,
): Promise<T> => {
  const apiKey = variableOf(terminal.env, 'GATEHOUSE_REMOTE_API_KEY')
  // This module contains the contracts of all features. It is imported only here, because commands on the machine of the database do not
  // need it.
  const { remoteApp } = await import('./services.ts')
  const { send, refusal } = connect(instance, createCredentials(terminal), apiKey, reason)
  try {
    return await work(remoteApp(send, instance))
  } catch (error) {
    throw refusal() ?? toRefusal(instance, error)
  }
}
