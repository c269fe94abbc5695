import { readFileSync } from 'node:fs'
import type { SystemPrincipal } from '../../../access/principal.ts'
import { StartError } from '../../../core/start.ts'
import { fileProblem } from '../../../core/system-failure.ts'
import { blamingFlag } from '../../../core/terminal.ts'
import type { Application } from '../application.ts'
import type { ClientLogos } from '../logos.ts'

/** Reads the file that the value of a flag names. Throws `StartError`. */
export const readFlagFile = (flag: string, path: string): Buffer => {
  try {
    return readFileSync(path)
  } catch (error) {
    throw new StartError('FILE_NOT_USABLE', `${flag}: ${fileProblem(error, path)}.`, error)
  }
}

/** Reads the file of `--logo`. Throws `StartError`. */
export const readLogo = (path: string): Buffer => readFlagFile('--logo', path)

const upload = (logos: ClientLogos, principal: SystemPrincipal, { clientId }: Application, file: Buffer) =>
  blamingFlag('--logo', 'INVALID_IMAGE', () => logos.upload(principal, clientId, file))

/** Uploads or fetches the logo of a new application. */
export const withLogo = async (
  logos: ClientLogos,
  principal: SystemPrincipal,
  client: Application,
  file: Buffer | undefined,
): Promise<Application> => {
  if (file !== undefined) return upload(logos, principal, client, file)
  return client.icon === null ? client : logos.fetch(principal, client.clientId)
}

interface Flags {
  readonly icon: string | undefined
  /** The path of an image file. An empty path removes the logo. */
  readonly logo: string | undefined
  readonly file: Buffer | undefined
}

/**
 * Uploads, fetches or removes the logo of a changed application, as the flags demand. If the URL of the icon is given again unchanged,
 * the logo is fetched again.
 */
export const changeLogo = (
  logos: ClientLogos,
  principal: SystemPrincipal,
  client: Application,
  { icon, logo, file }: Flags,
): Application | Promise<Application> => {
  if (logo === '') return logos.remove(principal, client.clientId)
  return icon === undefined && file === undefined ? client : withLogo(logos, principal, client, file)
}
