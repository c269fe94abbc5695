/** The files that this process has open, from Linux's `/proc`. */
import { existsSync, readdirSync, readlinkSync } from 'node:fs'

const descriptors = '/proc/self/fd'

/** False on a machine without `/proc`. */
export const tellsOpenFiles = existsSync(descriptors)

/** Number of times that the process has a file open. */
export const timesOpen = (file: string): number =>
  readdirSync(descriptors).filter((name) => {
    try {
      return readlinkSync(`${descriptors}/${name}`) === file
    } catch {
      // The entry is the directory itself, or was closed meanwhile.
      return false
    }
  }).length
