import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { z } from 'zod'
import type { Terminal } from '../../core/terminal.ts'
import { UsageError } from '../../core/terminal.ts'

/** What authenticates commands at an instance: the tokens from `gatehouse login`, or an API key. */
const Credential = z.union([
  z.strictObject({ accessToken: z.string(), refreshToken: z.string(), expiresAt: z.number() }),
  z.strictObject({ apiKey: z.string() }),
])
export type Credential = z.output<typeof Credential>

const File = z.strictObject({ instances: z.record(z.string(), Credential) })

/** The credentials that this person has stored on this machine, one for each instance. Only the person can read their file. */
export interface Credentials {
  readonly path: string
  read(instance: string): Credential | undefined
  write(instance: string, credential: Credential): void
  /** Removes the credential for an instance. Returns false if there is none. */
  remove(instance: string): boolean
}

export const createCredentials = ({ env }: Pick<Terminal, 'env'>): Credentials => {
  const home = env['XDG_CONFIG_HOME'] || join(env['HOME'] || homedir(), '.config')
  const directory = join(home, 'gatehouse')
  const path = join(directory, 'credentials.json')

  const readAll = (): z.output<typeof File> => {
    if (!existsSync(path)) return { instances: {} }
    const parsed = File.safeParse(JSON.parse(readFileSync(path, 'utf8')))
    if (!parsed.success) throw new UsageError(`${path} is not a file of the command login: delete it and sign in again`)
    return parsed.data
  }
  const writeAll = (file: z.output<typeof File>) => {
    mkdirSync(directory, { recursive: true, mode: 0o700 })
    const fresh = `${path}.${process.pid}`
    writeFileSync(fresh, `${JSON.stringify(file, null, 2)}\n`, { mode: 0o600 })
    chmodSync(fresh, 0o600)
    // The new file replaces the old one in one step, so that another command never reads an incomplete file.
    renameSync(fresh, path)
  }

  return {
    path,
    read: (instance) => {
      const { instances } = readAll()
      return Object.hasOwn(instances, instance) ? instances[instance] : undefined
    },
    write: (instance, credential) => writeAll({ instances: { ...readAll().instances, [instance]: credential } }),
    remove: (instance) => {
      const { [instance]: found, ...instances } = readAll().instances
      if (found === undefined) return false
      if (Object.keys(instances).length === 0) rmSync(path)
      else writeAll({ instances })
      return true
    },
  }
}
