/** Files that this process has open, as Linux tells it. */
import { existsSync, readdirSync, readlinkSync } from 'node:fs'

const descriptors = '/proc/self/fd'

/** False on a machine that does not tell. */
export const tellsOpenFiles = existsSync(descriptors)

/** How often the process has a file open. */
export const timesOpen = (file: string): number =>
  readdirSync(descriptors).filter((name) => {
    try {
      return readlinkSync(`${descriptors}/${name}`) === file
    } catch {
      // The directory itself, and what was closed meanwhile.
      return false
    }
  }).length
